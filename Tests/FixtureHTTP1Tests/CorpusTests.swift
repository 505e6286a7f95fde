import FixtureHTTP1
import FixtureInvariants
import Testing

@Suite struct CorpusTests {
  @Test func `the corpus is there`() {
    #expect(Corpus.all.count >= 100)
    #expect(Corpus.all.allSatisfy { $0.role != nil && !$0.transcript.isEmpty })
  }

  @Test(arguments: Corpus.all)
  func `a case fed whole gives its transcript`(_ corpusCase: CorpusCase) throws {
    #expect(try transcript(of: corpusCase, cuts: []) == corpusCase.transcript)
  }

  @Test(arguments: Corpus.all)
  func `a case fed byte by byte gives its transcript`(_ corpusCase: CorpusCase) throws {
    let cuts = Array(corpusCase.input.indices)
    #expect(try transcript(of: corpusCase, cuts: cuts) == corpusCase.transcript)
  }

  @Test(arguments: Corpus.all)
  func `a case cut in two at any place gives its transcript`(_ corpusCase: CorpusCase) throws {
    for cut in corpusCase.input.indices {
      #expect(
        try transcript(of: corpusCase, cuts: [cut]) == corpusCase.transcript, "cut at \(cut)")
    }
  }

  @Test(arguments: Corpus.all.filter(\.endsAfterMessage))
  func `what comes after the last message stays`(_ corpusCase: CorpusCase) throws {
    for trailing in ["\0", "\r\n", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"] {
      var longer = corpusCase
      longer.input += Array(trailing.utf8)
      let expected = corpusCase.transcript + ["rest " + Escapes.encode(trailing.utf8)]
      #expect(try transcript(of: longer, cuts: []) == expected)
    }
  }

  /// Feeds the pieces between the cuts; empty ones too, which must change nothing.
  private func transcript(of corpusCase: CorpusCase, cuts: [Int]) throws -> [String] {
    let role = try #require(corpusCase.role)
    var transcriber = Transcriber(role, messageCount: corpusCase.messageCount)
    var start = 0
    for cut in cuts + [corpusCase.input.count] {
      transcriber.feed(corpusCase.input[start..<cut])
      start = cut
    }
    if corpusCase.isClosed { transcriber.close() }
    return transcriber.finish()
  }
}
