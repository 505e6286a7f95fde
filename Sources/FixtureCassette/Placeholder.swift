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

  /// The placeholder with exactly this text, or in a token that was made for it; nil for any other
  /// text (`REDACTED-01` too).
  package init?(_ text: some BidirectionalCollection<UInt8>) {
    if let plain = Placeholder(plain: text) {
      self = plain
    } else if let found = JSONWebToken.placeholder(in: text) {
      self = found
    } else {
      return nil
    }
  }

  init?(plain text: some Collection<UInt8>) {
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

  /// What stands for any placeholder where texts are compared or shown.
  static let anonymous = Array("REDACTED".utf8)

  /// The text with every placeholder, and every token that holds one, as an anonymous one; nil when
  /// there is none.
  static func withoutNumbers(_ text: [UInt8]) -> [UInt8]? {
    let places = places(in: text)
    guard !places.isEmpty else { return nil }
    var result: [UInt8] = []
    var kept = 0
    for place in places {
      var start = place.range.lowerBound
      var end = place.range.upperBound
      if start > kept, text[start - 1] == 0x2E {
        while start > kept, text[start - 1] == 0x2E || Base64Text.isURLCharacter(text[start - 1]) {
          start -= 1
        }
        if end < text.count, text[end] == 0x5F { end += 1 }
      }
      result += text[kept..<start]
      result += anonymous
      kept = end
    }
    return result + text[kept...]
  }

  package var bytes: [UInt8] { Self.prefix + Array(String(number).utf8) }
}
