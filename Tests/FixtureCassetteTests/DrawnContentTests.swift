import FixtureHTTP
import Testing

@testable import FixtureCassette

/// Contents drawn as values and spelled in many ways: equal by the rule of their kind exactly when
/// their keys are equal.
@Suite struct `Drawn content` {
  @Test func `JSON has one key for all spellings of a value, and another for another value`() throws
  {
    var draw = Draw(state: 11)
    let keyed = Keyed()
    var values: [DrawnJSON] = []
    var keys: [[UInt8]] = []
    for _ in 0..<150 {
      let value = DrawnJSON(&draw, depth: 4)
      let spelling = value.spelled(&draw)
      for _ in 0..<3 {
        let other = value.spelled(&draw)
        try #require(
          try keyed.same(spelling, .json, other, .json),
          "\(String(decoding: spelling, as: UTF8.self)) \(String(decoding: other, as: UTF8.self))")
      }
      let changed = value.changed(&draw)
      let changedSpelling = changed.spelled(&draw)
      try #require(
        try keyed.same(spelling, .json, changedSpelling, .json) == (value == changed),
        "\(String(decoding: spelling, as: UTF8.self)) \(String(decoding: changedSpelling, as: UTF8.self))"
      )
      values.append(value)
      keys.append(try #require(keyed(spelling, .json)))
    }
    for (left, leftKey) in zip(values, keys) {
      let wrong = zip(values, keys).filter { ($0 == left) != ($1 == leftKey) }
      try #require(wrong.isEmpty)
    }
  }

  @Test func `forms have one key exactly when each name has the same values in order`() throws {
    var draw = Draw(state: 12)
    let keyed = Keyed()
    let texts = ["", "a", "b", "ab", "a b", "=", "&", "é", "+", "%41", "a[]"].map { Array($0.utf8) }
    for _ in 0..<1000 {
      let pairs = (0..<draw.next(5)).map { _ in
        (name: draw.element(of: texts), value: draw.element(of: texts))
      }
      var others = draw.shuffled(pairs)
      if draw.next(3) == 0, !others.isEmpty {
        others[draw.next(others.count)].value = draw.element(of: texts)
      }
      func values(_ pairs: [(name: [UInt8], value: [UInt8])]) -> [[UInt8]: [[UInt8]]] {
        Dictionary(grouping: pairs, by: \.name).mapValues { $0.map(\.value) }
      }
      func spelled(_ pairs: [(name: [UInt8], value: [UInt8])]) -> [UInt8] {
        Array(
          pairs.map { form($0.name, &draw) + [0x3D] + form($0.value, &draw) }.joined(separator: [
            0x26
          ]))
      }
      let (left, right) = (spelled(pairs), spelled(others))
      try #require(
        try keyed.same(left, .form, right, .form) == (values(pairs) == values(others)),
        "\(String(decoding: left, as: UTF8.self)) \(String(decoding: right, as: UTF8.self))")
    }
  }

  /// Form-encoded, with more escapes than are needed now and then.
  private func form(_ text: [UInt8], _ draw: inout Draw) -> [UInt8] {
    text.flatMap { byte -> [UInt8] in
      if byte == 0x20, draw.next(2) == 0 { return [0x2B] }
      let isLetter = (0x61...0x7A).contains(byte)
      if isLetter, draw.next(4) > 0 { return [byte] }
      let digits = Array((draw.next(2) == 0 ? "0123456789abcdef" : "0123456789ABCDEF").utf8)
      return [0x25, digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
    }
  }

  @Test func `multipart has one key exactly when its parts are the same`() throws {
    var draw = Draw(state: 13)
    let keyed = Keyed()
    for _ in 0..<600 {
      let parts = (0..<draw.next(4)).map { _ in DrawnPart(&draw) }
      var others = parts
      if draw.next(2) == 0, !others.isEmpty {
        others[draw.next(others.count)] = DrawnPart(&draw)
      } else if draw.next(3) == 0 {
        others = draw.shuffled(others)
      }
      let left = DrawnPart.content(of: parts, &draw)
      let right = DrawnPart.content(of: others, &draw)
      try #require(
        try keyed.same(left.content, left.kind, right.content, right.kind) == (parts == others),
        "\(String(decoding: left.content, as: UTF8.self)) \(String(decoding: right.content, as: UTF8.self))"
      )
    }
  }

  @Test func `no bytes are a problem`() {
    var draw = Draw(state: 14)
    let keyed = Keyed(ignoring: "/a", "/0/b")
    let pieces =
      [
        "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u00e9", "\\ud83d", "a", "b", "0", "-", ".",
        "e", "1", " ",
        "true", "null", "--B", "--B--", "\r\n", "\r", "\n",
        "Content-Disposition: form-data; name=a",
        "Content-Type: application/json", "&", "=", "%", "%41", "é",
      ].map { Array($0.utf8) } + [[0xFF], [0x00]]
    for _ in 0..<4000 {
      let content = (0..<draw.next(12)).flatMap { _ in draw.element(of: pieces) }
      for kind in [.json, .form, .multipart(boundary: [0x42]), .bytes] as [ContentKind] {
        guard (keyed(content, kind) == nil) != (keyed.fingerprint(content, kind) == nil) else {
          continue
        }
        Issue.record("only one of them for \(content)")
      }
    }
  }
}

