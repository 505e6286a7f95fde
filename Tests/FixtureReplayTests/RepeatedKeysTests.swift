import Testing

@testable import FixtureReplay

@Suite struct RepeatedKeysTests {
  @Test(arguments: [UInt64(1), 1 << 32, 0x9e37_79b9_7f4a_7c15])
  func `a key is repeated from the second time on`(step: UInt64) {
    var keys = RepeatedKeys()
    let first = (1...1000).count { keys.meet(UInt64($0) &* step) }
    // Some share a bit with another.
    #expect(first <= 10)
    let second = (1...1000).count { keys.meet(UInt64($0) &* step) }
    #expect(second == 1000)
  }

  @Test func `few of many new keys are taken for repeated ones`() {
    var keys = RepeatedKeys()
    let repeated = (0..<1_000_000).count { keys.meet($0 &* 0x2545_f491_4f6c_dd1d) }
    #expect(repeated < 250_000)
  }
}
