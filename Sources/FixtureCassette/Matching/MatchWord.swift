import FixtureHTTP

/// One word of `--match`.
enum MatchWord: Equatable {
  case method, path, query, content, authority
  /// The decoded name.
  case queryIgnore([UInt8])
  /// The name in lower case.
  case header([UInt8])
  case contentIgnore(JSONPointer)

  enum Sign {
    case plus, minus
  }

  /// A word with its sign; nil for a word of a list.
  struct Change: Equatable {
    let sign: Sign?
    let word: MatchWord
  }

  /// Every kind as it is written, with what it needs after its colon.
  private static let spellings = [
    "method", "path", "query", "query-ignore:NAME", "header:NAME", "content",
    "content-ignore:/POINTER", "authority",
  ]

  /// The words of a list, in order.
  static func parse(_ text: String) throws(MatchOptionsError) -> [Change] {
    var changes: [Change] = []
    for piece in pieces(of: Array(text.utf8)) {
      changes.append(try change(piece.bytes, at: piece.position))
    }
    return changes
  }

  /// What stands between commas, without white space around it and with escapes resolved.
  private static func pieces(of text: [UInt8]) -> [(bytes: [UInt8], position: Int)] {
    var pieces: [(bytes: [UInt8], position: Int)] = []
    var bytes: [UInt8] = []
    var start: Int?
    var index = 0
    while index < text.count {
      if text[index] == 0x2C {
        pieces.append((bytes.trimmed, (start ?? index) + 1))
        bytes = []
        start = nil
      } else if text[index] == 0x5C, index + 1 < text.count,
        text[index + 1] == 0x2C || text[index + 1] == 0x5C
      {
        start = start ?? index
        index += 1
        bytes.append(text[index])
      } else if start != nil || !text[index].isOptionalWhitespace {
        start = start ?? index
        bytes.append(text[index])
      }
      index += 1
    }
    return pieces + [(bytes.trimmed, (start ?? text.count) + 1)]
  }

  private static func change(
    _ bytes: [UInt8], at position: Int
  ) throws(MatchOptionsError) -> Change {
    let sign: Sign? =
      switch bytes.first {
      case 0x2B: .plus
      case 0x2D: .minus
      default: nil
      }
    let word = sign == nil ? bytes[...] : bytes.dropFirst()
    let wordPosition = position + (sign == nil ? 0 : 1)
    return Change(sign: sign, word: try Self(word, at: wordPosition))
  }

  private init(_ bytes: ArraySlice<UInt8>, at position: Int) throws(MatchOptionsError) {
    let colon = bytes.firstIndex(of: 0x3A)
    let kind = String(decoding: bytes[..<(colon ?? bytes.endIndex)], as: UTF8.self)
    let name = colon.map { bytes[($0 + 1)...] }
    func error(_ problem: MatchOptionsError.Problem) -> MatchOptionsError {
      MatchOptionsError(problem, position: position)
    }
    switch kind {
    case "method", "path", "query", "content", "authority":
      if name != nil { throw error(.nameUnexpected(kind)) }
    case "query-ignore", "header", "content-ignore":
      if name?.isEmpty ?? true { throw error(.nameMissing(kind)) }
    case "" where name == nil: throw error(.wordMissing)
    default:
      let kinds = Self.spellings.map { String($0.prefix { $0 != ":" }) }
      throw error(.wordUnknown(kind, nearest: EditDistance.nearest(to: kind, in: kinds)))
    }
    switch kind {
    case "method": self = .method
    case "path": self = .path
    case "query": self = .query
    case "content": self = .content
    case "authority": self = .authority
    case "query-ignore": self = .queryIgnore(Array(name ?? []))
    case "header":
      let name = (name ?? []).map(\.asciiLowercased)
      guard name.allSatisfy(\.isTokenCharacter) else { throw error(.fieldNameInvalid(name)) }
      self = .header(name)
    default:
      guard let place = JSONPointer(name ?? []) else {
        throw error(.pointerInvalid(Array(name ?? [])))
      }
      self = .contentIgnore(place)
    }
  }

  var text: String {
    switch self {
    case .method: "method"
    case .path: "path"
    case .query: "query"
    case .content: "content"
    case .authority: "authority"
    case .queryIgnore(let name): "query-ignore:" + Self.escaped(name)
    case .header(let name): "header:" + Self.escaped(name)
    case .contentIgnore(let place): "content-ignore:" + Self.escaped(place.text)
    }
  }

  private static func escaped(_ name: [UInt8]) -> String {
    String(
      decoding: name.flatMap { $0 == 0x2C || $0 == 0x5C ? [0x5C, $0] : [$0] }, as: UTF8.self)
  }

  static var list: String { spellings.joined(separator: ", ") }
}

/// Why words of `--match` can't be followed.
package struct MatchOptionsError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Problem: Equatable, Sendable {
    case wordMissing
    case wordUnknown(String, nearest: String?)
    /// A kind that needs a name after its colon.
    case nameMissing(String)
    /// One that takes none.
    case nameUnexpected(String)
    case fieldNameInvalid([UInt8])
    case pointerInvalid([UInt8])
  }

  package let problem: Problem
  /// Of the word in the text, in bytes from 1.
  package let position: Int

  package init(_ problem: Problem, position: Int) {
    self.problem = problem
    self.position = position
  }

  /// What is wrong, where, and what is expected.
  package var description: String {
    switch problem {
    case .wordMissing: "a word is missing at \(position), expected one of \(MatchWord.list)"
    case .wordUnknown(let word, let nearest?):
      "there is no \(quoted(word)) at \(position), did you mean \(nearest)?"
    case .wordUnknown(let word, nil):
      "there is no \(quoted(word)) at \(position), expected one of \(MatchWord.list)"
    case .nameMissing(let kind):
      "\(kind) at \(position) has no name, expected \(kind):\(kind == "content-ignore" ? "/POINTER" : "NAME")"
    case .nameUnexpected(let kind): "\(kind) at \(position) takes no name, expected \(kind) alone"
    case .fieldNameInvalid(let name):
      "\(quoted(String(decoding: name, as: UTF8.self))) at \(position) is not a field name"
    case .pointerInvalid(let text):
      "\(quoted(String(decoding: text, as: UTF8.self))) at \(position) is not a JSON pointer, "
        + "expected / before each name, ~0 for ~ and ~1 for /, as in /items/0/id"
    }
  }

  private func quoted(_ text: String) -> String { "\"\(Self.printable(text))\"" }

  /// Control characters are of no use here and harm to a terminal.
  static func printable(_ text: String) -> String {
    text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }.joined()
  }
}

extension [UInt8] {
  fileprivate var trimmed: [UInt8] { Array(trimmingOptionalWhitespace) }
}
