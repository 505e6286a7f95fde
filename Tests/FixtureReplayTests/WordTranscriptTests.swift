import FixtureReplay
import Foundation
import Testing

/// What each word does to a plain answer: `Tests/Transcripts/words.txt`, a clause and under it what
/// a client gets that asks for the second time, beside what is remembered.
@Suite struct WordTranscriptTests {
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../Transcripts/words.txt").standardized

  @Test func `each word has its transcript`() throws {
    var text = "without a rule\n\(Self.indented(try WordTableTests.outcome(.whole, nil)))"
    for (_, clause) in WordTableTests.clauses {
      text += "\n\(clause)\n\(Self.indented(try WordTableTests.outcome(.whole, clause)))"
    }
    let expected = try String(contentsOf: Self.file, encoding: .utf8)
    let place = zip(text.split(separator: "\n"), expected.split(separator: "\n"))
      .first { $0 != $1 }
    #expect(text == expected, "\(place.map { "\($0.0) is not \($0.1)" } ?? "more or less")")
    if ProcessInfo.processInfo.environment["WRITE_TRANSCRIPTS"] != nil {
      try text.write(to: Self.file, atomically: true, encoding: .utf8)
    }
  }

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n").map { "    \($0)\n" }.joined()
  }
}
