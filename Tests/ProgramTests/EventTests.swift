import Foundation
import Testing

/// Who watches a session: what is told of open exchanges, and what becomes of a slow reader.
@Suite struct EventTests {
  /// A reader of events, and what it has read.
  private final class Watcher {
    private let socket: RawSocket
    private var text = ""
    private(set) var isOver = false
    /// Where it is.
    private(set) var place: String?

    init(_ replay: Controlled, _ session: String = "default", lastEvent: String? = nil) throws {
      socket = try RawSocket(port: replay.control)
      let field = lastEvent.map { "Last-Event-ID: \($0)\r\n" } ?? ""
      socket.send(
        "GET /v1/sessions/\(session)/events HTTP/1.1\r\nHost: 127.0.0.1:\(replay.control)\r\n"
          + "\(field)\r\n")
    }

    struct Event {
      let name: String
      let id: String?
      let json: [String: Any]

      init?(_ block: Substring) throws {
        var (name, id, data) = ("", String?.none, "")
        for line in block.split(separator: "\n") {
          if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
          if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
          if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
        }
        guard !data.isEmpty else { return nil }
        self.name = name
        self.id = id
        json = try #require(
          JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any])
      }

      var number: Int { json["number"] as? Int ?? 0 }
    }

    /// Reads until one of them is the last that is looked for, or no more come.
    func events(until isLast: (Event) -> Bool) throws -> [Event] {
      var found: [Event] = []
      let deadline = ContinuousClock.now + .seconds(120)
      while !isOver {
        try #require(ContinuousClock.now < deadline, "\(found.last.debugDescription) \(text)")
        let (bytes, end) = socket.receive(within: .seconds(60)) { !$0.isEmpty }
        // A line end of the head's is one character, and would hide those of the events.
        text += String(decoding: bytes.filter { $0 != 0x0D }, as: UTF8.self)
        isOver = end != .open
        var blocks = text.split(separator: "\n\n", omittingEmptySubsequences: false)
        text = String(blocks.removeLast())
        let read = try blocks.compactMap(Event.init)
        for line in blocks.joined(separator: "\n").split(separator: "\n")
        where line.hasPrefix("id: ") { place = String(line.dropFirst(4)) }
        found += read
        if read.contains(where: isLast) { break }
      }
      return found
    }

    func close() { socket.close() }
  }

  @Test func `an exchange is told when it waits, with what is planned, and when it settles`() throws
  {
    let replay = try Controlled([
      "--rule", "GET /feed: hold door, delay 10ms", "--rule", "GET /user: delay 1h",
    ])
    let watcher = try Watcher(replay)
    let held = try RawSocket(port: replay.port)
    held.send(Controlled.get("/feed"))
    let told = try watcher.events { $0.name == "begun" && $0.json["plan"] is [Any] }
    #expect(told.first?.name == "session")
    #expect(told.first?.json["first"] as? Int == 1)
    let begun = try #require(told.last)
    #expect(begun.id == "1;1")
    #expect(begun.json["outcome"] as? String == "open")
    #expect((begun.json["source"] as? [String: Any])?["kind"] as? String == "interaction")
    #expect(begun.json["rules"] as? [Int] == [1])
    let plan = try #require(begun.json["plan"] as? [[String: Any]])
    #expect(
      plan.map { $0["step"] as? String } == [
        "wait for door", "head 200", "content of 2 bytes",
      ])
    #expect(plan[1]["due_ms"] is NSNull)
    // The API says the same.
    let (_, one) = try replay.ask("GET /v1/sessions/default/exchanges/1")
    #expect((one["plan"] as? [Any])?.count == 3)
    #expect(try replay.ask("POST /v1/sessions/default/gates/door/release").status == 200)
    let settled = try watcher.events { $0.name.isEmpty }
    #expect(settled.last?.number == 1)
    #expect(settled.last?.json["outcome"] as? String == "completed")
    #expect(settled.last?.json["plan"] is NSNull)
    // Who leaves settles it, too.
    let slow = try RawSocket(port: replay.port)
    slow.send(Controlled.get("/user"))
    let waiting = try watcher.events { $0.name == "begun" && $0.json["plan"] is [Any] }
    let due = try #require(
      (waiting.last?.json["plan"] as? [[String: Any]])?.first?["due_ms"] as? Double)
    let received = try #require(waiting.last?.json["received_ms"] as? Double)
    #expect((due - received).rounded() == 3_600_000)
    slow.close()
    let left = try watcher.events { $0.name.isEmpty }
    #expect(left.last?.json["outcome"] as? String == "aborted")
    #expect(replay.program.stop().status == 0)
  }

  @Test func `many that wait are told, and none is lost to who comes back`() throws {
    let replay = try Controlled(["--rule", "GET /feed: hold door"])
    let watcher = try Watcher(replay)
    let held = try (1...40).map { _ in
      let socket = try RawSocket(port: replay.port)
      socket.send(Controlled.get("/feed"))
      return socket
    }
    var waiting: Set<Int> = []
    while waiting.count < 40 {
      let told = try watcher.events { $0.name == "begun" && $0.json["plan"] is [Any] }
      waiting.formUnion(told.filter { $0.json["plan"] is [Any] }.map(\.number))
    }
    let place = try #require(watcher.place)
    #expect(place == "40;\((1...40).map(String.init).joined(separator: ","))")
    watcher.close()
    #expect(try replay.ask("POST /v1/sessions/default/gates/door/release").status == 200)
    for socket in held { #expect(Answer(bytes: socket.receive().bytes, end: .open).status == 200) }
    let next = try Watcher(replay, lastEvent: place)
    var settled: Set<Int> = []
    while settled.count < 40 {
      settled.formUnion(try next.events { $0.name.isEmpty }.filter(\.name.isEmpty).map(\.number))
    }
    #expect(settled == Set(1...40))
    #expect(next.place == "40")
    #expect(replay.program.stop().status == 0)
  }

  @Test func `what streams is told again as it goes on`() throws {
    let replay = try Controlled(["--rule", "GET /feed: trickle 1B/700ms"])
    let watcher = try Watcher(replay)
    _ = try RawSocket(port: replay.port).ask("GET /feed HTTP/1.1\r\nHost: a\r\n\r\n")
    let told = try watcher.events { $0.name.isEmpty }.filter { $0.number == 1 }
    let sent = told.compactMap { $0.json["body_bytes"] as? Int }
    #expect(sent.last == 2)
    #expect(sent.dropLast().contains(1), "\(sent)")
    #expect(replay.program.stop().status == 0)
  }

  @Test func `a reset is told, and a place in another server's journal is none`() throws {
    let replay = try Controlled()
    _ = try replay.status("/feed")
    let watcher = try Watcher(replay, lastEvent: "500;3")
    #expect(try watcher.events { $0.number == 1 }.map(\.name) == ["session", ""])
    #expect(try replay.ask("POST /v1/sessions/default/reset").status == 200)
    _ = try replay.status("/user")
    let told = try watcher.events { $0.number > 0 }
    #expect(told.map(\.name) == ["session", ""])
    #expect(told[0].json["first"] as? Int == 2)
    #expect(told[1].number == 2)
    watcher.close()
    let next = try Watcher(replay)
    let again = try next.events { $0.number > 0 }
    #expect(again[0].json["first"] as? Int == 2)
    #expect(again[1].number == 2)
    #expect(replay.program.stop().status == 0)
  }

  /// Twenty readers that don't read, and more exchanges than a journal keeps: nothing is held for
  /// them but what a write buffer has, they are let go, and who comes back is told what is lost.
  @Test func `who does not read keeps nothing but its place`() throws {
    let replay = try Controlled()
    let first = try Watcher(replay)
    _ = try replay.status("/feed")
    // It may have been told as it began.
    #expect(try first.events { $0.name.isEmpty }.last?.id == "1")
    let before = try descriptors(of: replay)
    let stuck = try (0..<20).map { _ in try Watcher(replay) }
    let count = Journal.kept + 10_000
    try ask(count - 1, replay.port)
    let memory = try replay.program.privateMemory()
    // All that was told, for each of them, would be 20 times 50 MB.
    #expect(memory < 600 << 20, "\(memory)")
    // A reader that goes on from where it was has all that is kept, and the count of the others.
    let next = try Watcher(replay, lastEvent: "1")
    let events = try next.events { $0.number == count }
    let dropped = events.filter { $0.name == "dropped" }.compactMap { $0.json["dropped"] as? Int }
    #expect(events.filter { $0.number > 1 }.count + dropped.reduce(0, +) == count - 1)
    #expect(dropped.reduce(0, +) >= 9999)
    let (_, status) = try replay.ask("GET /v1/sessions/default")
    let (_, verdict) = try replay.ask("GET /v1/sessions/default/verdict")
    #expect(status["dropped"] as? Int == verdict["dropped"] as? Int)
    #expect(verdict["judged"] as? Int == count - (status["dropped"] as? Int ?? 0))
    // They are let go when they have read nothing for 15 seconds; who reads earlier goes on.
    let deadline = ContinuousClock.now + .seconds(120)
    while try descriptors(of: replay) > before + 1 {
      try #require(ContinuousClock.now < deadline)
      Thread.sleep(forTimeInterval: 0.2)
    }
    for watcher in stuck {
      _ = try watcher.events { _ in false }
      #expect(watcher.isOver)
    }
    #expect(replay.program.stop().status == 0)
  }

  private enum Journal {
    /// As README's limits have it.
    static let kept = 100_000
  }

  @Test func `who does not read that its session ended keeps no connection`() throws {
    let replay = try Controlled()
    // SQLite keeps a descriptor of the cassette from one session for the next.
    _ = try replay.ask("DELETE /v1/sessions/\(replay.session("{}").id)")
    let before = try descriptors(of: replay)
    let session = try replay.session("{}")
    let reader = try RawSocket(port: replay.control, receiveBuffer: 4096)
    reader.send(
      "GET /v1/sessions/\(session.id)/events HTTP/1.1\r\nHost: 127.0.0.1:\(replay.control)\r\n\r\n")
    try ask(30_000, session.port)
    #expect(try replay.ask("DELETE /v1/sessions/\(session.id)").status == 200)
    let deadline = ContinuousClock.now + .seconds(120)
    while try descriptors(of: replay) > before {
      try #require(ContinuousClock.now < deadline)
      Thread.sleep(forTimeInterval: 0.2)
    }
    #expect(replay.program.stop().status == 0)
    reader.close()
  }

  private func descriptors(of replay: Controlled) throws -> Int {
    let folder = "/proc/\(replay.program.process.processIdentifier)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count
  }

  private func ask(_ count: Int, _ port: UInt16) throws {
    let socket = try RawSocket(port: port)
    let request = "GET /feed HTTP/1.1\r\nHost: a\r\n\r\n"
    let size = socket.ask(request).bytes.count
    var rest = count - 1
    while rest > 0 {
      let part = min(rest, 500)
      socket.send(String(repeating: request, count: part))
      let received = socket.receive(within: .seconds(60)) { $0.count >= part * size }.bytes
      try #require(received.count == part * size)
      rest -= part
    }
  }
}
