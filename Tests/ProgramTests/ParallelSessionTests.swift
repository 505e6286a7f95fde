import Foundation
import Synchronization
import Testing

/// Many tests at once on one replay, and many one after another.
@Suite struct ParallelSessionTests {
  /// Each session is refused a number of times of its own; half of them are reached by the field.
  @Test func `200 sessions at once each see their own`() throws {
    let replay = try Controlled(["--threads", "2"])
    let sessions = try (0..<200).map { number in
      let rules = "GET /feed: first \(number % 40 + 1), status \(500 + number % 3)"
      return try replay.session("{\"scenario\":\"\(rules)\"}")
    }
    let main = replay.port
    let wrong = Mutex<[String]>([])
    let group = DispatchGroup()
    for lane in 0..<8 {
      DispatchQueue.global().async(group: group) {
        for number in stride(from: lane, to: sessions.count, by: 8) {
          let session = sessions[number]
          let byField = number % 2 == 0
          let socket = try? RawSocket(port: byField ? main : session.port)
          let field = byField ? "Fixtured-Session: \(session.id)\r\n" : ""
          let statuses = (0..<50).map { _ in
            socket?.ask("GET /feed HTTP/1.1\r\nHost: a\r\n\(field)\r\n").status ?? 0
          }
          let refused = number % 40 + 1
          let expected =
            Array(repeating: 500 + number % 3, count: refused)
            + Array(repeating: 200, count: 50 - refused)
          if statuses != expected { wrong.withLock { $0.append("\(session.id): \(statuses)") } }
        }
      }
    }
    group.wait()
    #expect(wrong.withLock { $0 } == [])
    let (_, json) = try replay.ask("GET /v1/sessions")
    let all = try #require(json["sessions"] as? [[String: Any]])
    #expect(all.map { $0["exchanges"] as? Int } == [0] + Array(repeating: 50, count: 200))
  }

  private func descriptorCount(_ replay: Controlled) throws -> Int {
    let folder = "/proc/\(replay.program.process.processIdentifier)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count
  }

  @Test func `sessions that are over leave nothing behind`() throws {
    let replay = try Controlled()
    func go(_ count: Int) throws {
      for number in 0..<count {
        let session = try replay.session("{}")
        #expect(try replay.status("/feed", port: session.port) == 200)
        if number % 2 == 0 {
          let socket = try RawSocket(port: replay.port)
          let request = "GET /feed HTTP/1.1\r\nHost: a\r\nFixtured-Session: \(session.id)\r\n\r\n"
          #expect(socket.ask(request).status == 200)
        }
        #expect(try replay.ask("DELETE /v1/sessions/\(session.id)").status == 200)
      }
    }
    try go(40)
    let descriptors = try descriptorCount(replay)
    let memory = try replay.program.privateMemory()
    try go(160)
    #expect(try descriptorCount(replay) <= descriptors + 2)
    // What the allocator keeps differs from run to run; a session that stayed would be 100 KiB.
    #expect(try replay.program.privateMemory() - memory < 8 << 20)
  }
}
