import Foundation
import Testing

/// Bodies that come piece by piece, or are larger than anybody wants to hold.
@Suite struct StreamTests {
  static let head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
  static let eventsRequest = bytes(
    "GET /ev HTTP/1.1\r\nHost: a.test\r\nAccept: text/event-stream\r\n\r\n")

  /// Milliseconds after the head at which an event is sent, and the event.
  static let events: [(offset: Int, text: String)] = [
    (0, "data: 0\n\n"), (150, "data: 1\n\n"), (300, "data: 2\n\n"), (600, ": hb\n\n"),
  ]

  static let chunks = events.map { "\(String($0.text.utf8.count, radix: 16))\r\n\($0.text)\r\n" }
  static let wire = bytes(head + chunks.joined() + "0\r\n\r\n")
  /// How much there is when each event is whole.
  static let lengths = chunks.indices.map { bytes(head + chunks[...$0].joined()).count }

  /// Sends the events, noting when.
  private static func upstream(_ sent: Instants) throws -> ScriptedUpstream {
    try ScriptedUpstream { connection in
      while connection.request() != nil {
        connection.send(head)
        let start = ContinuousClock.now
        for (event, chunk) in zip(events, chunks) {
          let due = start + .milliseconds(event.offset)
          while ContinuousClock.now < due { usleep(1_000) }
          sent.note()
          connection.send(chunk)
        }
        connection.send("0\r\n\r\n")
      }
    }
  }

  /// Receives the events, noting when each was whole.
  private static func receive(port: UInt16) throws -> (bytes: [UInt8], arrived: [Duration]) {
    let socket = try RawSocket(port: port)
    let start = ContinuousClock.now
    socket.send(eventsRequest)
    var received: [UInt8] = []
    var arrived: [Duration] = []
    for whole in lengths {
      received += socket.receive { received.count + $0.count >= whole }.bytes
      arrived.append(.now - start)
    }
    received += socket.receive { received.count + $0.count >= wire.count }.bytes
    return (received, arrived)
  }

  // Needs a real clock. Lateness is a millisecond or two where nothing else runs; the bound is what
  // a machine busy with other tests keeps.
  @Test func `events pass as they are sent, and replay at once or at their recorded distance`()
    throws
  {
    let sent = Instants()
    let recording = try Recording()
    let upstream = try Self.upstream(sent)
    let recorder = try recording.recorder(upstream)
    let port = try recorder.port()
    let start = ContinuousClock.now
    let (received, arrived) = try Self.receive(port: port)
    #expect(received == Self.wire)
    for (sent, arrived) in zip(sent.all, arrived) {
      #expect(arrived - (sent - start) < .milliseconds(500))
    }
    #expect(recorder.stop().status == 0)

    let immediate = try recording.replayer()
    let atOnce = try Self.receive(port: immediate.port())
    #expect(atOnce.bytes == Self.wire)
    #expect(atOnce.arrived.last! < .milliseconds(500))

    let paced = try recording.replayer(["--pace", "recorded"])
    let again = try Self.receive(port: paced.port())
    #expect(again.bytes == Self.wire)
    for (event, arrived) in zip(Self.events, again.arrived) {
      #expect(arrived >= .milliseconds(event.offset - 5))
      #expect(arrived < .milliseconds(event.offset + 500))
    }
  }

  @Test func `a client that leaves a stream ends it upstream, and its part is flagged`() throws {
    let left = Instants()
    let upstream = try ScriptedUpstream { connection in
      guard connection.request() != nil else { return }
      connection.send(Self.head + "9\r\ndata: 0\n\n\r\n")
      if connection.socket.receive(within: .seconds(5)).end != .open { left.note() }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let socket = try RawSocket(port: recorder.port())
    socket.send(Self.eventsRequest)
    let part = bytes(Self.head + "9\r\ndata: 0\n\n\r\n")
    #expect(socket.receive { $0.count >= part.count }.bytes == part)
    socket.close()
    let closed = ContinuousClock.now
    left.wait(count: 1)
    #expect(try #require(left.all.first) - closed < .seconds(1))
    #expect(recorder.stop().status == 0)
    #expect(try recording.outcomes() == ["cancelled"])

    let replayer = try recording.replayer()
    let answer = try Answer.to(Self.eventsRequest, port: replayer.port())
    #expect(answer == Answer(bytes: part, end: .finished))
  }

  @Test(arguments: [
    ("Content-Length: \(20 << 20)", 20 << 20), ("Transfer-Encoding: chunked", 5 << 20),
  ])
  func `a large body passes piece by piece and is never held whole`(
    framing: String, size: Int
  ) throws {
    let content = Self.content(count: size)
    let gate = Instants()
    let upstream = try ScriptedUpstream { connection in
      guard connection.request() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n")
      let pieceCount = 1 << 20
      for start in stride(from: 0, to: size, by: pieceCount) {
        // The rest is sent only once the client has some of the first piece.
        if start == pieceCount { gate.wait(count: 1) }
        if framing.hasSuffix("chunked") { connection.send("100000\r\n") }
        connection.send(Array(content[start..<(start + pieceCount)]))
        if framing.hasSuffix("chunked") { connection.send("\r\n") }
      }
      if framing.hasSuffix("chunked") { connection.send("0\r\n\r\n") }
      _ = connection.request()
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let client = try Client(port: recorder.port())
    client.send(BytesTests.getRequest)
    #expect(client.holds(count: 1 << 19))
    gate.note()
    let recorded = try #require(client.response())
    #expect(Data(recorded.content) == Data(content))
    #expect(try recorder.peakMemory() < 100 << 20)
    #expect(recorder.stop().status == 0)

    let replayer = try recording.replayer()
    #expect(try Client(port: replayer.port()).exchange(BytesTests.getRequest) == recorded)
    #expect(try replayer.peakMemory() < 100 << 20)
  }

  /// Every eight bytes are others.
  private static func content(count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      let words = UnsafeMutableRawBufferPointer(buffer).bindMemory(to: UInt64.self)
      for index in 0..<(count / 8) { words[index] = UInt64(index) &* 0x9E37_79B9_7F4A_7C15 }
      initialized = count
    }
  }
}
