import FixtureCassette
import FixtureHTTP
import Testing

@Suite struct PlaceholderNumbersTests {
  private func renumbered(_ text: String, _ numbers: PlaceholderNumbers) -> String? {
    numbers.renumbering(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `every placeholder in a text gets its new number`() {
    let numbers = PlaceholderNumbers(offset: 10, numbers: [2: 1])
    #expect(
      renumbered("a=REDACTED-1; b=REDACTED-2;REDACTED-12", numbers)
        == "a=REDACTED-11; b=REDACTED-1;REDACTED-22")
    #expect(renumbered("REDACTED-9", numbers) == "REDACTED-19")
  }

  @Test func `a token stays one when its number gets longer or shorter`() {
    // {"alg":"none"} and {"exp":1}.
    let token = "eyJhbGciOiJub25lIn0.eyJleHAiOjF9."
    let longer = PlaceholderNumbers(offset: 999)
    #expect(renumbered("<\(token)REDACTED-1>", longer) == "<\(token)REDACTED-1000_>")
    let shorter = PlaceholderNumbers(numbers: [1000: 7])
    #expect(renumbered("\(token)REDACTED-1000_", shorter) == "\(token)REDACTED-7")
    #expect(renumbered("a.REDACTED-1000_", shorter) == "a.REDACTED-7_")
    let masked = Placeholder.masking(Array("\(token)REDACTED-1000_ REDACTED-1000_".utf8))
    #expect(masked == Array("\(token)REDACTED REDACTED_".utf8))
  }

  @Test(arguments: [
    "", "REDACTED-", "REDACTED-x", "REDACTED-01", "redacted-1", "REDACTED-1234567890", "R",
  ])
  func `what is no placeholder stays`(text: String) {
    #expect(renumbered(text, PlaceholderNumbers(offset: 5)) == nil)
  }

  @Test func `a text whose numbers stay is not changed`() {
    #expect(renumbered("REDACTED-1", PlaceholderNumbers()) == nil)
    #expect(renumbered("REDACTED-1", PlaceholderNumbers(offset: 4, numbers: [1: 1])) == nil)
  }

  @Test func `all heads of an interaction are renumbered`() {
    func section(_ value: String) -> FieldSection {
      var section = FieldSection()
      section.append("X", value)
      return section
    }
    func interaction(_ number: Int) -> Interaction {
      Interaction(
        id: 1, startedAt_us: 1, scheme: "http", authority: "a.test",
        request: RequestHead(
          method: .get, target: Array("/?token=REDACTED-\(number)".utf8),
          fields: section("REDACTED-\(number + 1)")),
        requestTrailers: section("REDACTED-\(number + 2)"),
        response: RecordedResponse(
          head: ResponseHead(status: 200, reason: [], fields: section("REDACTED-\(number + 3)")),
          framing: .chunked, trailers: section("REDACTED-\(number + 4)")),
        interims: [
          RecordedInterim(
            offset_us: 0,
            head: ResponseHead(status: 103, reason: [], fields: section("REDACTED-\(number + 5)")))
        ])
    }
    var changed = interaction(1)
    PlaceholderNumbers(offset: 7).renumber(&changed)
    #expect(changed == interaction(8))
    #expect(Placeholder.numbers(in: changed) == [8, 9, 10, 11, 12, 13])
  }
}
