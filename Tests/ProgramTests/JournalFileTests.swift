import FixtureStore
import Foundation
import Testing

/// `fixtured replay --journal`: a file that has what happened.
@Suite struct JournalFileTests {
  private let get = bytes("GET /feed HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

  private func recorded() throws -> Recording {
    let recording = try Recording()
    let upstream = try ScriptedUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let recorder = try recording.recorder(upstream)
    _ = try Answer.to(get, port: recorder.port())
    #expect(recorder.stop().status == 0)
    upstream.stop()
    return recording
  }

  private func exchanges(
    _ recording: Recording, session: Int64 = 1
  ) throws -> [JournalRow.Exchange] {
    let reader = try JournalReader(path: recording.folder.path("j.db"))
    var exchanges: [JournalRow.Exchange] = []
    try reader.exchanges(of: session) { exchanges.append($0) }
    return exchanges
  }

  @Test func `every exchange is in the file, in order`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer([
      "--journal", "j.db", "--rule", "GET /feed: nth 2, status 503", "--rule",
      "GET /feed: nth 3, reset",
    ])
    let kept = try RawSocket(port: replayer.port())
    for _ in 0..<2 {
      kept.send("GET /feed HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(!kept.receiveAnswer().bytes.isEmpty)
    }
    _ = try Answer.to(get, port: replayer.port())
    let missed = try Answer.to(
      bytes("POST /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"),
      port: replayer.port())
    #expect(text(missed.bytes).hasPrefix("HTTP/1.1 501 "))
    #expect(replayer.stop().status == 0)
    #expect(try recording.folder.names().filter { $0.hasPrefix("j.db") } == ["j.db"])
    let found = try exchanges(recording)
    #expect(found.map(\.number) == [1, 2, 3, 4])
    #expect(found.map(\.connection) == [1, 1, 2, 3])
    #expect(found.map(\.ordinal) == [1, 2, 1, 1])
    #expect(found[0].source == .interaction(1, play: 1, of: 1))
    #expect(found[1].source == .rules)
    #expect(found.map(\.rules) == ["", "1", "2", ""])
    #expect(found.map(\.outcome) == ["completed", "completed", "reset", "completed"])
    #expect(found[3].contentSize == 2)
    #expect(found[3].contentDigest?.count == 64)
    guard case .miss(let line) = found[3].source else {
      Issue.record("\(found[3].source)")
      return
    }
    #expect(line.contains("POST /none"))
  }

  @Test func `a kill leaves a file that opens, with all but the last moments`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer(["--journal", "j.db"])
    for _ in 0..<20 { _ = try Answer.to(get, port: replayer.port()) }
    let path = recording.folder.path("j.db")
    try eventually {
      let reader = try JournalReader(path: path)
      return try reader.sessions().count == 1 && reader.exchangeCount(of: 1) == 20
    }
    _ = replayer.stop(SIGKILL)
    #expect(try exchanges(recording).count == 20)
    // The next run takes its place.
    let next = try recording.replayer(["--journal", "j.db"])
    _ = try Answer.to(get, port: next.port())
    #expect(next.stop().status == 0)
    #expect(try exchanges(recording).count == 1)
  }

  @Test func `answers that are given at once are in it like any other`() throws {
    let recording = try Recording()
    let content = String(repeating: "x", count: 60_000)
    let upstream = try ScriptedUpstream.answering(
      "HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n\(content)")
    let recorder = try recording.recorder(upstream)
    for target in ["/large", "/larger"] {
      _ = try Answer.to(Controlled.get(target), port: recorder.port())
    }
    #expect(recorder.stop().status == 0)
    upstream.stop()
    let replayer = try recording.replayer(["--journal", "j.db"])
    let kept = try RawSocket(port: replayer.port())
    var length = 0
    for number in 0..<100 {
      kept.send("GET /\(number % 2 == 0 ? "large" : "larger") HTTP/1.1\r\nHost: a\r\n\r\n")
      if number == 0 {
        length = kept.receiveAnswer().bytes.count
        continue
      }
      #expect(kept.receive { $0.count >= length }.bytes.count == length)
    }
    #expect(replayer.stop().status == 0)
    let found = try exchanges(recording)
    #expect(found.map(\.number) == (1...100).map(Int64.init))
    #expect(found.map(\.ordinal) == (1...100).map(Int64.init))
    #expect(found.allSatisfy { $0.bodyBytes == 60_000 && $0.outcome == "completed" })
    #expect(found.allSatisfy { $0.end_us == $0.received_us || $0.number < 5 })
    #expect(Set(found.map(\.source)).count == 2)
    let reader = try JournalReader(path: recording.folder.path("j.db"))
    for exchange in found.suffix(2) {
      let target = try #require(try reader.request(exchange.request)).target
      #expect(text(target) == (exchange.number % 2 == 1 ? "/large" : "/larger"))
      let id = try #require(exchange.response)
      #expect(try reader.response(id)?.status == 200)
    }
    #expect(try reader.lastExchanges(of: 1, limit: 3).map(\.number) == [98, 99, 100])
    #expect(try reader.exchangeCount(of: 1) == 100)
  }