/// A JSON value whose numbers are integers times powers of ten.
indirect enum DrawnJSON: Equatable {
  case literal(String)
  case number(mantissa: Int, exponent: Int)
  case string(String)
  case array([DrawnJSON])
  case object([(name: String, value: DrawnJSON)])

  static func == (left: DrawnJSON, right: DrawnJSON) -> Bool {
    switch (left, right) {
    case (.literal(let left), .literal(let right)): left == right
    case (
      .number(let leftMantissa, let leftExponent), .number(let rightMantissa, let rightExponent)
    ):
      leftMantissa == rightMantissa && (leftMantissa == 0 || leftExponent == rightExponent)
    case (.string(let left), .string(let right)):
      left.unicodeScalars.elementsEqual(right.unicodeScalars)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): byName(left) == byName(right)
    default: false
    }
  }

  private static func byName(
    _ members: [(name: String, value: DrawnJSON)]
  ) -> [[UInt8]: [DrawnJSON]] {
    Dictionary(grouping: members, by: { Array($0.name.utf8) }).mapValues { $0.map(\.value) }
  }

  private static let texts = [
    "", "a", "b", "ab", "a\"b", "\\", "/", "é", "e\u{301}", "😀", "\n", "1",
    "long enough to be read by words",
  ]

  init(_ draw: inout Draw, depth: Int) {
    switch draw.next(depth > 0 ? 7 : 4) {
    case 0: self = .literal(draw.element(of: ["true", "false", "null"]))
    case 1, 2:
      var mantissa = draw.next(2000) - 1000
      while mantissa != 0, mantissa % 10 == 0 { mantissa /= 10 }
      self = .number(mantissa: mantissa, exponent: draw.next(9) - 4)
    case 3: self = .string(draw.element(of: Self.texts))
    case 4: self = .array((0..<draw.next(4)).map { _ in DrawnJSON(&draw, depth: depth - 1) })
    default:
      self = .object(
        (0..<draw.next(5)).map { _ in
          (draw.element(of: Self.texts), DrawnJSON(&draw, depth: depth - 1))
        })
    }
  }

  /// Something in it drawn anew, which may give the same value again.
  func changed(_ draw: inout Draw) -> DrawnJSON {
    switch self {
    case .array(var elements) where !elements.isEmpty && draw.next(4) > 0:
      let index = draw.next(elements.count)
      elements[index] = elements[index].changed(&draw)
      return .array(elements)
    case .object(var members) where !members.isEmpty && draw.next(4) > 0:
      let index = draw.next(members.count)
      members[index].value = members[index].value.changed(&draw)
      return .object(members)
    default: return DrawnJSON(&draw, depth: 1)
    }
  }

  /// One of its many spellings.
  func spelled(_ draw: inout Draw) -> [UInt8] {
    let space = draw.element(of: ["", "", " ", "\n  ", "\t\r"])
    let text: [UInt8]
    switch self {
    case .literal(let word): text = Array(word.utf8)
    case .number(let mantissa, let exponent): text = Self.number(mantissa, exponent, &draw)
    case .string(let string): text = Self.string(string, &draw)
    case .array(let elements):
      text =
        [0x5B] + Array(elements.map { $0.spelled(&draw) }.joined(separator: [0x2C]))
        + Array(space.utf8) + [0x5D]
    case .object(let members):
      let spelled = Self.reordered(members, &draw).map { member in
        Array(space.utf8) + Self.string(member.name, &draw) + Array("\(space):".utf8)
          + member.value.spelled(&draw)
      }
      text = [0x7B] + Array(spelled.joined(separator: [0x2C])) + Array("\(space)}".utf8)
    }
    return Array(space.utf8) + text + Array(space.utf8)
  }

  /// Another order of different names.
  private static func reordered(
    _ members: [(name: String, value: DrawnJSON)], _ draw: inout Draw
  ) -> [(name: String, value: DrawnJSON)] {
    var rest = byName(members)
    return draw.shuffled(members).map { member in
      (member.name, rest[Array(member.name.utf8)]!.removeFirst())
    }
  }

  private static func number(_ mantissa: Int, _ exponent: Int, _ draw: inout Draw) -> [UInt8] {
    let sign = mantissa < 0 || (mantissa == 0 && draw.next(2) == 0) ? "-" : ""
    // Zeros after the digits, and the point somewhere among them.
    let digits = String(mantissa.magnitude) + String(repeating: "0", count: draw.next(3))
    let zeros = digits.count - String(mantissa.magnitude).count
    let places = draw.next(digits.count + 2)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    let integer = padded.dropLast(places)
    let fraction = padded.suffix(places)
    let written = exponent - zeros + places
    var text = sign + (integer.allSatisfy { $0 == "0" } ? "0" : String(integer.drop { $0 == "0" }))
    if places > 0 { text += ".\(fraction)" }
    if written != 0 || draw.next(2) == 0 {
      text +=
        draw.element(of: ["e", "E"]) + (written < 0 ? "-" : draw.element(of: ["", "+"]))
        + String(repeating: "0", count: draw.next(3)) + String(written.magnitude)
    }
    return Array(text.utf8)
  }

  private static func string(_ string: String, _ draw: inout Draw) -> [UInt8] {
    let short = ["\"": "\\\"", "\\": "\\\\", "/": "\\/", "\n": "\\n"]
    var text = "\""
    for scalar in string.unicodeScalars {
      let mustEscape = scalar == "\"" || scalar == "\\" || scalar.value < 0x20
      switch draw.next(mustEscape ? 2 : 4) {
      case 0:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16, uppercase: draw.next(2) == 0)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      case 1 where short[String(scalar)] != nil: text += short[String(scalar)]!
      default: text += String(scalar)
      }
    }
    return Array((text + "\"").utf8)
  }
}

