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

  /// False when no placeholder stands unescaped anywhere in the text, nor what is left of one.
  static func mayOccur(in text: UnsafeRawBufferPointer) -> Bool {
    // Eight places a step: most texts hold no `R` at all, and all of them are asked.
    var index = 0
    while index + 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if Self.holdsInitial(word), occurs(in: text, from: index, to: index + 7) { return true }
      index += 8
    }
    return false
  }

  /// Whether one begins at one of these places.
  private static func occurs(
    in text: UnsafeRawBufferPointer, from first: Int, to last: Int
  ) -> Bool {
    let name = UInt64(littleEndian: 0x4445_5443_4144_4552)
    var index = first
    while index <= min(last, text.count - 8) {
      if text.loadUnaligned(fromByteOffset: index, as: UInt64.self) == name { return true }
      index += 1
    }
    return false
  }

  /// Whether one of eight bytes is an `R`.
  private static func holdsInitial(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let others = word ^ (ones &* 0x52)
    return (others &- ones) & ~others & (ones << 7) != 0
  }

  /// A longer one is none.
  static let bytesMax = prefix.count + 9

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
      let range = JSONWebToken.range(around: place.range, in: text, from: kept)
      let (start, end) = (range.lowerBound, range.upperBound)
      result += text[kept..<start]
      result += anonymous
      kept = end
    }
    return result + text[kept...]
  }

  /// The placeholders in a text, and nil for each that is anonymous, in order: as many for texts
  /// that are equal without numbers.
  static func marks(in text: [UInt8]) -> [Placeholder?] {
    guard text.withUnsafeBytes({ mayOccur(in: $0) }) else { return [] }
    var numbers = places(in: text)[...]
    var marks: [Placeholder?] = []
    var index = 0
    while index + anonymous.count <= text.count {
      guard text[index] == 0x52, text[index...].starts(with: anonymous) else {
        index += 1
        continue
      }
      if let place = numbers.first, place.range.lowerBound == index {
        marks.append(Placeholder(number: place.number))
        numbers.removeFirst()
      } else {
        marks.append(nil)
      }
      index += anonymous.count
    }
    return marks
  }

  /// Whether a recorded text is what was asked for: where that has a placeholder with a number, the
  /// recorded one has the same.
  static func isText(_ recorded: [UInt8], sameAs asked: [UInt8]) -> Bool {
    if recorded == asked { return true }
    guard let plain = withoutNumbers(recorded) else { return false }
    return plain == withoutNumbers(asked) ?? asked
      && MatchKeys.placeholders(marks(in: asked), agreeWith: marks(in: recorded))
  }

  package var bytes: [UInt8] { Self.prefix + Array(String(number).utf8) }
}
