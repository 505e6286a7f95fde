import Testing

/// A request whose bytes came before is answered by them alone; what it gets, and what is counted,
/// must be the same as if it were read.
@Suite struct RepeatedRequestTests {
  private static let request = bytes("GET /a HTTP/1.1\r\nHost: a.test\r\nUser-Agent: x\r\n\r\n")
  /// Another spelling of the fields, so that it is read.
  private static let other = bytes("GET /a HTTP/1.1\r\nhost:a.test\r\n\r\n")
  private static let size = answer(0).count

  private static func answer(_ number: Int) -> [UInt8] {
    bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n#\(number)")
  }

  /// Records the request so many times; the answers tell which one it was.
  private func recorded(_ count: Int) throws -> Recording {
    let upstream = try ScriptedUpstream { connection in
      var number = 0
      while connection.request() != nil {
        connection.send(Self.answer(number))
        number += 1
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let client = try RawSocket(port: recorder.port())
    for _ in 0..<count {
      client.send(Self.request)
      _ = client.receive { $0.count >= Self.size }
    }
    #expect(recorder.stop().status == 0)
    return recording
  }

  /// - Returns: what `requests` get on one connection, each in its pieces.
  private func answers(_ requests: [[[UInt8]]], port: UInt16) throws -> [[UInt8]] {
    let client = try RawSocket(port: port)
    return requests.map { pieces in
      for piece in pieces {
        client.send(piece)
        if pieces.count > 1 { ScriptedUpstream.wait(milliseconds: 20) }
      }
      return client.receive { $0.count >= Self.size }.bytes
    }
  }

  @Test func `the same request gets the same answer however its bytes arrive`() throws {
    let recording = try recorded(1)
    let replayer = try recording.replayer()
    let request = Self.request
    let ways = [
      [request], [request], [Self.other], [request], [bytes("\r\n"), request], [request],
      [Array(request[..<9]), Array(request[9...])], [request],
      [Array(request.dropLast()), [request[request.count - 1]]], [request],
    ]
    let received = try answers(ways, port: replayer.port())
    #expect(received == ways.map { _ in Self.answer(0) })

    let client = try RawSocket(port: replayer.port())
    client.send(request + request + Self.other + bytes("\r\n") + request + request)
    let pipelined = Array((0..<5).map { _ in Self.answer(0) }.joined())
    #expect(client.receive { $0.count >= pipelined.count }.bytes == pipelined)
    #expect(replayer.stop().errors.contains("15 plays, 0 misses"))
  }

  @Test func `recordings of one request are still played in their order`() throws {
    let recording = try recorded(2)
    let replayer = try recording.replayer()
    let received = try answers(
      [[[UInt8]]](repeating: [Self.request], count: 4), port: replayer.port())
    #expect(received == [0, 1, 1, 1].map { Self.answer($0) })
  }

  @Test func `a recording that may be played once is played once`() throws {
    let recording = try recorded(1)
    let replayer = try recording.replayer(["--exhausted", "miss"])
    let received = try answers([[Self.request], [Self.request]], port: replayer.port())
    #expect(received[0] == Self.answer(0))
    #expect(received[1].starts(with: bytes("HTTP/1.1 501 ")))
  }

  @Test func `the same bytes at another upstream's port get its answer`() throws {
    let upstreams = try (0..<2).map { try ScriptedUpstream.answering(Self.answer($0)) }
    let folder = try Folder()
    let recorder = try Program(
      [
        "record", "--upstream", "a=\(upstreams[0].url)", "--upstream", "b=\(upstreams[1].url)",
        "--listen", "127.0.0.1:0", "x.db",
      ], in: folder)
    for port in try recorder.ports(2) { _ = try answers([[Self.request]], port: port) }
    #expect(recorder.stop().status == 0)
    let replayer = try Program(
      ["replay", "--listen", "127.0.0.1:0", "--threads", "1", "x.db"], in: folder)
    let ports = try replayer.ports(2)
    for _ in 0..<2 {
      let received = try ports.map { try answers([[Self.request]], port: $0) }
      #expect(received == [[Self.answer(0)], [Self.answer(1)]])
    }
  }

  @Test func `fields that choose among recordings choose each time`() throws {
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let isCoded = String(decoding: request, as: UTF8.self).contains("gzip")
        let fields = isCoded ? "Content-Encoding: gzip\r\n" : ""
        connection.send(
          "HTTP/1.1 200 OK\r\nVary: Accept-Encoding\r\n\(fields)Content-Length: 1\r\n\r\n"
            + (isCoded ? "c" : "p"))
      }
    }
    func request(_ fields: String) -> [UInt8] {
      bytes("GET /a HTTP/1.1\r\nHost: a.test\r\n\(fields)\r\n")
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let (plain, coded) = (request(""), request("Accept-Encoding: gzip\r\n"))
    for request in [plain, coded] { _ = try content(of: [request], port: recorder.port()) }
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer()
    let other = request("Accept-Encoding: br, gzip\r\n")
    let received = try content(
      of: [plain, coded, other, plain, plain, other, coded, coded], port: replayer.port())
    #expect(received == "pccppccc")
    #expect(replayer.stop().errors.contains("8 plays, 0 misses"))
  }

  /// The last byte of each answer.
  private func content(of requests: [[UInt8]], port: UInt16) throws -> String {
    let client = try RawSocket(port: port)
    let last = requests.map { request in
      client.send(request)
      let answer = client.receive { $0.dropLast().suffix(4).elementsEqual("\r\n\r\n".utf8) }
      return answer.bytes.last ?? 0x3F
    }
    return String(decoding: last, as: UTF8.self)
  }
}
