import Foundation
import Synchronization
import Testing

/// Clients with few connections and many requests: how long each waits for its turn, as the
/// journal has it. What is exact is tested in process, on a clock that stands still.
@Suite struct WaitingTests {
  /// Requests by so many connections, each asking for the next when it is free.
  /// - Returns: the exchanges as the journal tells them, and how long it took the client to ask for
  ///   the first ones of all its connections.
  private func ask(
    _ rule: String, _ targets: [String], connections: Int
  ) throws -> (exchanges: [Exchange], asking_ms: Double) {
    let replay = try Controlled(["--seed", "42", "--rule", rule], targets: Array(Set(targets)))
    let waiting = Mutex(targets)
    let clients = try (0..<connections).map { _ in try RawSocket(port: replay.port) }
    let start = ContinuousClock.now
    for client in clients {
      let target = try #require(waiting.withLock { $0.popLast() })
      client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
    }
    let asking = ContinuousClock.now - start
    let done = DispatchSemaphore(value: 0)
    for client in clients {
      Worker.start {
        defer { done.signal() }
        while client.receive(within: .seconds(60), until: { $0.suffix(6) == bytes("\r\n\r\nok") })
          .bytes.count > 6, let target = waiting.withLock({ $0.popLast() })
        {
          client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        }
      }
    }
    for _ in clients { try #require(done.wait(timeout: .now() + 120) == .success) }
    let (_, json) = try replay.ask("GET /v1/sessions/default/exchanges")
    let exchanges = try #require(json["exchanges"] as? [[String: Any]])
    return (try exchanges.map { try Exchange($0) }, asking / .milliseconds(1))
  }

  private struct Exchange {
    let connection: Int
    let concurrent: Int
    let received_ms: Double
    let due_ms: Double
    let late_ms: Double
    let end_ms: Double

    init(_ json: [String: Any]) throws {
      connection = try #require(json["connection"] as? Int)
      concurrent = try #require(json["concurrent"] as? Int)
      received_ms = try #require(json["received_ms"] as? Double)
      let head = try #require(json["head"] as? [String: Double])
      due_ms = try #require(head["due_ms"])
      late_ms = try #require(head["done_ms"]) - due_ms
      end_ms = try #require(json["end_ms"] as? Double)
    }
  }

  @Test(arguments: [1, 2, 6, 20])
  func `twenty delays take as many turns as there are connections`(_ count: Int) throws {
    let (exchanges, _) = try ask(
      "/feed: delay 300ms", Array(repeating: "/feed", count: 20), connections: count)
    #expect(exchanges.count == 20)
    #expect(Set(exchanges.map(\.connection)).count == count)
    #expect(exchanges.allSatisfy { abs($0.due_ms - $0.received_ms - 300) < 0.01 })
    #expect(exchanges.allSatisfy { $0.late_ms >= 0 && $0.concurrent < count })
    let begin = exchanges.map(\.received_ms).min() ?? 0
    let total = (exchanges.map(\.end_ms).max() ?? 0) - begin
    #expect(total >= Double((20 + count - 1) / count) * 300)
  }

  @Test func `two hundred delays run beside each other`() throws {
    let (exchanges, asking_ms) = try ask(
      "/feed: delay 300ms", Array(repeating: "/feed", count: 200), connections: 200)
    #expect(Set(exchanges.map(\.connection)).count == 200)
    #expect(exchanges.allSatisfy { abs($0.due_ms - $0.received_ms - 300) < 0.01 })
    let begin = exchanges.map(\.received_ms).min() ?? 0
    let total = (exchanges.map(\.end_ms).max() ?? 0) - begin
    // What a busy machine adds is said: to ask takes time, and timers are late.
    let late = exchanges.map(\.late_ms).max() ?? 0
    #expect(total < 1000 + asking_ms + late)
  }

  /// p95: of forty, the 38th.
  @Test(arguments: [2, 6, 10, 40])
  func `forty thumbnails wait for their connections before the server has them`(
    _ count: Int
  ) throws {
    let targets = (0..<40).map { "/thumb/\($0)" }
    let (exchanges, asking_ms) = try ask(
      "/thumb/*: delay 100ms..400ms", targets, connections: count)
    #expect(exchanges.count == 40)
    #expect(Set(exchanges.map(\.connection)).count == count)
    let latencies = exchanges.map { $0.due_ms - $0.received_ms }
    #expect(latencies.allSatisfy { $0 > 99.99 && $0 < 400.01 })
    let begin = exchanges.map(\.received_ms).min() ?? 0
    let total = (exchanges.map(\.end_ms).max() ?? 0) - begin
    let sum = latencies.reduce(0, +)
    #expect(total >= max(sum / Double(count), latencies.max() ?? 0) - 0.1)
    let waits = exchanges.map { $0.received_ms - begin }.sorted()
    if count == 40 { #expect(waits[37] < 300 + asking_ms) }
    if count == 2 { #expect(abs(waits[37] / total - 37 / 40) < 0.1) }
  }
}
