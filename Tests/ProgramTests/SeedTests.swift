import Foundation
import Synchronization
import Testing

/// What a seed promises: the same faults for the nth request of each kind, whoever else asks and in
/// whatever order.
@Suite struct SeedTests {
  private static let clientCount = 64
  private static let attempts = 6
  private static let rules = [
    "*: chance 30%, status 503, retry-after 1s", "*: chance 20%, delay 5ms..40ms",
    "*: chance 25%, truncate at 50%", "*: chance 20%, set X-Drawn yes",
  ]

  /// What one request got: its receipt, its status and how much of it came.
  private struct Met: Hashable {
    let status: Int
    let rules: String
    let seed: String
    let count: Int
  }

  /// A cassette with a recording for every client.
  private static func recorded() throws -> Recording {
    let recording = try Recording()
    let upstream = try ScriptedUpstream.answering(
      "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n" + String(repeating: "0123456789", count: 4))
    let recorder = try recording.recorder(upstream)
    let client = try Client(port: recorder.port())
    for number in 0..<clientCount { _ = client.get("/c/\(number)") }
    #expect(recorder.stop().status == 0)
    upstream.stop()
    return recording
  }

  /// Everything that all clients met, each on a thread of its own, in an order that is drawn.
  private static func met(_ recording: Recording, seed: Int) throws -> [[Met]] {
    let replayer = try recording.replayer(
      ["--receipts", "--threads", "2", "--seed", "\(seed)"] + rules.flatMap { ["--rule", $0] })
    let port = try replayer.port()
    let all = Mutex([[Met]](repeating: [], count: clientCount))
    let done = DispatchSemaphore(value: 0)
    for number in (0..<clientCount).shuffled() {
      Worker.start {
        var own: [Met] = []
        for _ in 0..<attempts {
          usleep(.random(in: 0...2000))
          let request = bytes("GET /c/\(number) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
          if let met = try? Self.met(request, port: port) { own.append(met) }
        }
        all.withLock { $0[number] = own }
        done.signal()
      }
    }
    for _ in 0..<clientCount { try #require(done.wait(timeout: .now() + 60) == .success) }
    #expect(replayer.stop().status == 0)
    return all.withLock { $0 }
  }

  private static func met(_ request: [UInt8], port: UInt16) throws -> Met {
    let answer = text(try Answer.to(request, port: port, within: .seconds(30)).bytes)
    let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let lines = parts[0].split(separator: "\r\n")
    func value(_ name: String) -> String {
      lines.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) } ?? ""
    }
    return Met(
      status: Int(lines.first?.split(separator: " ")[1] ?? "") ?? 0, rules: value("Fixtured-Rule"),
      seed: value("Fixtured-Seed"), count: parts.count > 1 ? parts[1].utf8.count : 0)
  }

  @Test func `64 parallel clients meet the same faults in every run of a seed`() throws {
    let recording = try Self.recorded()
    let first = try Self.met(recording, seed: 11)
    let second = try Self.met(recording, seed: 11)
    let other = try Self.met(recording, seed: 12)
    #expect(first.allSatisfy { $0.count == Self.attempts })
    #expect(first == second)
    #expect(first != other)
    #expect(first.joined().allSatisfy { $0.seed == "11" })
    #expect(other.joined().allSatisfy { $0.seed == "12" })
    // Each of the faults was met somewhere.
    let rules = Set(first.joined().flatMap { $0.rules.split(separator: ", ") })
    #expect(rules == ["1", "2", "3", "4"])
    #expect(Set(first.joined().map(\.count)) == [0, 20, 40])
    // A retry after a drawn 503 draws anew: of so many, most succeed the next time.
    let retried = first.flatMap { met in zip(met, met.dropFirst()).filter { $0.0.status == 503 } }
    #expect(retried.count > 60)
    #expect(retried.contains { $0.1.status == 503 })
    #expect(retried.count { $0.1.status == 200 } > retried.count / 2)
    // Clients draw each for itself.
    #expect(Set(first).count > 60)
  }
}