  @Test func `a kill amid requests loses only those of the last moment`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer(["--journal", "j.db"])
    let kept = try RawSocket(port: replayer.port())
    func ask(_ count: Int) {
      for _ in 0..<count {
        kept.send("GET /feed HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(kept.receive { $0.suffix(2) == bytes("ok")[...] }.end == .open)
      }
    }
    let path = recording.folder.path("j.db")
    ask(1000)
    try eventually { try JournalReader(path: path).exchangeCount(of: 1) == 1000 }
    ask(50)
    _ = replayer.stop(SIGKILL)
    let found = try exchanges(recording)
    #expect(found.count >= 1000 && found.count <= 1050)
    #expect(found.map(\.number) == (1...Int64(found.count)).map { $0 })
    // What they name is there, too.
    let reader = try JournalReader(path: path)
    for exchange in Set(found.map(\.request)) { #expect(try reader.request(exchange) != nil) }
    for exchange in Set(found.compactMap(\.response)) {
      #expect(try reader.response(exchange) != nil)
    }
  }

  @Test func `sessions of the control API are in it`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer(["--journal", "j.db", "--control", "127.0.0.1:0"])
    let control = try replayer.controlPort()
    let made = try Answer.to(
      bytes(
        "POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(control)\r\nConnection: close\r\n"
          + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"), port: control)
    let answer = text(made.bytes)
    let mark = try #require(answer.firstRange(of: "\"url\":\"http://127.0.0.1:"))
    let port = try #require(UInt16(answer[mark.upperBound...].prefix { $0.isNumber }))
    _ = try Answer.to(get, port: port)
    #expect(replayer.stop().status == 0)
    let reader = try JournalReader(path: recording.folder.path("j.db"))
    #expect(try reader.sessions().map(\.name) == ["default", "s1"])
    #expect(try exchanges(recording, session: 2).count == 1)
  }

  @Test func `rules are in it with their words, and what they drew`() throws {
    let recording = try recorded()
    try Data("# lab\n\n*: chance 0%, status 503\n".utf8)
      .write(to: recording.folder.url.appendingPathComponent("lab.rules"))
    let replayer = try recording.replayer([
      "--journal", "j.db", "--control", "127.0.0.1:0", "--scenario", "lab.rules", "--rule",
      "/feed: delay 1ms..2ms", "--seed", "7",
    ])
    _ = try Answer.to(get, port: replayer.port())
    let control = try replayer.controlPort()
    let content = #"{"scenario":"*: nth 2, status 503","seed":9}"#
    let changed = try Answer.to(
      bytes(
        "PUT /v1/sessions/default/scenario HTTP/1.1\r\nHost: 127.0.0.1:\(control)\r\n"
          + "Connection: close\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)"), port: control)
    #expect(changed.status == 200)
    for _ in 0..<2 { _ = try Answer.to(get, port: replayer.port()) }
    #expect(replayer.stop().status == 0)
    let reader = try JournalReader(path: recording.folder.path("j.db"))
    #expect(
      try reader.rules(of: 1) == [
        .init(
          session: 1, number: 1, seed: 7,
          lines: [
            .init(text: "*: chance 0%, status 503", origin: "lab.rules:3"),
            .init(text: "/feed: delay 1ms..2ms", origin: "--rule"),
          ]),
        .init(
          session: 1, number: 2, seed: 9,
          lines: [.init(text: "*: nth 2, status 503", origin: "scenario:1")]),
      ])
    let found = try exchanges(recording)
    #expect(found.map(\.ruleSet) == [1, nil, 2])
    #expect(found.map(\.rules) == ["2", "", "1"])
    #expect(found.map { $0.draws == nil } == [false, true, true])
    let draws = try JSONSerialization.jsonObject(with: Data((found[0].draws ?? "").utf8))
    let clauses = (draws as? [[String: Any]])?.map { $0["clause"] as? String }
    #expect(clauses == ["chance 0%", "delay 1ms..2ms"])
  }

  @Test func `who reads the file at the end loses nothing and fails nobody`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer(["--journal", "j.db"])
    _ = try Answer.to(get, port: replayer.port())
    // A reader in a transaction of its own, as a shell or a report has it.
    let reader = Process()
    reader.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    reader.arguments = [
      "python3", "-c",
      "import sqlite3,sys,time\nd=sqlite3.connect(sys.argv[1],isolation_level=None)\n"
        + "d.execute('BEGIN')\nd.execute('SELECT count(*) FROM session').fetchall()\n"
        + "open(sys.argv[2],'w')\ntime.sleep(60)",
      recording.folder.path("j.db"), recording.folder.path("reading"),
    ]
    try reader.run()
    defer { reader.terminate() }
    let deadline = ContinuousClock.now + .seconds(30)
    while try !recording.folder.names().contains("reading"), ContinuousClock.now < deadline {
      usleep(5_000)
    }
    #expect(try recording.folder.names().contains("reading"))
    let ended = replayer.stop()
    #expect(ended.status == 0)
    #expect(!ended.errors.contains("journaled"))
    #expect(try exchanges(recording).count == 1)
  }

