import FixtureStub
import Foundation
import Testing

@testable import FixtureTesting

@Suite struct FixturePlans {
  @Test func `of several cassettes and clocks the last one counts`() {
    let plan = FixturePlan([
      .cassette("first"), .clock(.manual), .cassette("second"), .clock(.immediate),
    ])
    guard case .named("second", _, _) = plan.cassette else {
      Issue.record("\(String(describing: plan.cassette))")
      return
    }
    #expect(plan.clock == .immediate)
  }

  @Test func `scenarios follow each other`() {
    let plan = FixturePlan([.scenario("*: delay 1s"), .scenario("GET /a: status 503")])
    #expect(plan.scenario?.text == "*: delay 1s\nGET /a: status 503")
  }

  @Test func `changes of matching add up, a list begins anew`() {
    #expect(matching("+header:Accept", "-content") == "+header:Accept,-content")
    #expect(matching("method,path", "+query") == "method,path,+query")
    #expect(matching("+header:Accept", "method,path") == "method,path")
    #expect(matching("", "+query") == "+query")
  }

  private func matching(_ words: String...) -> String {
    FixturePlan(words.map { FixtureTrait.matching($0) }).options.matching
  }

  @Test func `options change what those before left`() {
    let plan = FixturePlan([
      .options { $0.seed = 7 }, .options { $0.pace = .recorded }, .options { $0.seed = 8 },
    ])
    #expect(plan.options.seed == 8)
    #expect(plan.options.pace == .recorded)
  }

  @Test func `a cassette that is missing says where it was looked for`() {
    let plan = FixturePlan([.cassette("none", file: "/nowhere/Tests.swift")])
    #expect {
      try plan.makeFixture()
    } throws: { error in
      "\(error)".contains("there is no cassette \"none\"")
        && "\(error)".contains("/nowhere/Cassettes/none.db")
    }
  }

  @Test func `a fixture's problems are its misses and, if asked for, what nobody used`()
    async throws
  {
    let cassette: Cassette = [.get("/feed", .text("feed")), .get("/old", .text("old"))]
    var plan = FixturePlan([.cassette(cassette), .usingEveryRecording])
    let fixture = try plan.makeFixture()
    _ = try await fixture.session.data(from: URL(string: "http://feed.example/feed")!)
    _ = try await fixture.session.data(from: URL(string: "http://feed.example/feed?page=2")!)
    let problems = plan.problems(of: fixture, in: "A.B/c()")
    #expect(problems.count == 2)
    #expect(problems[0].contains("GET /feed?page=2 is not in the cassette"))
    #expect(problems[0].contains("interaction 1 GET /feed"))
    #expect(
      problems[1] == "no request used interaction 2 GET /old of \(fixture.cassetteName)")
    plan.failsOnMiss = false
    plan.failsOnUnused = false
    #expect(plan.problems(of: fixture, in: "A.B/c()") == [])
  }

  @Test func `a miss says how the test itself records what is missing`() async throws {
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Example/Tests/FeedTests/FeedTests.swift").path
    let plan = FixturePlan([.cassette("feed", file: source)])
    let fixture = try plan.makeFixture(environment: [:])
    _ = try await fixture.session.data(from: URL(string: "https://feed.example/items")!)
    let problems = plan.problems(of: fixture, in: "A.B/c()")
    #expect(problems.count == 1)
    let advice = #"FIXTURED_RECORD=new-episodes swift test --filter 'A\.B/c\(\)'"#
    #expect(problems[0].hasSuffix("\n  this test records it with " + advice))
  }

  @Test func `a report tells what a fixture saw`() async throws {
    let plan = FixturePlan([
      .cassette([.get("/feed", .text("feed"))]), .scenario("GET /feed: first 1, status 503"),
      .clock(.manual),
    ])
    let fixture = try plan.makeFixture()
    for _ in 1...2 {
      _ = try await fixture.session.data(from: URL(string: "http://feed.example/feed")!)
    }
    let report = FixtureReport(
      fixture, plan, test: "A.B/c()", place: "C.swift:1")
    #expect(
      report.text == #"""
        test A.B/c() at C.swift:1
        cassette \#(fixture.cassetteName)
        scenario
          GET /feed: first 1, status 503
        seed 1, clock manual, at 0.0 seconds
        reproduce it with: swift test --filter 'A\.B/c\(\)'

        exchanges:
          1 GET http://feed.example/feed: 503, completed, 0 bytes, rule 1
          2 GET http://feed.example/feed: 200, completed, 4 bytes, interaction 1

        """#)
  }

  @Test func `a test's name is its identifier without its place`() {
    #expect(FixtureScope.name("Feed.Retries/twice()/Retries.swift:5:4") == "Feed.Retries/twice()")
    #expect(FixtureScope.name("Feed.Retries") == "Feed.Retries")
  }
}
