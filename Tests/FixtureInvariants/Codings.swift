import FixtureCoding
import FixtureHTTP

// RULE of `codings`: content is decoded to its end, or up to an error, with the same result whole,
// byte by byte and cut (of what comes before corrupt data, more or less is handed out, so the limit
// may be met before them or not); never more comes out than was allowed; what was decoded whole can
// be encoded again and decodes to itself.
//
// The first line is the value of Content-Encoding, the rest is the content.

func checkCodings(_ bytes: [UInt8]) throws(Violation) {
  let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
  var fields = FieldSection()
  fields.append("Content-Encoding", bytes[..<end].filter(\.isFieldValueByte))
  let codings = ContentCoding.list(of: fields)
  let content = Array(bytes[end...].dropFirst())

  let whole = try decode(content, codings, cuts: [])
  for cuts in [Array(content.indices), [content.count / 3, content.count / 2]] {
    let other = try decode(content, codings, cuts: cuts)
    let isSame =
      whole.flaw.cutsOutput
      ? other.flaw.cutsOutput
        && (other.bytes.starts(with: whole.bytes) || whole.bytes.starts(with: other.bytes))
      : other == whole
    try require(isSame, "whole: \(whole)\ncut at \(cuts.prefix(2)): \(other)")
  }
  try require(
    DecodedContent(content, codings, bytesMax: outputBytesMax) == whole, "not as in memory")
  guard whole.flaw == nil else { return }
  let again: [UInt8]
  do throws(CodingError) {
    again = try ContentEncoder.encoded(whole.bytes, codings)
  } catch {
    throw Violation(text: "what was decoded can't be encoded: \(error)")
  }
  let decoded = DecodedContent(again, codings, bytesMax: outputBytesMax)
  try require(
    decoded.flaw == nil && decoded.bytes == whole.bytes, "encoded again: \(decoded)")
}

extension CodingError? {
  fileprivate var cutsOutput: Bool {
    switch self {
    case .corrupt?, .outputLimitReached?: true
    default: false
    }
  }
}

/// Enough for every format's windows to be used, little enough to be quick.
private let outputBytesMax = 1 << 16

private func decode(
  _ content: [UInt8], _ codings: [ContentCoding], cuts: [Int]
) throws(Violation) -> DecodedContent {
  var result = DecodedContent([], [], bytesMax: 0)
  do throws(CodingError) {
    var decoder = try ContentDecoder(codings, outputBytesMax: outputBytesMax)
    var start = 0
    for cut in cuts + [content.count] {
      let piece = Array(content[start..<cut])
      try piece.withUnsafeBufferPointer { (piece) throws(CodingError) in
        try decoder.decode(UnsafeRawBufferPointer(piece)) { result.bytes.append(contentsOf: $0) }
      }
      start = cut
    }
    result.trailingBytes = try decoder.finish().trailingBytes
  } catch {
    result.flaw = error
  }
  try require(result.bytes.count <= outputBytesMax, "\(result.bytes.count) bytes came out")
  return result
}
