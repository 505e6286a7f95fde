import FixtureHTTP

/// Base64 (RFC 4648 §4, §5) in memory.
package enum Base64Text {
  package enum Alphabet {
    /// With padding.
    case standard
    /// For URLs, without padding, as JSON Web Tokens have it (RFC 7515 §2).
    case url
  }

  package static func encoded(_ bytes: [UInt8], alphabet: Alphabet) -> [UInt8] {
    let characters = alphabet == .standard ? standard : url
    var result: [UInt8] = []
    result.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits: UInt32 = 0
      for index in 0..<3 {
        bits = bits << 8 | UInt32(start + index < group.endIndex ? group[start + index] : 0)
      }
      for index in 0...group.count { result.append(characters[Int(bits >> (18 - index * 6) & 63)]) }
      if alphabet == .standard {
        result += [UInt8](repeating: 0x3D, count: 3 - group.count)
      }
    }
    return result
  }

  /// Either alphabet, with padding or without.
  /// - Returns: nil when a character is in neither, or one is left over.
  package static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count * 3 / 4)
    var bits: UInt32 = 0
    var count = 0
    for character in text {
      if character == 0x3D { break }
      guard let value = value(of: character) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 1
      if count & 3 == 0 {
        result += [UInt8(bits >> 16 & 0xFF), UInt8(bits >> 8 & 0xFF), UInt8(bits & 0xFF)]
        bits = 0
      }
    }
    switch count & 3 {
    case 0: break
    case 1: return nil
    case 2: result.append(UInt8(bits >> 4 & 0xFF))
    default: result += [UInt8(bits >> 10 & 0xFF), UInt8(bits >> 2 & 0xFF)]
    }
    return result
  }

  package static func isCharacter(_ byte: UInt8) -> Bool { value(of: byte) != nil }

  /// Of the alphabet for URLs.
  static func isURLCharacter(_ byte: UInt8) -> Bool {
    byte != 0x2B && byte != 0x2F && isCharacter(byte)
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case 0x41...0x5A: character - 0x41
    case 0x61...0x7A: character - 0x61 + 26
    case 0x30...0x39: character - 0x30 + 52
    case 0x2B, 0x2D: 62
    case 0x2F, 0x5F: 63
    default: nil
    }
  }

  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  private static let standard = Array("\(letters)+/".utf8)
  private static let url = Array("\(letters)-_".utf8)
}
