import FixtureHTTP
import FixtureReplay

extension Malformation {
  /// The bytes of a head, broken in this way.
  func applied(toHead bytes: [UInt8]) -> [UInt8] {
    guard let statusEnd = bytes.firstRange(of: Self.lineEnd) else { return bytes }
    switch self {
    case .status: return Array("HTTX 2OO".utf8) + bytes[statusEnd.lowerBound...]
    case .field:
      return bytes[..<statusEnd.upperBound] + Array("this line has no colon\r\n".utf8)
        + bytes[statusEnd.upperBound...]
    case .length:
      let name = Array("\r\nContent-Length: ".utf8)
      guard let field = Self.range(of: name, in: bytes),
        let end = bytes[field.upperBound...].firstRange(of: Self.lineEnd)
      else { return bytes }
      return bytes[..<end.lowerBound] + Array("x".utf8) + bytes[end.lowerBound...]
    case .chunk: return bytes
    }
  }

  private static let lineEnd = Array("\r\n".utf8)

  /// The first place of a text, whatever the case of its letters.
  private static func range(of text: [UInt8], in bytes: [UInt8]) -> Range<Int>? {
    guard bytes.count >= text.count else { return nil }
    for start in 0...(bytes.count - text.count)
    where bytes[start..<(start + text.count)].equalsIgnoringCase(text) {
      return start..<(start + text.count)
    }
    return nil
  }
}
