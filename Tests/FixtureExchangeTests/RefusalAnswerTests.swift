import FixtureExchange
import FixtureHTTP
import FixtureHTTP1
import Testing

@Suite struct `Answers to requests that are refused` {
  @Test func `it is a problem document that no cache keeps`() throws {
    let answer = RefusalAnswer(ProtocolError.hostMissing, date: 784_111_777)
    #expect(
      text(answer.content) == #"""
        {"type":"about:blank","title":"Bad Request","status":400,"detail":"an HTTP/1.1 request \#
        without Host"}
        """#)
    #expect(
      answer.head
        == (try head(
          400, "Bad Request", "Date: Sun, 06 Nov 1994 08:49:37 GMT",
          "Content-Type: application/problem+json", "Cache-Control: no-store",
          "Content-Length: \(answer.content.count)")))
  }

  @Test(arguments: [
    (ProtocolError.bothFramings, 400, "Bad Request"),
    (.targetTooLong(limit: 1), 414, "URI Too Long"),
    (.requestHeadTooLarge(limit: 1), 431, "Request Header Fields Too Large"),
    (.transferCodingUnsupported, 501, "Not Implemented"),
    (
      .versionUnsupported(HTTPVersion(major: 2, minor: 0), in: .request), 505,
      "HTTP Version Not Supported"
    ),
  ])
  func `the status is what the error says, with its own reason`(
    error: ProtocolError, status: Int, reason: String
  ) {
    let answer = RefusalAnswer(error, date: 0)
    #expect(answer.head.status == status)
    #expect(text(answer.head.reason) == reason)
  }

  @Test func `odd bytes in the detail are escaped`() {
    let answer = RefusalAnswer(
      status: 400, detail: "\u{1B}[2J\"\r\n", date: 0)
    #expect(text(answer.content).hasSuffix(#""detail":"\u001b[2J\"\u000d\u000a"}"#))
  }
}
