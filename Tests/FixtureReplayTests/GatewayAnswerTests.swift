import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct GatewayAnswerTests {
  @Test func `it names the outcome and what happened, and is not cacheable`() {
    let answer = GatewayAnswer(.refused, detail: "connect to a.test:80: \"refused\"")
    #expect(
      String(decoding: answer.content, as: UTF8.self) == #"""
        {"type":"urn:fixtured:upstream-failure","title":"no connection to the upstream could be \#
        made","status":502,"detail":"connect to a.test:80: \"refused\"","outcome":"refused"}
        """#)
    #expect(
      "\(Action.head(answer.head))" == """
        head 502 Bad Gateway | Content-Type: application/problem+json | Content-Length: 172 \
        | Cache-Control: no-store | Fixtured-Outcome: refused
        """)
    #expect(answer.content.count == 172)
  }

  @Test func `a passed deadline is a 504`() {
    let answer = GatewayAnswer(.timeout, detail: nil)
    #expect(answer.head.status == 504)
    #expect(answer.head.reason == Array("Gateway Timeout".utf8))
  }

  @Test(arguments: Outcome.allCases)
  func `every outcome has an answer with its length`(outcome: Outcome) throws {
    let answer = GatewayAnswer(outcome, detail: "\u{1B}[2J\n")
    let length = try #require(answer.head.fields.first(.contentLength))
    #expect(Array(length) == Array(String(answer.content.count).utf8))
    #expect(!answer.content.contains(0x1B))
  }
}
