/// Reads a JSON text (RFC 8259) token by token, in place and without recursion.
///
/// Strict: what the grammar does not allow is invalid, and so are bytes that are no UTF-8 (§8.1), a
/// byte order mark, an unpaired quotation mark, anything after the value. An escaped surrogate
/// without its other half is allowed by the grammar (§8.2) and passes.
///
///     value ─▶ object ─▶ name ─▶ value … ─▶ objectEnd ─▶ … ─▶ end
package struct JSONScanner {
  /// Containers within containers; a deeper text is invalid. As deep as Foundation's parser goes.
  package static let depthMax = 512

  /// Where a string lies between its quotation marks, or a number.
  package struct Span {
    package var start = 0
    package var end = 0
    /// Whether a string holds a backslash, so that its bytes are not its text.
    package var isEscaped = false
    /// Whether a string is plain ASCII, so that its hash was made on the way.
    var isHashed = false
    /// See `JSONString.hash`.
    var hash: UInt64 = 0

    package var range: Range<Int> { start..<end }

    func bytes(in text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: text[range])
    }
  }

  package enum Token {
    case object, objectEnd, array, arrayEnd
    /// Where it lies is in `span`.
    case name, string, number
    case `true`, `false`, null
    /// The text is over and was valid.
    case end
    /// The text is no JSON; every later call gives the same.
    case invalid
  }

  private enum State {
    case value, elementOrEnd, nameOrEnd, afterValue, invalid
  }

  let bytes: UnsafeRawBufferPointer
  private(set) var position = 0
  private(set) var depth = 0
  /// Of the last name, string or number. Apart from the tokens, which are handed on all the time.
  package private(set) var span = Span()
  private var state = State.value
  /// Of each open container whether it is an object, a bit each.
  private var objects = SIMD8<UInt64>()

  /// - Parameter bytes: must stay valid while the scanner is used.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  package mutating func next() -> Token {
    skipWhitespace()
    guard position < bytes.count else {
      return state == .afterValue && depth == 0 ? .end : fail()
    }
    let byte = bytes[position]
    switch state {
    case .value: return value(byte)
    case .elementOrEnd: return byte == 0x5D ? close() : value(byte)
    case .nameOrEnd: return byte == 0x7D ? close() : name(byte)
    case .afterValue: return afterValue(byte)
    case .invalid: return .invalid
    }
  }

  /// Passes over the value that comes next, with all it holds.
  /// - Returns: whether it was valid.
  package mutating func skipValue() -> Bool {
    switch next() {
    case .object, .array: skipContainer()
    case .end, .invalid, .objectEnd, .arrayEnd, .name: false
    case .string, .number, .true, .false, .null: true
    }
  }

  /// Passes over the rest of the container that has just begun.
  /// - Returns: whether it was valid.
  package mutating func skipContainer() -> Bool {
    let outside = depth - 1
    while depth > outside {
      if case .invalid = next() { return false }
    }
    return true
  }

  @inline(__always)
  private mutating func afterValue(_ byte: UInt8) -> Token {
    guard depth > 0 else { return fail() }
    if byte == 0x2C {
      position &+= 1
      skipWhitespace()
      guard position < bytes.count else { return fail() }
      return isInObject ? name(bytes[position]) : value(bytes[position])
    }
    return byte == (isInObject ? 0x7D : 0x5D) ? close() : fail()
  }

  private mutating func value(_ byte: UInt8) -> Token {
    state = .afterValue
    switch byte {
    case 0x22: return string() ? .string : fail()
    case 0x7B: return open(isObject: true)
    case 0x5B: return open(isObject: false)
    case 0x2D, 0x30...0x39: return number() ? .number : fail()
    case 0x74: return literal("true") ? .true : fail()
    case 0x66: return literal("false") ? .false : fail()
    case 0x6E: return literal("null") ? .null : fail()
    default: return fail()
    }
  }

  private mutating func name(_ byte: UInt8) -> Token {
    guard byte == 0x22, string() else { return fail() }
    skipWhitespace()
    guard position < bytes.count, bytes[position] == 0x3A else { return fail() }
    position += 1
    state = .value
    return .name
  }

  private mutating func open(isObject: Bool) -> Token {
    guard depth < Self.depthMax else { return fail() }
    let bit = UInt64(1) << UInt64(depth & 63)
    if isObject { objects[depth >> 6] |= bit } else { objects[depth >> 6] &= ~bit }
    depth += 1
    position += 1
    state = isObject ? .nameOrEnd : .elementOrEnd
    return isObject ? .object : .array
  }

  private mutating func close() -> Token {
    let isObject = isInObject
    depth -= 1
    position += 1
    state = .afterValue
    return isObject ? .objectEnd : .arrayEnd
  }

  @inline(__always)
  private var isInObject: Bool {
    objects[(depth - 1) >> 6] & (1 << UInt64((depth - 1) & 63)) != 0
  }

  private mutating func fail() -> Token {
    state = .invalid
    position = bytes.count
    return .invalid
  }

  @inline(__always)
  private mutating func skipWhitespace() {
    var index = position
    while index < bytes.count {
      let byte = bytes[index]
      guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else {
        break
      }
      index &+= 1
    }
    position = index
  }

  private mutating func literal(_ text: StaticString) -> Bool {
    let end = position + text.utf8CodeUnitCount
    guard end <= bytes.count else { return false }
    for index in position..<end where bytes[index] != text.utf8Start[index - position] {
      return false
    }
    position = end
    return true
  }
}

