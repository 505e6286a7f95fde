import FixtureStub
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Delays and timeouts by the fixture's clock.
@Suite struct Times {
  @Test func `no answer takes long on an immediate clock`() async throws {
    let fixture = try Fixture(
      .get("/a", .text("hello")), scenario: "*: delay 50s", clock: .immediate)
    #expect(try await fixture.session.answer("/a").text == "hello")
    #expect(fixture.clock.now.offset >= .seconds(50))
  }

  @Test(arguments: ["*: hang", "*: delay 61s", "*: stall 61s at 2B", "*: for 2m, blackhole"])
  func `an idle connection times out`(rule: String) async throws {
    let fixture = try Fixture(
      .get("/a", .text("hello")), scenario: FixtureScenario(rule), clock: .immediate)
    #expect(try await fixture.session.failure("/a") == .timedOut)
    #expect(fixture.exchanges.allSatisfy { $0.outcome == .aborted })
  }

  @Test(arguments: ["*: delay 59s", "*: trickle 1B/59s", "*: for 50s, blackhole"])
  func `one that is not idle does not`(rule: String) async throws {
    let fixture = try Fixture(
      .get("/a", .text("hello")), scenario: FixtureScenario(rule), clock: .immediate)
    #expect(try await fixture.session.answer("/a").text == "hello")
  }

  @Test func `a request's own timeout counts, and the configuration's`() async throws {
    let fixture = try Fixture(
      .get("/a", .text("hello")), scenario: "*: delay 5s", clock: .immediate)
    var request = try request("GET", "/a")
    request.timeoutInterval = 2.5
    let error = await #expect(throws: URLError.self) {
      try await fixture.session.data(for: request)
    }
    #expect(error?.code == .timedOut)

    let configuration = fixture.configuration
    configuration.timeoutIntervalForRequest = 3
    let session = URLSession(configuration: configuration)
    #expect(try await session.failure("/a") == .timedOut)
  }

  @Test func `the whole may take as long as the resource timeout says`() async throws {
    let fixture = try Fixture(
      .get("/a", .text("hello")), scenario: "*: trickle 1B/10s", clock: .immediate)
    let configuration = fixture.configuration
    configuration.timeoutIntervalForResource = 35
    let session = URLSession(configuration: configuration)
    #expect(try await session.failure("/a") == .timedOut)
    #expect(fixture.exchanges.map(\.bodyBytesSent) == [4])
  }

  @Test func `a manual clock stands still until it is advanced`() async throws {
    let fixture = try Fixture(
      .get("/a", .text("hello")), scenario: "*: delay 2s", clock: .manual)
    let session = fixture.session
    let task = Task { try await session.answer("/a").text }
    try await fixture.waitForExchanges(1, advancing: .seconds(2))
    #expect(try await task.value == "hello")
    #expect(fixture.clock.now.offset == .seconds(2))
  }

  @Test func `a gate holds an answer`() async throws {
    for clock in [FixtureClock.real, .immediate, .manual] {
      let fixture = try Fixture(
        .get("/a", .text("hello")), scenario: "*: hold answer", clock: clock)
      let session = fixture.session
      let task = Task { try await session.answer("/a").text }
      let gate = fixture.gate("answer")
      try await gate.waitUntilEntered()
      #expect(fixture.exchanges.map(\.outcome) == [.open])
      gate.release()
      #expect(try await task.value == "hello")
    }
  }

  @Test func `a real clock takes its time`() async throws {
    let fixture = try Fixture(.get("/a", .text("hello")), scenario: "*: delay 100ms")
    let begin = ContinuousClock.now
    #expect(try await fixture.session.answer("/a").text == "hello")
    #expect(ContinuousClock.now - begin >= .milliseconds(100))
  }

  @Test func `a suspended task waits, and goes on when it is resumed`() async throws {
    let fixture = try Fixture(
      .get("/a", .text("hello")), scenario: "*: delay 10s", clock: .manual)
    let witness = Witness()
    let session = URLSession(
      configuration: fixture.configuration, delegate: witness, delegateQueue: nil)
    let task = session.dataTask(with: try url("/a"))
    task.resume()
    task.suspend()
    await fixture.clock.advance(by: .seconds(20))
    #expect(witness.events == [])
    task.resume()
    await witness.waitUntilEnd()
    #expect(witness.events == ["response 200", "data hello", "end"])
  }

  @Test func `an upload takes the time that its rate needs`() async throws {
    let fixture = try Fixture(
      .post("/b", .text("taken")), scenario: "POST *: upload 1B/s", clock: .immediate)
    let answer = try await fixture.session.answer(try request("POST", "/b", "hello"))
    #expect(answer.text == "taken")
    #expect(fixture.clock.now.offset >= .seconds(5))
  }
}
