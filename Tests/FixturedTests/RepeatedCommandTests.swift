import Testing

@testable import fixtured

@Suite struct RepeatedCommandTests {
  private func text(_ arguments: [String], seed: UInt64?) throws -> String? {
    guard case .replay(let options) = try Command(arguments: ["replay"] + arguments) else {
      return nil
    }
    return options.repeated?.text(seed: seed)
  }

  @Test func `everything that was asked for is asked for again, with the seed`() throws {
    #expect(
      try text(
        [
          "--print-command", "--scen=labs/a b.rules#x", "--rule", "*: chance 5%, body \"it's\"",
          "shop.db", "--seed=3", "--match", "+query-ignore:ts", "--date", "frozen=2031-01-31",
          "--derive=off", "--exhausted", "cycle", "--pace", "x0.25", "--receipts", "--strict",
          "--listen", "[::1]:0", "--threads", "2",
        ], seed: 3)
        == "fixtured replay --scenario 'labs/a b.rules#x' --rule '*: chance 5%, body \"it'\\''s\"'"
        + " --match +query-ignore:ts --date frozen=2031-01-31 --derive off --exhausted cycle"
        + " --pace x0.25 --receipts --strict --listen '[::1]:0' --threads 2 --seed 3 shop.db")
  }

  @Test func `a drawn seed is told, and none where nothing is drawn`() throws {
    #expect(
      try text(["a.db", "--print-command", "--rule", "*: reset"], seed: 99)
        == "fixtured replay --rule '*: reset' --seed 99 a.db")
    #expect(try text(["a.db", "--print-command"], seed: nil) == "fixtured replay a.db")
    #expect(
      try text(["--print-command", "--", "-a.db"], seed: nil) == "fixtured replay -- -a.db")
  }

  @Test func `it is not printed unless it is asked for`() throws {
    #expect(try text(["a.db"], seed: 1) == nil)
  }
}
