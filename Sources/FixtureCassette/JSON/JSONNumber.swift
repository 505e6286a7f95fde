/// The exact value of a JSON number (RFC 8259 §6): an integer without trailing zeros, times a power
/// of ten. It is never expanded and never goes through a floating-point type, so `1`, `1.0`, `1e0`
/// and `10e-1` are one value and `1e400` and `0.1` are values of their own.
struct JSONNumber {
  /// Digits of an exponent, leading zeros aside; a number with more of them has the value of its
  /// spelling, equal to no other. No real number comes near.
  static let exponentDigitsMax = 15

  /// Not for zero: `-0` is `0`.
  let isNegative: Bool
  /// From the first digit that is not zero to the last, a point between them included; empty for
  /// zero.
  let digits: UnsafeRawBufferPointer
  let exponent: Int
  /// The whole spelling, when the exponent is out of bounds.
  let spelling: UnsafeRawBufferPointer?

  /// - Parameter text: a number that a scanner has found valid.
  init(_ text: UnsafeRawBufferPointer) {
    let mantissaEnd = text.firstIndex { $0 | 0x20 == 0x65 } ?? text.count
    let start = text.first == 0x2D ? 1 : 0
    let point = text[start..<mantissaEnd].firstIndex(of: 0x2E) ?? mantissaEnd
    let isDigit = { (byte: UInt8) in byte >= 0x31 && byte <= 0x39 }
    guard let first = text[start..<mantissaEnd].firstIndex(where: isDigit),
      let last = text[start..<mantissaEnd].lastIndex(where: isDigit)
    else {
      isNegative = false
      digits = UnsafeRawBufferPointer(rebasing: text[..<0])
      exponent = 0
      spelling = nil
      return
    }
    isNegative = start == 1
    digits = UnsafeRawBufferPointer(rebasing: text[first...last])
    // Places between the last digit and the point.
    let places = last < point ? point - last - 1 : point - last
    if let written = Self.exponent(text[mantissaEnd...]) {
      exponent = written + places
      spelling = nil
    } else {
      exponent = 0
      spelling = text
    }
  }

  /// nil when it has too many digits; 0 for no exponent.
  private static func exponent(_ text: Slice<UnsafeRawBufferPointer>) -> Int? {
    let sign = text.dropFirst().first
    let digits = text.dropFirst(sign == 0x2D || sign == 0x2B ? 2 : 1).drop { $0 == 0x30 }
    guard digits.count <= exponentDigitsMax else { return nil }
    let magnitude = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return sign == 0x2D ? -magnitude : magnitude
  }

  /// Appends the text that equal values share and others do not: `-15e-1`.
  func appendCanonical(to text: inout [UInt8]) {
    if let spelling { return text.append(contentsOf: spelling) }
    guard !digits.isEmpty else { return text.append(0x30) }
    if isNegative { text.append(0x2D) }
    for digit in digits where digit != 0x2E { text.append(digit) }
    if exponent != 0 {
      text.append(0x65)
      text.append(contentsOf: String(exponent).utf8)
    }
  }

  /// Equal for equal values.
  static func hash(of text: UnsafeRawBufferPointer) -> UInt64 {
    hash(ofShort: text) ?? JSONNumber(text).hash
  }

  /// The same for up to 16 digits without an exponent, which nearly all numbers are; nil for any
  /// other.
  private static func hash(ofShort text: UnsafeRawBufferPointer) -> UInt64? {
    let isNegative = text[0] == 0x2D
    var index = isNegative ? 1 : 0
    guard text.count &- index <= 16 else { return nil }
    var word: UInt64 = 0
    var exponent = 0
    var point: Int?
    while index < text.count {
      let byte = text[index]
      if byte >= 0x30, byte <= 0x39 {
        word = word &* 10 &+ UInt64(byte &- 0x30)
      } else if byte == 0x2E {
        point = index
      } else {
        return nil
      }
      index &+= 1
    }
    guard word != 0 else { return hash(word: 0, exponent: 0, isNegative: false) }
    if let point { exponent = point &+ 1 &- text.count }
    while true {
      let (quotient, rest) = word.quotientAndRemainder(dividingBy: 10)
      guard rest == 0 else { break }
      word = quotient
      exponent &+= 1
    }
    return hash(word: word, exponent: exponent, isNegative: isNegative)
  }

  private static func hash(word: UInt64, exponent: Int, isNegative: Bool) -> UInt64 {
    let sign: UInt64 = isNegative ? 1 : 0
    let head = StableHash.mix(0x6E, UInt64(bitPattern: Int64(exponent)) &* 2 &+ sign)
    return StableHash.mix(head, word)
  }

  private var hash: UInt64 {
    if let spelling { return StableHash.value(of: spelling) }
    // Sixteen digits a step, the first step the shortest, so that up to sixteen are one.
    var hash: UInt64?
    var word: UInt64 = 0
    var left = digits.count - (digits.contains(0x2E) ? 1 : 0)
    for digit in digits where digit != 0x2E {
      word = word &* 10 &+ UInt64(digit &- 0x30)
      left -= 1
      guard left & 15 == 0 else { continue }
      hash =
        hash.map { StableHash.mix($0, word) }
        ?? Self.hash(word: word, exponent: exponent, isNegative: isNegative)
      word = 0
    }
    return hash ?? Self.hash(word: 0, exponent: 0, isNegative: false)
  }
}
