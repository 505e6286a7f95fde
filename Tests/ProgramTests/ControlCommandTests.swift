import Foundation
import Testing

/// `fixtured ctl` against a replay.
@Suite struct ControlCommandTests {
  private func run(
    _ replay: Controlled, _ words: String..., input: String = ""
  ) throws -> (status: Int32, output: String, errors: String) {
    let ended = try Program.run(
      ["ctl", "--control", "http://127.0.0.1:\(replay.control)"] + words,
      in: replay.recording.folder)
    return (ended.status, ended.output, ended.errors)
  }

  private func json(_ output: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
  }

  @Test func `a session from its making to its verdict`() throws {
    let replay = try Controlled()
    let made = try run(
      replay, "create", "--rule", "GET /feed: first 1, status 503, retry-after 900s", "--rule",
      "GET /user: while down, status 500", "--seed", "7", "lease_s=60", "receipts=true")
    #expect(made.status == 0, "\(made.errors)")
    let words = made.output.split(whereSeparator: \.isWhitespace).map(String.init)
    let id = try #require(words.first)
    let port = try #require(URL(string: words.last ?? "")?.port.map(UInt16.init))
    for status in [503, 200] { #expect(try replay.status("/feed", port: port) == status) }
    #expect(try run(replay, "flags", id, "raise=down").status == 0)
    #expect(try replay.status("/user", port: port) == 500)
    #expect(try run(replay, "flags", id, "clear=down").status == 0)
    #expect(try replay.status("/user", port: port) == 200)
    #expect(try run(replay, "clock", id, "2031-01-31T12:00:00Z").status == 0)
    #expect(try run(replay, "clock", id, "+60").status == 0)
    #expect(try run(replay, "etags", id, "/feed").status == 0)
    #expect(try run(replay, "release", id, "a door").status == 0)
    let session = try json(run(replay, "session", id).output)
    #expect(session["seed"] as? String == "7")
    #expect(session["lease_s"] as? Int == 60)
    #expect(session["exchanges"] as? Int == 4)
    let listed = try run(replay, "exchanges", id).output.split(separator: "\n")
    #expect(listed.count == 4)
    #expect(listed[0].hasPrefix("1 GET /feed → 503, rule 1, "))
    #expect(listed[1].hasPrefix("2 GET /feed → 200, interaction "))
    #expect(listed[1].contains(" bytes, ") && listed[1].hasSuffix(" ms, connection 2"))
    #expect(
      (try json(run(replay, "exchanges", id, "--json").output)["exchanges"] as? [Any])?.count == 4)
    #expect(try json(run(replay, "exchanges", id, "2").output)["number"] as? Int == 2)
    #expect(try run(replay, "sessions").output.contains("\n\(id) http://127.0.0.1:\(port) 4\n"))
    let passed = try run(replay, "verdict", id)
    #expect(passed.status == 0)
    #expect(passed.errors.contains("verdict: retry-after: GET /feed was repeated"))
    #expect(try run(replay, "verdict", id, "--fail-on", "misses").status == 0)
    let failed = try run(replay, "delete", id, "--fail-on", "misses,retry-after")
    #expect(failed.status == 1)
    #expect((try json(failed.output)["failed"] as? [String])?.contains("retry-after") == true)
    #expect(try run(replay, "session", id).status == 1)
  }

  @Test func `other rules, and a reset`() throws {
    let replay = try Controlled()
    #expect(try run(replay, "scenario", "--rule", "GET /feed: first 1, status 418").status == 0)
    for status in [418, 200] { #expect(try replay.status("/feed") == status) }
    #expect(try run(replay, "reset").status == 0)
    #expect(try replay.status("/feed") == 418)
    #expect(try run(replay, "scenario", "default").status == 0)
    #expect(try replay.status("/feed") == 200)
  }

  @Test func `what can't be asked is said by name`() throws {
    let replay = try Controlled()
    for (words, status, text) in [
      (["sesions"], 2, "one of sessions, session, create"),
      (["delete"], 2, "fixtured ctl delete ID"),
      (["create", "lease=60"], 2, "lease_s"), (["create", "lease_s=x"], 2, "a number of seconds"),
      (["flags", "default", "down"], 2, "raise=down or clear=down"),
      (["reset", "--rule", "*: delay 1s"], 2, "takes no rules"),
      (["reset", "--fail-on", "misses"], 2, "judges nothing"),
      (["verdict", "--fail-on", "attempts"], 2, "--attempts-max"),
      (["session", "s9"], 1, "there is no session"),
      (["session", "../health"], 1, "there is no session"),
      (["exchanges", "default", "9"], 1, "has no exchange 9"),
      (["delete", "default"], 1, "reset it instead"),
    ] {
      let ended = try Program.run(
        ["ctl", "--control", "127.0.0.1:\(replay.control)"] + words, in: replay.recording.folder)
      #expect(ended.status == status, "\(words)")
      #expect(ended.errors.contains(text), "\(words): \(ended.errors)")
      #expect(ended.output.isEmpty)
    }
  }

  @Test func `where nothing or something else answers, that is said`() throws {
    let folder = try Folder()
    let port = try RawSocket.unusedPort()
    let nobody = try Program.run(["ctl", "sessions", "--control", "127.0.0.1:\(port)"], in: folder)
    #expect(nobody.status == 1)
    #expect(nobody.errors.contains("start fixtured replay with --control"))
    let other = try ScriptedUpstream.answering("SSH-2.0-x\r\n\r\n")
    let wrong = try Program.run(
      ["ctl", "sessions", "--control", String(other.url.dropFirst(7))], in: folder)
    #expect(wrong.status == 1)
    #expect(wrong.errors.contains("name the HOST:PORT that a replay prints"))
    other.stop()
  }

  @Test(arguments: [
    ["verdict", "--fail-on", "misses"], ["delete", "s1", "--fail-on", "misses"], ["create"],
    ["sessions"], ["session"], ["exchanges"], ["exchanges", "default", "1"],
  ])
  func `what another program answers is no success`(words: [String]) throws {
    let other = try ScriptedUpstream { connection in
      _ = connection.request()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
    }
    let ended = try Program.run(["ctl", "--control", other.url] + words, in: Folder())
    #expect(ended.status == 1)
    #expect(ended.output == "")
    #expect(ended.errors.contains("is none of a control API"))
  }
}
