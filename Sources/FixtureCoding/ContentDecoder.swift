/// Undoes the codings of one message's content, piece by piece.
///
///     var decoder = try ContentDecoder(ContentCoding.list(of: fields), outputBytesMax: 16 << 20)
///     try decoder.decode(piece) { decoded in … }    // for every piece
///     let ending = try decoder.finish()             // once, at the end of the content
///
/// Memory is bounded by the codings, not by the content: up to 16 MiB for brotli, 8 MiB for zstd,
/// some 100 KiB else. What comes out does not depend on how the content is cut into pieces, but for
/// how much of it comes before corrupt data and what is said of those: brotli keeps some back.
package struct ContentDecoder: ~Copyable {
  /// Servers apply one coding, broken ones the same one twice.
  package static let codingsMax = 8

  /// How content ended that was decoded to its end.
  package struct Ending: Equatable, Sendable {
    /// Bytes behind the coded data that belong to nothing, over all codings. Clients disregard
    /// them; a message that is encoded again would not have them.
    package var trailingBytes: Int
  }

  private let outputBytesMax: Int
  /// The coding that was applied last; nil when there is nothing to undo.
  private let first: DecodingStage?
  /// Used only when there is nothing to undo.
  private var passedBytes: Int
  private var failure: CodingError?

  /// - Parameters:
  ///   - codings: in the order in which they were applied. Without any, content is passed on.
  ///   - outputBytesMax: how much decoded content is given out before decoding stops.
  /// - Throws: `.codingUnknown`, `.codingsTooMany`, and `.callFailed` for a lack of memory.
  package init(_ codings: [ContentCoding], outputBytesMax: Int) throws(CodingError) {
    precondition(outputBytesMax >= 0, "an output of \(outputBytesMax) bytes")
    first = try Self.stages(codings, outputBytesMax: outputBytesMax)
    self.outputBytesMax = outputBytesMax
    passedBytes = 0
    failure = nil
  }

  private static func stages(
    _ codings: [ContentCoding], outputBytesMax: Int
  ) throws(CodingError) -> DecodingStage? {
    guard codings.count <= codingsMax else { throw .codingsTooMany(count: codings.count) }
    var stage: DecodingStage?
    for coding in codings {
      // What lies between two codings is hardly larger than the content, unless it was made to
      // keep us busy.
      let limit = stage == nil ? outputBytesMax : betweenBytesMax(outputBytesMax)
      stage = try DecodingStage(coding, outputBytesMax: limit, next: stage)
    }
    return stage
  }

  private static func betweenBytesMax(_ outputBytesMax: Int) -> Int {
    let doubled = outputBytesMax.multipliedReportingOverflow(by: 2)
    let sum = doubled.partialValue.addingReportingOverflow(64 * 1024)
    return doubled.overflow || sum.overflow ? .max : sum.partialValue
  }

  /// Decodes the next piece of the content.
  /// - Parameter take: gets what it comes to, in pieces of at most 32 KiB, none of them empty; what
  ///   it got before a throw is valid content.
  /// - Throws: `.corrupt`, `.outputLimitReached`, `.callFailed`. The decoder is dead then: every
  ///   later call throws the same.
  package mutating func decode(
    _ input: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer) -> Void
  ) throws(CodingError) {
    if let failure { throw failure }
    do throws(CodingError) {
      if let first { return try first.decode(input, to: take) }
      try pass(input, to: take)
    } catch {
      failure = error
      throw error
    }
  }

  /// As above, for a piece that is in an array.
  package mutating func decode(
    _ input: [UInt8], to take: (UnsafeRawBufferPointer) -> Void
  ) throws(CodingError) {
    try input.withUnsafeBufferPointer { (input) throws(CodingError) in
      try decode(UnsafeRawBufferPointer(input), to: take)
    }
  }

  private mutating func pass(
    _ input: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer) -> Void
  ) throws(CodingError) {
    let count = min(input.count, outputBytesMax - passedBytes)
    passedBytes += count
    for start in stride(from: 0, to: count, by: DecodingStage.pieceBytes) {
      let end = min(start + DecodingStage.pieceBytes, count)
      take(UnsafeRawBufferPointer(rebasing: input[start..<end]))
    }
    if count < input.count { throw .outputLimitReached(bytesMax: outputBytesMax) }
  }

  /// Says that the content has ended. Content of no bytes at all is complete in every coding:
  /// servers send it so.
  /// - Throws: `.truncated`, or what an earlier call threw.
  package mutating func finish() throws(CodingError) -> Ending {
    if let failure { throw failure }
    var trailingBytes = 0
    var stage = first
    while let current = stage {
      do throws(CodingError) {
        trailingBytes += try current.finish()
      } catch {
        failure = error
        throw error
      }
      stage = current.next
    }
    return Ending(trailingBytes: trailingBytes)
  }
}
