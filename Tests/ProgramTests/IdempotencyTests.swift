import Foundation
import Testing

/// Orders that are taken while their answers are lost or late.
@Suite struct IdempotencyTests {
  /// A recording of three orders, each answered with its number.
  private static func recorded() throws -> Recording {
    let recording = try Recording()
    let upstream = try ScriptedUpstream { connection in
      for number in 1... {
        guard connection.request() != nil else { return }
        connection.send("HTTP/1.1 201 Created\r\nContent-Length: 7\r\n\r\norder \(number)")
      }
    }
    let recorder = try recording.recorder(upstream)
    let client = try Client(port: recorder.port())
    for number in 1...3 { #expect(client.exchange(order(nil))?.text == "order \(number)") }
    #expect(recorder.stop().status == 0)
    upstream.stop()
    return recording
  }

  private static func order(_ key: String?) -> [UInt8] {
    let field = key.map { "Idempotency-Key: \($0)\r\n" } ?? ""
    return bytes("POST /orders HTTP/1.1\r\nHost: a.test\r\n\(field)Content-Length: 2\r\n\r\n{}")
  }

  @Test(arguments: ["reset after commit", "delay 20s"])
  func `an order whose answer was lost or late is answered the same again`(
    _ clause: String
  ) throws {
    let recording = try Self.recorded()
    let replayer = try recording.replayer([
      "--seed", "1", "--rule", "POST /orders: idempotency replay",
      "--rule", "POST /orders: nth 1, \(clause)",
    ])
    let port = try replayer.port()
    let first = try RawSocket(port: port)
    first.send(Self.order("a"))
    let isReset = clause.hasPrefix("reset")
    let (received, end) = first.receive(within: isReset ? .seconds(20) : .seconds(1))
    #expect(received.isEmpty)
    #expect(end == (isReset ? .reset : .open))
    first.close()
    let client = try Client(port: port)
    let repeated = try #require(client.exchange(Self.order("a")))
    #expect(repeated.text == "order 1")
    #expect(repeated.value("Idempotency-Replayed") == "true")
    // Another key is another order, and so is none, each time.
    let others = [Self.order("b"), Self.order(nil), Self.order("b")]
      .compactMap { client.exchange($0) }
    #expect(others.map(\.text) == ["order 2", "order 3", "order 2"])
    #expect(others.map { $0.value("Idempotency-Replayed") } == [nil, nil, "true"])
    #expect(!replayer.stop().errors.contains("verdict: ambiguous-repeat"))
  }

  /// What a client does that has no keys, or a new one for each attempt.
  @Test(arguments: [(nil, nil), ("a", "b")] as [(String?, String?)])
  func `an order whose answer was lost is made twice under no key or another, and told`(
    first: String?, second: String?
  ) throws {
    let recording = try Self.recorded()
    let replayer = try recording.replayer([
      "--rule", "POST /orders: idempotency replay",
      "--rule", "POST /orders: nth 1, reset after commit", "--fail-on", "ambiguous-repeat",
    ])
    let port = try replayer.port()
    #expect(try Client(port: port).exchange(Self.order(first)) == nil)
    #expect(try Client(port: port).exchange(Self.order(second))?.text == "order 2")
    let ended = replayer.stop()
    #expect(ended.status == 1)
    let key = first == nil ? "without an Idempotency-Key" : "under another Idempotency-Key"
    #expect(ended.errors.contains("POST /orders was repeated \(key)"))
  }
}