  @Test func `a report judges what came after a reset`() throws {
    let replay = try Controlled(["--journal", "j.db", "--rule", "POST /o: status 502"])
    func order() throws {
      let request =
        "POST /o HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx"
      #expect(try Answer.to(bytes(request), port: replay.port).status == 502)
    }
    try order()
    #expect(try replay.ask("POST /v1/sessions/default/reset").status == 200)
    try order()
    #expect(replay.program.stop().status == 0)
    let report = try Program.run(["report", "j.db"], in: replay.recording.folder)
    #expect(report.status == 0)
    #expect(!report.output.contains("POST /o was repeated"))
    #expect(report.output.contains("Exchanges up to 1 were forgotten by a reset."))
  }

  @Test func `a journal of a newer format is refused by name, and left as it is`() throws {
    let recording = try recorded()
    let first = try recording.replayer(["--journal", "j.db"])
    _ = try first.port()
    #expect(first.stop().status == 0)
    let url = recording.folder.url.appendingPathComponent("j.db")
    var file = try Data(contentsOf: url)
    file[63] = 99
    try file.write(to: url)
    for arguments in [
      ["report", "j.db"],
      ["replay", "--listen", "127.0.0.1:0", "--journal", "j.db", recording.cassette],
    ] {
      let refused = try Program.run(arguments, in: recording.folder)
      #expect(refused.status == 1)
      #expect(refused.errors.hasPrefix("fixtured: j.db: a journal of format version 99"))
    }
    #expect(try Data(contentsOf: url) == file)
  }

  @Test func `a journal of an older format is refused by name, and replaced`() throws {
    let recording = try recorded()
    let first = try recording.replayer(["--journal", "j.db"])
    _ = try first.port()
    #expect(first.stop().status == 0)
    // The user version of the file header.
    let url = recording.folder.url.appendingPathComponent("j.db")
    var file = try Data(contentsOf: url)
    file[63] = 1
    try file.write(to: url)
    let report = try Program.run(["report", "j.db"], in: recording.folder)
    #expect(report.status == 1)
    #expect(report.errors.contains("a journal of format version 1"))
    let second = try recording.replayer(["--journal", "j.db"])
    _ = try Answer.to(get, port: second.port())
    #expect(second.stop().status == 0)
    #expect(try exchanges(recording).count == 1)
  }

  @Test func `secrets are never on the disk`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer(["--journal", "j.db"])
    let secrets = ["tok-4711-abcdefgh", "pass-0815-qrstuvw", "sess-1234-zyxwvut"]
    let content = "password=\(secrets[1])"
    let request =
      "POST /feed?access_token=\(secrets[0])&again=\(secrets[1]) HTTP/1.1\r\nHost: a\r\n"
      + "Connection: close\r\nAuthorization: Bearer \(secrets[0])\r\nX-Echo: \(secrets[2])\r\n"
      + "Cookie: id=\(secrets[2])\r\nContent-Type: application/x-www-form-urlencoded\r\n"
      + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)"
    _ = try Answer.to(bytes(request), port: replayer.port())
    // Also while it is written.
    try eventually {
      try JournalReader(path: recording.folder.path("j.db")).exchangeCount(of: 1) == 1
    }
    for name in try recording.folder.names().filter({ $0.hasPrefix("j.db") }) {
      let file = Data(try recording.folder.bytes(name))
      for secret in secrets { #expect(file.range(of: Data(secret.utf8)) == nil, "\(name)") }
    }
    #expect(replayer.stop().status == 0)
    let file = Data(try recording.folder.bytes("j.db"))
    for secret in secrets { #expect(file.range(of: Data(secret.utf8)) == nil) }
    let reader = try JournalReader(path: recording.folder.path("j.db"))
    let head = try #require(try reader.request(1))
    #expect(text(head.target).hasPrefix("/feed?access_token=REDACTED-"))
    #expect(text(head.fields).contains("\r\nContent-Length: \(content.utf8.count)\r\n"))
  }

  @Test func `nothing but a journal is overwritten`() throws {
    let recording = try recorded()
    let before = try recording.folder.states()
    let cassette = try #require(before.keys.first { $0.hasSuffix(".db") })
    let ended = try Program.run(
      ["replay", cassette, "--listen", "127.0.0.1:0", "--journal", cassette],
      in: recording.folder)
    #expect(ended.status == 1)
    #expect(ended.errors.contains("the file is no journal of fixtured and is left as it is"))
    #expect(try recording.folder.states() == before)
    let first = try recording.replayer(["--journal", "j.db"])
    _ = try first.port()
    let second = try Program.run(
      ["replay", cassette, "--listen", "127.0.0.1:0", "--journal", "j.db"],
      in: recording.folder)
    #expect(second.status == 1)
    #expect(second.errors.contains("another fixtured writes to it"))
    #expect(first.stop().status == 0)
  }

  private func eventually(_ holds: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while try !holds() {
      try #require(ContinuousClock.now < deadline)
      Thread.sleep(forTimeInterval: 0.02)
    }
  }
}
