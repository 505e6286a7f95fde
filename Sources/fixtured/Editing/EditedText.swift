import FixtureCassette
import FixtureHTTP

/// What came back from the editor.
struct EditedText: Equatable {
  var request: RequestHead
  /// nil when it was not changed.
  var requestContent: [UInt8]?
  var response: ResponseHead?
  var responseContent: [UInt8]?

  /// Where it can't be understood.
  struct Problem: Error, Equatable {
    /// Counted from 1.
    let line: Int
    let reason: String
  }

  /// - Returns: nil when nothing was changed: the text is as it was, or empty.
  /// - Throws: the first thing that is wrong.
  static func parse(
    _ bytes: [UInt8], against original: EditableText
  ) throws(Problem) -> EditedText? {
    let shown = original.bytes
    let text = try withoutHabits(of: bytes, shown)
    if text.allSatisfy({ $0 <= 0x20 }) || text == shown { return nil }
    var parser = Parser(text, original)
    return try parser.parse()
  }

  /// Without what some editors do to any text: a byte order mark before it, and CR LF at the end of
  /// each line, also of those that we wrote with LF.
  private static func withoutHabits(
    of bytes: [UInt8], _ shown: [UInt8]
  ) throws(Problem) -> [UInt8] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
    let breaks = text.indices.filter { text[$0] == 0x0A }
    guard !breaks.isEmpty, breaks.allSatisfy({ $0 > 0 && text[$0 - 1] == 0x0D }) else {
      return text
    }
    guard !shown.contains(0x0D) else {
      throw Problem(
        line: 1,
        reason: "the editor ends every line with CR LF now, and which ones did before is lost: "
          + "keep the ends of lines as they are")
    }
    let added = Set(breaks.map { $0 - 1 })
    return text.indices.filter { !added.contains($0) }.map { text[$0] }
  }
}

extension EditedText {
  private struct Parser {
    private let bytes: [UInt8]
    private let original: EditableText
    /// Where the next line starts, and its number.
    private var position = 0
    private var number = 0

    init(_ bytes: [UInt8], _ original: EditableText) {
      self.bytes = bytes
      self.original = original
    }

    mutating func parse() throws(Problem) -> EditedText {
      _ = try part(upTo: .request, isFirst: true)
      var edited = EditedText(request: original.request)
      edited.request = try request(part(upTo: .requestContent))
      let isWhole = original.response != nil
      edited.requestContent = try content(
        part(upTo: isWhole ? .response : .end), original.requestContent)
      guard isWhole else { return edited }
      edited.response = try response(part(upTo: .responseContent))
      edited.responseContent = try content(part(upTo: .end), original.responseContent)
      return edited
    }

    /// A part's lines, without the mark that ends it.
    private struct Lines {
      /// Of the first line.
      var number: Int
      var range: Range<Int>
    }

    /// Reads up to the mark that begins a part, and over it.
    private mutating func part(
      upTo next: EditableText.Part, isFirst: Bool = false
    ) throws(Problem) -> Lines {
      let first = number + 1
      let start = position
      while let line = nextLine() {
        guard line.starts(with: original.mark + [0x20]) else {
          if isFirst, !line.allSatisfy({ $0 <= 0x20 }), line.first != 0x23 {
            throw Problem(line: number, reason: "only lines that begin with # stand here")
          }
          continue
        }
        let words = String(decoding: line.dropFirst(original.mark.count + 1), as: UTF8.self)
        let name = words.prefix { $0 != "," && $0 != "\r" }
        guard name == next.rawValue else {
          throw Problem(line: number, reason: "expected the line \(text(next)) before this one")
        }
        return Lines(number: first, range: start..<line.startIndex)
      }
      throw Problem(line: number + 1, reason: "the line \(text(next)) is missing")
    }

    private func text(_ part: EditableText.Part) -> String {
      "\"\(String(decoding: original.mark, as: UTF8.self)) \(part.rawValue)\""
    }

