/// The base64 encoding with padding (RFC 4648 §4).
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits: UInt32 = 0
      for offset in 0..<3 {
        bits = bits << 8 | (offset < group.count ? UInt32(group[start + offset]) : 0)
      }
      // A group of n bytes has n + 1 digits; the rest is padding.
      for digit in 0..<4 {
        let value = Int(bits >> UInt32(18 - 6 * digit)) & 0x3F
        result.append(digit <= group.count ? alphabet[value] : UInt8(ascii: "="))
      }
    }
    return result
  }
}
