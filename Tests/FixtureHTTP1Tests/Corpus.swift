import FixtureInvariants
import Foundation
import Testing

/// One case of the corpus: bytes a peer sends, and the transcript a parser must make of them.
///
/// The files are read as documentation too. A case is
///
///     ## heading
///     Prose, any number of lines: why the case exists.
///     request                       or: response METHOD…, the methods it answers in order
///     | bytes                       input, with the escapes \r \n \t \0 \\ \xNN; the end of the
///                                   line is no input
///     EOF                           the peer closes after the input
///     > event                       the transcript, one line an event
///
/// Transcript lines are `head`, `interim`, `field`, `content`, `end`, `trailer`, `error` with a
/// status and a fact, `more` (the message is not complete) and `rest` (bytes that stay with the
/// caller). Pieces of content are joined, because where they are cut follows the input.
struct CorpusCase: CustomTestStringConvertible, Sendable {
  enum Role: Sendable {
    case request
    case response(answering: [String])
  }

  var name: String
  var role: Role?
  var input: [UInt8] = []
  var isClosed = false
  var transcript: [String] = []

  var testDescription: String { name }

  /// Messages to read before stopping; all that come when the case ends otherwise.
  var messageCount: Int {
    guard let last = transcript.last, !last.hasPrefix("error "), last != "more" else { return .max }
    return transcript.count { $0 == "end" }
  }
  var endsAfterMessage: Bool {
    guard let last = transcript.last else { return false }
    return !isClosed && (last == "end" || last.hasPrefix("trailer "))
  }
}

enum Corpus {
  static let all: [CorpusCase] = files.flatMap(cases(in:))

  private static var files: [URL] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return names.sorted().map { folder.appending(path: $0) }
    } catch { fatalError("can't list \(folder.path): \(error)") }
  }

  private static func cases(in file: URL) -> [CorpusCase] {
    var cases: [CorpusCase] = []
    for line in text(of: file).split(separator: "\n") {
      if line.hasPrefix("## ") {
        cases.append(CorpusCase(name: String(line.dropFirst(3))))
      } else if !cases.isEmpty {
        read(line, into: &cases[cases.count - 1])
      }
    }
    return cases
  }

  private static func text(of file: URL) -> String {
    do {
      return try String(contentsOf: file, encoding: .utf8)
    } catch { fatalError("can't read \(file.path): \(error)") }
  }

  private static func read(_ line: Substring, into corpusCase: inout CorpusCase) {
    if line == "request" {
      corpusCase.role = .request
    } else if line.hasPrefix("response ") {
      let methods = line.split(separator: " ").dropFirst().map(String.init)
      corpusCase.role = .response(answering: methods)
    } else if line.hasPrefix("| ") {
      corpusCase.input += Escapes.decode(line.dropFirst(2))
    } else if line == "EOF" {
      corpusCase.isClosed = true
    } else if line.hasPrefix("> ") {
      corpusCase.transcript.append(String(line.dropFirst(2)))
    }
  }
}
