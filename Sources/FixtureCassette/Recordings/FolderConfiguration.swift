import FixtureHTTP

/// What `fixtured.conf` says for the cassettes beside it: one setting a line, in the words of the
/// command line's option of that name. Empty lines, and those that begin with `#`, say nothing.
///
///     upstream api=https://api.example.com
///     match +header:Accept
///     match +query-ignore:ts
///     redact header:X-Session
package struct FolderConfiguration: Equatable, Sendable {
  /// The name of the file.
  package static let fileName = "fixtured.conf"

  /// A setting, and where it stands.
  package struct Line: Equatable, Sendable {
    /// From 1.
    package let number: Int
    package let text: String
  }

  /// In the words of `--upstream`, which are not understood here.
  package private(set) var upstreams: [Line] = []
  package private(set) var matches: [Line] = []
  package private(set) var redactions: [Line] = []

  /// No file, or an empty one.
  package init() {}

  /// - Throws: the first line that is wrong.
  package init(parsing bytes: [UInt8]) throws(FolderConfigurationError) {
    var match = MatchOptions()
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      do throws(FolderConfigurationError.Problem) {
        try add(bytes, number: index + 1, &match)
      } catch {
        throw FolderConfigurationError(line: index + 1, problem: error)
      }
    }
  }

  private mutating func add(
    _ bytes: ArraySlice<UInt8>, number: Int, _ match: inout MatchOptions
  ) throws(FolderConfigurationError.Problem) {
    guard let line = String(validating: bytes, as: UTF8.self) else { throw .noText }
    let text = line.trimmed { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\u{FEFF}" }
    guard let first = text.first, first != "#" else { return }
    let word = text.prefix { $0 != " " && $0 != "\t" }
    let value = String(text[word.endIndex...].drop { $0 == " " || $0 == "\t" })
    let setting = Line(number: number, text: value)
    switch word {
    case "upstream": upstreams.append(setting)
    case "match": matches.append(setting)
    case "redact": redactions.append(setting)
    default:
      throw .unknown(
        String(word), nearest: EditDistance.nearest(to: String(word), in: Self.words))
    }
    if value.isEmpty { throw .valueMissing(String(word)) }
    try check(setting, word, &match)
  }

  private func check(
    _ setting: Line, _ word: Substring, _ match: inout MatchOptions
  ) throws(FolderConfigurationError.Problem) {
    if word == "match" {
      do {
        try match.apply(setting.text)
      } catch {
        throw .invalid(error.description)
      }
    } else if word == "redact" {
      do {
        _ = try RedactionRules(adding: [setting.text])
      } catch {
        throw .invalid(error.description)
      }
    }
  }

  static let words = ["upstream", "match", "redact"]
}

extension FolderConfiguration {
  /// The `redact` lines; a file that one of them names lies beside the configuration, unless its
  /// path begins with `/`.
  package func redactions(beside cassette: String) -> [String] {
    let folder = cassette.lastIndex(of: "/").map { String(cassette[...$0]) } ?? ""
    return redactions.map { line in
      guard line.text.hasPrefix("text:@"), !line.text.hasPrefix("text:@/") else {
        return line.text
      }
      return "text:@" + folder + line.text.dropFirst(6)
    }
  }
}

/// Why a line of `fixtured.conf` can't be followed.
package struct FolderConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Problem: Error, Equatable, Sendable {
    /// The bytes are no UTF-8.
    case noText
    case unknown(String, nearest: String?)
    case valueMissing(String)
    /// In the words of what understands the value.
    case invalid(String)
  }

  /// From 1.
  package let line: Int
  package let problem: Problem

  package init(line: Int, problem: Problem) {
    self.line = line
    self.problem = problem
  }

  /// What is wrong and what is expected, without the line.
  package var description: String {
    switch problem {
    case .noText: "it is not UTF-8 text"
    case .unknown(let word, let nearest):
      "there is no setting \"\(MatchOptionsError.printable(word))\", "
        + (nearest.map { "did you mean \($0)?" }
          ?? "expected \(FolderConfiguration.words.joined(separator: ", ")) or a comment after #")
    case .valueMissing(let word): "\(word) has no value, write it as after --\(word)"
    case .invalid(let reason): reason
    }
  }
}

extension String {
  fileprivate func trimmed(_ isDropped: (Unicode.Scalar) -> Bool) -> String {
    let scalars = unicodeScalars.drop(while: isDropped)
    guard let last = scalars.lastIndex(where: { !isDropped($0) }) else { return "" }
    return String(scalars[...last])
  }
}
