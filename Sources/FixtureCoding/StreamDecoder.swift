/// A library's decoder of one format.
protocol StreamDecoder: AnyObject {
  /// Reads from the beginning of `input` and writes to the beginning of `output`, as much as goes.
  ///
  /// After `.ended` the next call begins another stream, where the format allows for several; after
  /// `.failed` there is none. What was written is valid in any case.
  /// - Parameters:
  ///   - input: may be empty, to get what is still held.
  ///   - output: not empty.
  func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer)
    -> DecodingStep
}

/// What one call of a decoder came to.
struct DecodingStep {
  enum Outcome {
    case goesOn
    /// The stream is complete, and all of it was written.
    case ended
    case failed(CodingError)
  }

  var read: Int
  var written: Int
  var outcome: Outcome
}
