/// `REDACTED-n`: what stands in a cassette instead of a secret.
package struct Placeholder: Hashable, Sendable {
  /// The largest number that is written or recognized. More digits are no placeholder, so that a
  /// text from outside can't exhaust the numbers.
  package static let numberMax: Int64 = 999_999_999
  private static let prefix = Array("REDACTED-".utf8)

  /// From 1; the same for the same secret within a recording.
  package let number: Int64

  package init(number: Int64) {
    self.number = number
  }

  /// The placeholder with exactly this text; nil for any other text (`REDACTED-01` too).
  package init?(_ text: some Collection<UInt8>) {
    guard text.count > Self.prefix.count, text.count <= Self.prefix.count + 9,
      text.starts(with: Self.prefix)
    else { return nil }
    let digits = text.dropFirst(Self.prefix.count)
    guard digits.first != 0x30, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    number = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  /// False when no placeholder stands unescaped anywhere in the text.
  static func mayOccur(in text: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index + 8 < text.count {
      if text[index] == 0x52, text[(index + 1)..<(index + 8)].elementsEqual("EDACTED".utf8) {
        return true
      }
      index += 1
    }
    return false
  }

  package var bytes: [UInt8] { Self.prefix + Array(String(number).utf8) }
}
