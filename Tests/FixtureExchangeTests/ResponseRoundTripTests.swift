import FixtureCassette
import FixtureExchange
import FixtureHTTP
import FixtureHTTP1
import FixtureReplay
import Testing

/// Every combination of framing, client, status and odd fields, read back by the codec's other
/// side: what was sent is what a client of RFC 9112 reads, and it ends where we say it does.
@Suite struct `The response as a client reads it` {
  private struct Case: CustomStringConvertible {
    let recorded: RecordedFraming
    let request: RequestHead
    let status: Int
    let keepsAlive: Bool
    let fields: [String]

    var description: String {
      "\(recorded) \(status) to \(text(request.method.bytes)) \(request.version.description), "
        + "keeps alive: \(keepsAlive), \(lines(request.fields)) \(fields)"
    }
  }

  /// What the client made of it.
  private struct Read {
    var head: ResponseHead?
    var content: [UInt8] = []
    var trailers: [String] = []
    var bothFramings = false
    /// Nothing was missing after the last byte but, maybe, the close.
    var endsWithoutClose = false
  }

  private static let content = Array("hello".utf8)

  private static let requests: [RequestHead] = {
    let options = ["", "keep-alive", "close"]
    return [Method.get, .head].flatMap { method in
      [HTTPVersion.http10, .http11].flatMap { version in
        options.map { option in
          var fields = FieldSection()
          if !option.isEmpty { fields.append("Connection", option) }
          return RequestHead(method: method, target: [0x2F], version: version, fields: fields)
        }
      }
    }
  }()

  private static let framingFields: [[String]] = {
    let lengths = [
      [], ["Content-Length: 5"], ["Content-Length: 5", "Content-Length: 5"],
      ["Content-Length: 5, 5"], ["Content-Length: 5, 6"], ["Content-Length: 05"],
      ["Content-Length: five"], ["Content-Length: 0"], ["Content-Length: 7"],
    ]
    let codings = [
      [], ["Transfer-Encoding: chunked"], ["Transfer-Encoding: gzip, chunked"],
      ["Transfer-Encoding: gzip", "Transfer-Encoding: chunked"], ["Transfer-Encoding: gzip"],
      ["Transfer-Encoding: identity"], ["Transfer-Encoding: chunked, identity"],
      ["Transfer-Encoding: chunked, chunked"], ["Transfer-Encoding: chunked, gzip"],
    ]
    let connections = [[], ["Connection: close, content-length, transfer-encoding"]]
    return lengths.flatMap { length in
      codings.flatMap { coding in
        connections.map { ["A: 1"] + length + coding + $0 + ["a: 2"] }
      }
    }
  }()

  @Test(arguments: RecordedFraming.allCases)
  func `content, end and connection are what was meant`(recorded: RecordedFraming) throws {
    for request in Self.requests {
      for status in [200, 204, 304] {
        for keepsAlive in [true, false] {
          for fields in Self.framingFields {
            try check(
              Case(
                recorded: recorded, request: request, status: status, keepsAlive: keepsAlive,
                fields: fields))
          }
        }
      }
    }
  }

  private func check(_ given: Case) throws {
    var sink = WireSink(
      client: ClientFacts(given.request), framing: given.recorded, keepsAlive: given.keepsAlive)
    var output = OutputQueue()
    let actions: [Action] = [
      .head(ResponseHead(status: given.status, reason: [], fields: try section(given.fields))),
      .generated(Array(Self.content.prefix(2))), .generated(Array(Self.content.dropFirst(2))),
      .trailers(try section("T: 1")), .end,
    ]
    var ending: WireSink.Ending?
    for action in actions { ending = sink.perform(action, output: &output) }
    let bytes = written(output)
    let read = try read(bytes, answering: given.request.method, given)
    let head = try #require(read.head, "\(given)")
    #expect(ending != nil && ending != .close && ending != .reset, "\(given)")
    checkFields(head, read, given)
    checkContent(read, ending, given)
  }

  private func written(_ output: OutputQueue) -> [UInt8] {
    var output = output
    var bytes: [UInt8] = []
    while case .bytes(let front)? = output.front {
      bytes += front
      output.advance(by: Int64(front.count))
    }
    #expect(output.isEmpty)
    return bytes
  }

  private func checkFields(_ head: ResponseHead, _ read: Read, _ given: Case) {
    #expect(!read.bothFramings, "\(given)")
    #expect(head.fields.all(.contentLength).count <= 1, "\(given)")
    let codings = head.fields.list(.transferEncoding)
    #expect(codings.isEmpty || given.request.version >= .http11, "\(given)")
    #expect(codings.isEmpty || !head.fields.contains(.contentLength), "\(given)")
    let others = lines(head.fields).filter { $0.hasPrefix("A") || $0.hasPrefix("a") }
    #expect(others == ["A: 1", "a: 2"], "\(given)")
  }

  private func checkContent(_ read: Read, _ ending: WireSink.Ending?, _ given: Case) {
    let hasBody = given.request.method != .head && ![204, 304].contains(given.status)
    let kept = ending == .complete(keepsAlive: true)
    // Fields that promise another length than there is can only be followed by the close.
    let lies = given.recorded == .length && hasBody && read.content != Self.content
    #expect(!(lies && kept), "\(given)")
    let expected = hasBody && given.recorded != .none ? Self.content : []
    if !lies { #expect(read.content == expected, "\(given)") }
    #expect(!kept || read.endsWithoutClose, "\(given)")
    #expect(!kept || given.keepsAlive && ClientFacts(given.request).keepsAlive, "\(given)")
    if let head = read.head, kept {
      let saysSo =
        given.request.version >= .http11
        ? !head.fields.contains(.connection)
        : head.fields.list(.connection, holds: "keep-alive")
      #expect(saysSo, "\(given)")
    }
    if hasBody, given.recorded == .chunked, given.request.version >= .http11 {
      #expect(read.trailers == ["T: 1"], "\(given)")
    }
  }

  private func read(_ bytes: [UInt8], answering method: Method, _ given: Case) throws -> Read {
    var parser = ResponseParser()
    parser.begin(answering: method)
    var read = Read()
    var position = 0
    while true {
      let (event, consumed) = try bytes[position...].withUnsafeBytes { rest in
        let (event, consumed) = try parser.parse(rest)
        if case .content(let range) = event { read.content += rest[range] }
        return (event, consumed)
      }
      position += consumed
      switch event {
      case .head(let head, _, bothFramings: let both):
        read.head = head
        read.bothFramings = both
      case .interim, .content: break
      case .end(let trailers):
        read.trailers = lines(trailers)
        read.endsWithoutClose = position == bytes.count
        return read
      case .needMore:
        return read
      }
    }
  }
}
