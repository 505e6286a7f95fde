import FixtureControl
import Foundation
import Testing

/// The client for test runners against a replay.
@Suite struct FixtureControlTests {
  private func control(_ replay: Controlled) throws -> FixtureControl {
    FixtureControl(try #require(URL(string: "http://127.0.0.1:\(replay.control)/")))
  }

  private func status(_ target: String, of session: FixtureControl.Session) throws -> Int {
    let port = UInt16(try #require(session.baseURL.port))
    return try Answer.to(Controlled.get(target), port: port).status
  }

  @Test func `a test makes its session, and judges it at its end`() async throws {
    let replay = try Controlled()
    let control = try control(replay)
    try await control.checkHealth()
    var setup = FixtureControl.SessionSetup(
      scenario: "GET /feed: first 1, status 503, retry-after 900s", seed: .max)
    // Longer than a busy machine keeps a task waiting.
    setup.lease = 3600
    setup.receipts = true
    let session = try await control.createSession(setup)
    #expect(try status("/feed", of: session) == 503)
    #expect(try status("/feed", of: session) == 200)
    #expect(try status("/none", of: session) == 501)
    let state = try await session.status()
    #expect(state.seed == .max)
    #expect(state.lease == 3600)
    #expect(state.exchanges == 3)
    #expect(try await control.sessions().map(\.id) == ["default", session.id])
    #expect(try await control.session(id: session.id).baseURL == session.baseURL)
    let exchanges = try await session.exchanges()
    #expect(exchanges.map { $0.response?.status } == [503, 200, 501])
    #expect(exchanges.map(\.source.kind) == ["rules", "interaction", "miss"])
    #expect(try await session.exchanges(after: 2).map(\.number) == [3])
    let whole = try await session.exchange(1)
    #expect(whole.request.values(of: "HOST") == ["a"])
    #expect(whole.rules == [1])
    #expect(whole.outcome == .completed)
    let verdict = try await session.delete(.init(attemptsMax: 1))
    #expect(verdict.judged == 3)
    #expect(
      verdict.findings(of: .retryAfter, .attempts, .misses).map(\.check)
        == [.retryAfter, .attempts, .misses])
    #expect(verdict.description.contains("retry-after: GET /feed was repeated"))
  }

  @Test func `what was left to chance is told`() async throws {
    let replay = try Controlled()
    let session = try await control(replay).createSession(
      .init(scenario: "GET /feed: chance 100%, delay 1ms..3ms"))
    #expect(try status("/feed", of: session) == 200)
    let draws = try #require(try await session.exchanges().first).draws
    #expect(draws.map(\.rule) == [1, 1])
    #expect(draws.map(\.clause) == ["chance 100%", "delay 1ms..3ms"])
    #expect(draws.map(\.holds) == [true, nil])
    #expect(draws.last?.drawn.hasSuffix("ms") == true)
  }

  @Test func `flags, gates, tags, rules and the clock`() async throws {
    let replay = try Controlled()
    let session = try await control(replay).createSession(
      .init(scenario: "GET /feed: while down, status 500\nGET /user: hold door"))
    #expect(try await session.change(raise: ["down"]).flags == ["down"])
    #expect(try status("/feed", of: session) == 500)
    #expect(try await session.change(clear: ["down"]).flags == [])
    #expect(try status("/feed", of: session) == 200)
    let held = try RawSocket(port: UInt16(try #require(session.baseURL.port)))
    held.send(Controlled.get("/user"))
    try replay.waitForExchanges(3, in: session.id)
    var waiting = 0
    while waiting == 0 { waiting = try await session.status().gates.first?.waiting ?? 0 }
    #expect(try await session.release("door") == 1)
    #expect(Answer(bytes: held.receiveAnswer().bytes, end: .open).status == 200)
    try await session.bumpETag(of: "/feed")
    try await session.bumpETag()
    try await session.freezeClock(at: Date(timeIntervalSince1970: 1_927_713_600))
    try await session.advanceClock(seconds: 60)
    #expect(try await session.change(scenario: "GET /feed: status 418").scenario.contains("418"))
    // What rules make has a date of its own.
    let port = UInt16(try #require(session.baseURL.port))
    #expect(
      text(try Answer.to(Controlled.get("/feed"), port: port).bytes)
        .contains("Date: Sat, 01 Feb 2031 12:01:00 GMT"))
    try await session.freezeClock()
    try await session.runClock()
    #expect(try status("/feed", of: session) == 418)
    #expect(try await session.reset().exchanges == 5)
    #expect(try await session.exchanges().isEmpty)
    #expect(try await session.verdict().judged == 0)
  }

  @Test func `failures have names`() async throws {
    let replay = try Controlled()
    let control = try control(replay)
    await #expect {
      try await control.createSession(.init(scenario: "GET /: statsu 1"))
    } throws: { error in
      guard case FixtureControl.Failure.refused(400, let detail)? = error as? FixtureControl.Failure
      else { return false }
      return detail.contains("line 1, column 8")
    }
    await #expect {
      try await control.session(id: "../health")
    } throws: { error in
      if case FixtureControl.Failure.refused(404, _)? = error as? FixtureControl.Failure {
        true
      } else {
        false
      }
    }
    let port = try RawSocket.unusedPort()
    let nobody = FixtureControl(try #require(URL(string: "http://127.0.0.1:\(port)")))
    await #expect {
      try await nobody.checkHealth()
    } throws: { error in
      "\(error)".contains("start fixtured replay with --control")
    }
  }

  @Test func `the environment says where, for runners that are started by others`() throws {
    #expect(FixtureControl(environment: [:]) == nil)
    let control = FixtureControl(
      environment: ["FIXTURED_CONTROL_URL": "http://127.0.0.1:8378"])
    #expect(control?.url.absoluteString == "http://127.0.0.1:8378")
  }
}
