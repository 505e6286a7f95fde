import Foundation
import Synchronization
import Testing

/// Which recording answers which request: parallel ones, repeated ones, ones that ran out.
@Suite struct OrderTests {
  @Test func `parallel requests are all recorded, in the order in which they came`() throws {
    let count = Mutex(0)
    let arrived = Instants()
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let target = text(ScriptedUpstream.target(of: request))
        var content = target
        if target == "/same" {
          let number = count.withLock { count in
            count += 1
            return count
          }
          content = "\(number)"
          arrived.note()
          // The last to come is the first to be answered.
          connection.pause(milliseconds: UInt32(20 * (12 - number)))
        } else {
          connection.pause(milliseconds: UInt32.random(in: 0..<100))
        }
        connection.send(
          "HTTP/1.1 200 OK\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)")
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let port = try recorder.port()
    let others = try (0..<50).map { try Self.started("/i/\($0)", port: port) }
    var same: [Client] = []
    for number in 1...10 {
      same.append(try Self.started("/same", port: port))
      arrived.wait(count: number)
    }
    for (number, client) in others.enumerated() {
      #expect(client.response()?.text == "/i/\(number)")
    }
    for (index, client) in same.enumerated() {
      #expect(client.response()?.text == "\(index + 1)")
    }
    #expect(recorder.stop().status == 0)
    let ids = try recording.interactions().compactMap { $0["id"] as? Int }
    #expect(ids == Array(1...60))

    let replayer = try recording.replayer()
    let client = try Client(port: replayer.port())
    for number in (0..<50).shuffled() {
      #expect(client.get("/i/\(number)")?.text == "/i/\(number)")
    }
    let replayed = (0..<10).map { _ in client.get("/same")?.text }
    #expect(replayed == (1...10).map { "\($0)" })
  }

  private static func started(_ target: String, port: UInt16) throws -> Client {
    let client = try Client(port: port)
    client.send(bytes("GET \(target) HTTP/1.1\r\nHost: a.test\r\n\r\n"))
    return client
  }

  @Test func `parallel clients share one sequence, each recording is used once`() throws {
    let recording = try Recording()
    let recorder = try recording.recorder(Self.counting())
    let client = try Client(port: recorder.port())
    for _ in 0..<100 { _ = client.get("/n") }
    #expect(recorder.stop().status == 0)

    let replayer = try recording.replayer()
    let port = try replayer.port()
    let clients = try (0..<10).map { _ in try Client(port: port) }
    var used: Set<String> = []
    for _ in 0..<10 {
      for client in clients { client.send(BytesTests.request("/n")) }
      for client in clients { used.insert(client.response()?.text ?? "") }
    }
    #expect(used == Set((1...100).map { "\($0)" }))
  }

  /// Answers every request with a number, from 1.
  private static func counting() throws -> ScriptedUpstream {
    let count = Instants()
    return try ScriptedUpstream { connection in
      while connection.request() != nil {
        count.note()
        let number = "\(count.all.count)"
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(number.count)\r\n\r\n\(number)")
      }
    }
  }

  @Test func `pipelined requests are answered in order, in record and in replay`() throws {
    let recording = try Recording()
    let recorder = try recording.recorder(Self.counting())
    let pipelined = Array((0..<50).map { _ in BytesTests.request("/n") }.joined())
    let numbers = (1...50).map { "\($0)" }
    let client = try Client(port: recorder.port())
    client.send(pipelined)
    #expect((0..<50).map { _ in client.response()?.text } == numbers)
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer()
    let again = try Client(port: replayer.port())
    again.send(pipelined)
    #expect((0..<50).map { _ in again.response()?.text } == numbers)
  }

  @Test func `the same session recorded twice gives the same text`() throws {
    let texts = try (0..<2).map { _ in
      let recording = try Recording()
      let upstream = try Self.counting()
      let recorder = try recording.recorder(upstream)
      let client = try Client(port: recorder.port())
      for target in ["/a", "/n", "/n", "/b?x=1"] { _ = client.get(target) }
      #expect(recorder.stop().status == 0)
      return try Program.run(["dump", recording.cassette], in: recording.folder).output
        .replacingOccurrences(of: "\(upstream.port)", with: "PORT")
    }
    #expect(texts[0] == texts[1])
  }

  /// What was read, written and read again, as requests and the content of their answers.
  static let session: [(request: [UInt8], answer: String)] = [
    (BytesTests.request("/t/7"), "{\"v\":1}"),
    (
      bytes("PUT /t/7 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 7\r\n\r\n{\"v\":2}"), "written"
    ),
    (BytesTests.request("/t/7"), "{\"v\":2}"), (BytesTests.request("/t/7?p=1"), "a"),
    (BytesTests.request("/t/7?p=2"), "b"), (BytesTests.request("/t/7?p=1"), "c"),
  ]

  @Test func `each request has a sequence of its own, which a new replay begins anew`() throws {
    let upstream = try ScriptedUpstream { connection in
      for (_, answer) in Self.session {
        guard connection.request() != nil else { return }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(answer.count)\r\n\r\n\(answer)")
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let answers = Self.session.map(\.answer)
    let client = try Client(port: recorder.port())
    #expect(Self.session.map { client.exchange($0.request)?.text } == answers)
    #expect(recorder.stop().status == 0)
    for _ in 0..<2 {
      let replayer = try recording.replayer()
      let client = try Client(port: replayer.port())
      #expect(Self.session.map { client.exchange($0.request)?.text } == answers)
    }
    let replayer = try recording.replayer()
    let other = try Client(port: replayer.port())
    let targets = ["/t/7?p=2", "/t/7?p=2", "/t/7?p=1", "/t/7?p=2", "/t/7?p=1", "/t/7?p=1"]
    #expect(targets.map { other.get($0)?.text } == ["b", "b", "a", "b", "c", "c"])
  }

  @Test(arguments: [
    ([], [200, 200, 501], 0), (["--exhausted", "miss"], [200, 501, 501], 0),
    (["--exhausted", "cycle"], [200, 200, 501], 0), (["--strict"], [200, 200, 501], 1),
    (["--exhausted", "miss", "--strict"], [200, 501, 501], 1),
  ])
  func `what is asked beyond the recordings never reaches the upstream`(
    options: [String], statuses: [Int], exit: Int
  ) throws {
    let upstream = try ScriptedUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    #expect(try Client(port: recorder.port()).get("/a")?.status == 200)
    #expect(recorder.stop().status == 0)

    let replayer = try recording.replayer(options)
    let client = try Client(port: replayer.port())
    let answers = try ["/a", "/a", "/b"].map { try #require(client.get($0)) }
    #expect(answers.map(\.status) == statuses)
    let problem = try #require(
      try JSONSerialization.jsonObject(with: Data(answers[2].content)) as? [String: Any])
    #expect(problem["reason"] as? String == "not-recorded")
    if statuses[1] == 501 {
      #expect(answers[1].text.contains("GET /a is recorded 1 time, already used"))
    }
    let ended = replayer.stop()
    #expect(ended.status == Int32(exit))
    let summary = statuses[1] == 200 ? "\n2 plays, 1 miss\n" : "\n1 play, 2 misses\n"
    #expect(ended.errors.contains(summary))
    #expect(upstream.requests.count == 1)
  }
}
