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

/// The escapes of corpus files, both ways.
enum Escapes {
  static func decode(_ text: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      switch letter {
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "0"): bytes.append(0x00)
      case UInt8(ascii: "\\"): bytes.append(letter)
      case UInt8(ascii: "x"):
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard let value = UInt8(digits, radix: 16) else { fatalError("bad escape in \(text)") }
        bytes.append(value)
        rest.removeFirst(2)
      default: fatalError("unknown escape in \(text)")
      }
    }
    return bytes
  }

  static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
      switch byte {
      case 0x0D: text += "\\r"
      case 0x0A: text += "\\n"
      case 0x09: text += "\\t"
      case 0x00: text += "\\0"
      case 0x5C: text += "\\\\"
      case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return text
  }
}