/// A part of a multipart content.
struct DrawnPart: Equatable {
  let name: String?
  let fileName: String?
  let type: String
  let content: String

  init(_ draw: inout Draw) {
    name = draw.element(of: [nil, "n", "m", "n m"])
    fileName = name == nil ? nil : draw.element(of: [nil, nil, "f.txt"])
    type = draw.element(of: ["text/plain", "text/plain", "image/png"])
    content = draw.element(of: ["", "x", "\r\n", "\r\n\r\nx", "--", "--B", "x--BB y"])
  }

  /// The parts with a drawn boundary that stands in no content.
  static func content(
    of parts: [DrawnPart], _ draw: inout Draw
  ) -> (content: [UInt8], kind: ContentKind) {
    let boundary = draw.element(of: ["BB", "XyZ", "b b", "----W"])
    var text = parts.isEmpty ? "" : draw.element(of: ["", "preamble\r\n"])
    for part in parts { text += "--\(boundary)\r\n" + part.spelled(&draw) + "\r\n" }
    text += "--\(boundary)--" + draw.element(of: ["", "\r\n", "\r\nepilogue"])
    return (Array(text.utf8), .multipart(boundary: Array(boundary.utf8)))
  }

  private func spelled(_ draw: inout Draw) -> String {
    var lines: [String] = []
    if type != "text/plain" || draw.next(2) == 0 { lines.append("Content-Type: \(type)") }
    if let name {
      let quoted = name.contains(" ") || draw.next(2) == 0 ? "\"\(name)\"" : name
      lines.append(
        draw.element(of: ["Content-Disposition", "content-disposition"])
          + ": form-data; name=\(quoted)" + (fileName.map { "; filename=\"\($0)\"" } ?? ""))
    }
    if draw.next(3) == 0 { lines.append("Content-Length: 7") }
    return draw.shuffled(lines).map { $0 + "\r\n" }.joined() + "\r\n" + content
  }
}
