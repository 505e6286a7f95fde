import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@testable import FixtureStub

/// A client reads to the end that the framing has, whatever comes after it.
@Suite struct ClientSinks {
  private func head(_ status: Int = 200, _ fields: (String, String)...) -> Action {
    var section = FieldSection()
    for (name, value) in fields {
      section.append(name: Array(name.utf8), value: Array(value.utf8))
    }
    return .head(ResponseHead(status: status, reason: [], fields: section))
  }

  private func bytes(_ text: String) -> Action { .generated(Array(text.utf8)) }

  /// What a client is told, in short.
  private func heard(
    _ actions: [Action], recorded: RecordedFraming = .length, isHead: Bool = false
  ) -> [String] {
    var sink = ClientSink(recorded: recorded, isHead: isHead, keepsAlive: true)
    var heard: [String] = []
    for action in actions {
      switch sink.perform(action) {
      case nil: break
      case .response(let head):
        heard.append(
          "\(head.status) \(String(decoding: head.fields.bytes, as: UTF8.self))"
            .replacing("\r\n", with: ";"))
      case .content(.made(let bytes)): heard.append(String(decoding: bytes, as: UTF8.self))
      case .content(.stored(let slice)): heard.append("body \(slice.range)")
      case .failed(let failure): heard.append("\(failure)")
      }
      if sink.isComplete, heard.last != "end" { heard.append("end") }
    }
    return heard
  }

  @Test func `content of a known length ends with its last byte`() {
    let five = head(200, ("Content-Length", "5"))
    let expected = ["200 Content-Length: 5;", "he", "llo", "end"]
    #expect(heard([five, bytes("he"), bytes("llo!"), .wait(.clientLeaves), .end]) == expected)
    #expect(heard([five, bytes("he"), bytes("llo"), .reset]) == expected)
  }

  @Test func `content that is too short is cut, however it ends`() {
    let five = head(200, ("Content-Length", "5"))
    for ending in [Action.end, .close] {
      #expect(heard([five, bytes("he"), ending]) == ["200 Content-Length: 5;", "he", "cutShort"])
    }
    #expect(heard([five, .reset]) == ["200 Content-Length: 5;", "reset"])
  }

  @Test func `chunks end with the end, and content without a length with the connection`() {
    let plain = head()
    #expect(
      heard([plain, bytes("he"), .end], recorded: .chunked)
        == ["200 Transfer-Encoding: chunked;", "he", "end"])
    #expect(
      heard([plain, bytes("he"), .close], recorded: .chunked)
        == ["200 Transfer-Encoding: chunked;", "he", "cutShort"])
    #expect(
      heard([plain, bytes("he"), .close], recorded: .untilClose)
        == ["200 Connection: close;", "he", "end"])
    #expect(
      heard([plain, bytes("he"), .reset], recorded: .untilClose)
        == ["200 Connection: close;", "he", "reset"])
  }

  @Test func `what has no content is over with its head`() {
    #expect(heard([head(204), .end], recorded: .none) == ["204 ", "end"])
    #expect(
      heard([head(200, ("Content-Length", "5")), bytes("hello"), .end], isHead: true)
        == ["200 Content-Length: 5;", "end"])
    #expect(
      heard([head(200, ("Content-Length", "0")), .reset]) == ["200 Content-Length: 0;", "end"])
  }

  @Test func `an end before the head is one of the connection`() {
    #expect(heard([.close]) == ["closedBeforeHead"])
    #expect(heard([.reset]) == ["reset"])
    #expect(
      heard([.headBeginning(ResponseHead(status: 200, reason: [])), .close]) == ["closedInHead"])
    #expect(
      heard([.headBeginning(ResponseHead(status: 204, reason: [])), .headRest], recorded: .none)
        == ["204 ", "end"])
  }

  @Test func `what breaks HTTP is an error where a client meets it`() {
    let five = head(200, ("Content-Length", "5"))
    #expect(heard([.malform(.status), five]) == ["statusMalformed"])
    #expect(heard([.malform(.field), five]) == ["fieldMalformed"])
    #expect(heard([.malform(.length), five]) == ["fieldMalformed"])
    #expect(
      heard([.malform(.chunk), head(), bytes("x"), .end], recorded: .chunked)
        == ["200 Transfer-Encoding: chunked;", "chunkMalformed"])
    #expect(heard([.raw([1])]) == ["statusMalformed"])
  }

  @Test func `interim responses and trailers are not noticed`() {
    let interim = Action.interim(ResponseHead(status: 103, reason: []))
    #expect(heard([interim, head(204), .trailers(.init()), .end]) == ["204 ", "end"])
  }
}