    private mutating func nextLine() -> ArraySlice<UInt8>? {
      guard position < bytes.count else { return nil }
      let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
      defer {
        position = min(end + 1, bytes.count)
        number += 1
      }
      return bytes[position..<end]
    }

    private func content(
      _ lines: Lines, _ content: EditableContent
    ) throws(Problem) -> [UInt8]? {
      // The last newline belongs to the mark.
      let text = Array(bytes[lines.range].dropLast())
      guard let changed = content.changed(to: text) else { return nil }
      if content.isJSON, !text.isEmpty, let offset = JSONScanner.firstError(in: text) {
        let before = text[..<offset]
        let line = before.count { $0 == 0x0A }
        let column = offset - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0)
        throw Problem(
          line: lines.number + line, reason: "column \(column + 1): this is no JSON any more")
      }
      return changed
    }

    /// The lines of a head with their numbers, empty ones left out.
    private func head(_ lines: Lines) -> [(number: Int, line: ArraySlice<UInt8>)] {
      var result: [(Int, ArraySlice<UInt8>)] = []
      let parts = bytes[lines.range].split(separator: 0x0A, omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() {
        let line = part.last == 0x0D ? part.dropLast() : part
        if !line.allSatisfy(\.isOptionalWhitespace) { result.append((lines.number + index, line)) }
      }
      return result
    }

    private func request(_ lines: Lines) throws(Problem) -> RequestHead {
      let head = head(lines)
      guard let first = head.first else {
        throw Problem(line: lines.number, reason: "expected a request line, METHOD TARGET HTTP/1.1")
      }
      let words = first.line.split(separator: 0x20, omittingEmptySubsequences: false)
      guard words.count == 3, words[0].allSatisfy(\.isTokenCharacter), !words[0].isEmpty,
        !words[1].isEmpty, words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
        let version = HTTPVersion(words[2])
      else {
        throw Problem(line: first.number, reason: "expected METHOD TARGET HTTP/1.1")
      }
      return RequestHead(
        method: Method(words[0]), target: Array(words[1]), version: version,
        fields: try fields(head.dropFirst()))
    }

    private func response(_ lines: Lines) throws(Problem) -> ResponseHead {
      let head = head(lines)
      guard let first = head.first else {
        throw Problem(line: lines.number, reason: "expected a status line, HTTP/1.1 200 OK")
      }
      let words = first.line.split(
        separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
      guard words.count >= 2, let version = HTTPVersion(words[0]), words[1].count == 3,
        let status = Int(String(decoding: words[1], as: UTF8.self)), (200...999).contains(status)
      else {
        throw Problem(
          line: first.number, reason: "expected HTTP/1.1, a status from 200 to 999, and a reason")
      }
      let reason = words.count == 3 ? Array(words[2]) : []
      guard reason.allSatisfy(\.isFieldValueByte) else {
        throw Problem(line: first.number, reason: "the reason holds a control character")
      }
      return ResponseHead(
        version: version, status: status, reason: reason, fields: try fields(head.dropFirst()))
    }

    private func fields(
      _ lines: ArraySlice<(number: Int, line: ArraySlice<UInt8>)>
    ) throws(Problem) -> FieldSection {
      var section = FieldSection()
      for (number, line) in lines {
        guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex,
          line[..<colon].allSatisfy(\.isTokenCharacter)
        else { throw Problem(line: number, reason: "expected a field, Name: value") }
        let value = line[(colon + 1)...].trimmingOptionalWhitespace
        guard value.allSatisfy(\.isFieldValueByte) else {
          throw Problem(line: number, reason: "the value holds a control character")
        }
        section.append(name: line[..<colon], value: value)
      }
      return section
    }
  }
}

extension HTTPVersion {
  /// `HTTP/1.0` or `HTTP/1.1`, which are all that is recorded.
  fileprivate init?(_ text: ArraySlice<UInt8>) {
    switch String(decoding: text, as: UTF8.self) {
    case "HTTP/1.0": self = HTTPVersion(major: 1, minor: 0)
    case "HTTP/1.1": self = .http11
    default: return nil
    }
  }
}
