/// Whole content with its codings undone, as far as that goes.
package struct DecodedContent: Equatable, Sendable {
  /// What was decoded; all of it when there is no flaw.
  package var bytes: [UInt8]
  /// See `ContentDecoder.Ending`; 0 with a flaw.
  package var trailingBytes = 0
  /// Why the rest is missing.
  package var flaw: CodingError?

  /// Undoes the codings of content that is in memory.
  /// - Parameter bytesMax: of the decoded content; more is a flaw.
  package init(_ content: [UInt8], _ codings: [ContentCoding], bytesMax: Int) {
    var bytes: [UInt8] = []
    do throws(CodingError) {
      var decoder = try ContentDecoder(codings, outputBytesMax: bytesMax)
      try decoder.decode(content) { bytes.append(contentsOf: $0) }
      trailingBytes = try decoder.finish().trailingBytes
    } catch {
      flaw = error
    }
    self.bytes = bytes
  }
}