extension JSONScanner {
  /// `number` (RFC 8259 §6): no leading zeros, digits on both sides of the point.
  private mutating func number() -> Bool {
    let start = position
    if bytes[position] == 0x2D { position += 1 }
    let integer = position
    guard skipDigits(), bytes[integer] != 0x30 || position == integer + 1 else { return false }
    if position < bytes.count, bytes[position] == 0x2E {
      position += 1
      guard skipDigits() else { return false }
    }
    if position < bytes.count, bytes[position] | 0x20 == 0x65 {
      position += 1
      if position < bytes.count, bytes[position] == 0x2B || bytes[position] == 0x2D {
        position += 1
      }
      guard skipDigits() else { return false }
    }
    span.start = start
    span.end = position
    return true
  }

  /// - Returns: whether there was a digit.
  @inline(__always)
  private mutating func skipDigits() -> Bool {
    var index = position
    while index < bytes.count, bytes[index] &- 0x30 <= 9 { index &+= 1 }
    defer { position = index }
    return index > position
  }

  /// `string` (RFC 8259 §7), from its opening quotation mark.
  ///
  /// Plain ASCII is passed over and hashed eight bytes a step. Anything else is looked at.
  private mutating func string() -> Bool {
    let start = position &+ 1
    var index = start
    var hash: UInt64 = 0
    while index &+ 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let marks = Self.marks(word)
      if marks == 0 {
        hash = StableHash.mix(hash, word)
        index &+= 8
        continue
      }
      let bits = UInt64(marks.trailingZeroBitCount) & ~7
      index &+= Int(bits >> 3)
      guard bytes[index] == 0x22 else { break }
      position = index &+ 1
      span.start = start
      span.end = index
      span.isEscaped = false
      span.isHashed = true
      span.hash = JSONString.hash(
        hash, rest: word & ((1 &<< bits) &- 1), count: index &- start)
      return true
    }
    return string(from: start, at: index)
  }

  /// The high bit of each byte that is a quotation mark, a backslash, a control character or no
  /// ASCII; bytes above the first one found may be marked in error, which nobody looks at.
  @inline(__always)
  private static func marks(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let found =
      ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
      | ((word &- (ones &* 0x20)) & ~word) | word
    return found & (ones &* 0x80)
  }

  /// The rest of a string that is not plain ASCII, or lies at the end of the text.
  private mutating func string(from start: Int, at position: Int) -> Bool {
    var index = position
    var isEscaped = false
    while index < bytes.count {
      switch bytes[index] {
      case 0x22:
        self.position = index &+ 1
        span = Span(start: start, end: index, isEscaped: isEscaped)
        return true
      case 0x5C:
        guard let length = JSONString.escapeLength(in: bytes, at: index) else { return false }
        isEscaped = true
        index &+= length
      case 0x80...0xFF:
        guard let length = JSONString.scalarLength(in: bytes, at: index) else { return false }
        index &+= length
      case 0x00...0x1F: return false
      default: index &+= 1
      }
    }
    return false
  }
}
