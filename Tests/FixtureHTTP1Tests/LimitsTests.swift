import FixtureHTTP1
import Testing

/// Each limit at its edge, fed whole and byte by byte: what is refused must not depend on how it
/// arrives.
@Suite struct LimitsTests {
  private var limits: Limits {
    var limits = Limits()
    limits.requestHeadBytesMax = 64
    limits.targetBytesMax = 10
    limits.methodBytesMax = 4
    limits.responseHeadBytesMax = 64
    limits.fieldLinesMax = 3
    limits.chunkLineBytesMax = 8
    limits.trailerBytesMax = 12
    limits.interimResponsesMax = 2
    limits.interimBytesMax = 40
    limits.emptyLinesMax = 1
    return limits
  }

  /// The last line of the transcript.
  private func outcome(
    _ input: String, _ role: CorpusCase.Role = .request, answers: Int = 1
  ) -> String? {
    var whole = Transcriber(role, messageCount: answers, limits: limits)
    whole.feed(input.utf8)
    var dribbled = Transcriber(role, messageCount: answers, limits: limits)
    for byte in input.utf8 { dribbled.feed([byte]) }
    let transcript = whole.finish()
    #expect(dribbled.finish() == transcript)
    return transcript.last
  }

  @Test func `a target of the limit is read, a longer one is 414`() {
    #expect(outcome("GET /23456789a HTTP/1.0\r\n\r\n") == "end")
    #expect(
      outcome("GET /23456789ab HTTP/1.0\r\n\r\n")
        == "error 414 the request target is longer than 10 bytes")
  }

  @Test func `an endless request line is 414 before it ends`() {
    #expect(
      outcome("GET /" + String(repeating: "x", count: 40))
        == "error 414 the request target is longer than 10 bytes")
    #expect(
      outcome(String(repeating: "x", count: 40))
        == "error 414 the request target is longer than 10 bytes")
  }

  @Test func `a longer method is 501`() {
    #expect(outcome("POST / HTTP/1.0\r\n\r\n") == "end")
    #expect(
      outcome("PATCH / HTTP/1.0\r\n\r\n") == "error 501 the method is longer than 4 bytes")
  }

  @Test func `a request head of the limit is read, a larger one is 431`() {
    // The request line takes 16 bytes, `A: ` and two line ends 7.
    let fit = String(repeating: "x", count: 64 - 16 - 7)
    #expect(outcome("GET / HTTP/1.0\r\nA: \(fit)\r\n\r\n") == "end")
    #expect(
      outcome("GET / HTTP/1.0\r\nA: \(fit)x\r\n\r\n")
        == "error 431 the request head is larger than 64 bytes")
    #expect(
      outcome("GET / HTTP/1.0\r\nA: \(fit)xxxxxxxxxxxxx")
        == "error 431 the request head is larger than 64 bytes")
  }

  @Test func `a request with more field lines is 431`() {
    #expect(outcome("GET / HTTP/1.0\r\nA: \r\nB: \r\nC: \r\n\r\n") == "end")
    #expect(
      outcome("GET / HTTP/1.0\r\nA: \r\nB: \r\nC: \r\nD: \r\n")
        == "error 431 the request has more than 3 field lines")
  }

  @Test func `an error within the limit comes before the limit`() {
    let long = String(repeating: "x", count: 90)
    #expect(
      outcome("GET / HTTP/1.0\r\nA: 1\nB: \(long)\r\n\r\n")
        == "error 400 line 2 of the request head ends in LF without CR")
    #expect(
      outcome("GET / HTTP/1.0\r\nA: \(long)\n\r\n\r\n")
        == "error 431 the request head is larger than 64 bytes")
  }

  @Test func `a second empty line is refused`() {
    #expect(outcome("\r\nGET / HTTP/1.0\r\n\r\n") == "end")
    #expect(
      outcome("\r\n\r\nGET / HTTP/1.0\r\n\r\n")
        == "error 400 more than 1 empty lines before the request")
  }

  @Test func `a response head of the limit is read, a larger one is 502`() {
    let get = CorpusCase.Role.response(answering: ["HEAD"])
    let fit = String(repeating: "x", count: 64 - 17 - 7)
    #expect(outcome("HTTP/1.1 200 OK\r\nA: \(fit)\r\n\r\n", get) == "end")
    #expect(
      outcome("HTTP/1.1 200 OK\r\nA: \(fit)x\r\n\r\n", get)
        == "error 502 the response head is larger than 64 bytes")
    #expect(
      outcome("HTTP/1.1 200 " + String(repeating: "x", count: 90), get)
        == "error 502 the response head is larger than 64 bytes")
    #expect(
      outcome("HTTP/1.1 200 OK\r\nA:\nB:\nC:\nD:\n\n", get)
        == "error 502 the response has more than 3 field lines")
  }

  @Test func `folded lines count line by line`() {
    let get = CorpusCase.Role.response(answering: ["HEAD"])
    #expect(
      outcome("HTTP/1.1 200 OK\r\nA:\r\n b\r\n c\r\n d\r\n\r\n", get)
        == "error 502 the response has more than 3 field lines")
  }

  @Test func `interim responses are counted before each final one`() {
    let interim = "HTTP/1.1 102 \r\n\r\n"
    let final = "HTTP/1.1 204 \r\n\r\n"
    let twice = CorpusCase.Role.response(answering: ["GET", "GET"])
    #expect(
      outcome(interim + interim + final + interim + interim + final, twice, answers: 2)
        == "end")
    #expect(
      outcome(interim + interim + interim + final, twice)
        == "error 502 more than 2 interim responses before the final one")
  }

  @Test func `interim responses are bounded together`() {
    let final = "HTTP/1.1 204 \r\n\r\n"
    let interim = "HTTP/1.1 103 \r\nA: \r\n"
    let twice = CorpusCase.Role.response(answering: ["GET", "GET"])
    let whole = interim + "\r\nHTTP/1.1 102 \r\n\r\n" + final
    #expect(outcome(whole + whole, twice, answers: 2) == "end")
    #expect(
      outcome(interim + "B:\r\n\r\nHTTP/1.1 102 \r\n\r\n" + final, twice)
        == "error 502 interim responses of more than 40 bytes before the final one")
  }

  @Test func `a chunk-size line of the limit is read, a longer one is refused`() {
    let head = "PUT / HTTP/1.1\r\nHost: \r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(outcome(head + "000000\r\n\r\n") == "end")
    #expect(outcome(head + "0;23456\r\n\r\n").map { $0.hasPrefix("error 400") } == true)
    #expect(
      outcome(head + "0;234567")
        == "error 400 the request has a chunk-size line of more than 8 bytes")
  }

  @Test func `a trailer section of the limit is read, a larger one is refused`() {
    let head = "PUT / HTTP/1.1\r\nHost: \r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    #expect(outcome(head + "A: 34567\r\n\r\n") == "trailer A: 34567")
    #expect(
      outcome(head + "A: 345678\r\n\r\n")
        == "error 431 the request's trailer section is larger than 12 bytes")
  }
}
