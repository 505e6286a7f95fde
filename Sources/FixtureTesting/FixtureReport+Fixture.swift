import FixtureStub

extension FixturePlan {
  /// What a finished test of this name is to be failed for, each in words.
  func problems(of fixture: Fixture, in test: String) -> [String] {
    var problems: [String] = []
    if failsOnMiss { problems += fixture.misses.map { $0.text + recordingAdvice(test) } }
    if failsOnUnused {
      let unused = fixture.unusedRecordings
      if !unused.isEmpty {
        problems.append(
          "no request used \(unused.map(\.description).joined(separator: ", ")) of "
            + fixture.cassetteName)
      }
    }
    return problems
  }
}

extension FixturePlan {
  /// Stores what the fixture of a finished test recorded, if it was made to.
  /// - Returns: what the test is to be failed for, each in words.
  func conclude(_ fixture: Fixture, of test: String) -> [String] {
    guard let recording = fixture.recording else { return problems(of: fixture, in: test) }
    do {
      return try recording.store()
    } catch {
      return [error.description]
    }
  }

  /// How the test itself records what is missing; nothing where it can't.
  private func recordingAdvice(_ test: String) -> String {
    guard case .named = cassette else { return "" }
    return "\n  this test records it with FIXTURED_RECORD=new-episodes "
      + FixtureReport.command(running: test)
  }
}

extension FixtureReport {
  /// - Parameter test: its name, as `swift test list` has it.
  init(_ fixture: Fixture, _ plan: FixturePlan, test: String, place: String) {
    self.init(
      test: test, place: place, cassette: fixture.cassetteName,
      scenario: plan.scenario?.text, seed: fixture.seed,
      clock: "\(fixture.clock.kind), at \(fixture.clock.now.offset)",
      exchanges: fixture.exchanges.map { Line($0) }, misses: fixture.misses.map(\.text),
      unused: fixture.unusedRecordings.map(\.description))
  }
}

extension FixtureReport.Line {
  init(_ exchange: Fixture.Exchange) {
    self.init(
      number: exchange.number, request: "\(exchange.method) \(exchange.url)",
      status: exchange.status, outcome: "\(exchange.outcome)", bytes: exchange.bodyBytesSent,
      interaction: exchange.interaction, rules: exchange.rules)
  }
}
