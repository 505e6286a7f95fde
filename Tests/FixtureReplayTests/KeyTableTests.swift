import Testing

@testable import FixtureReplay

@Suite struct KeyTableTests {
  @Test(arguments: [UInt64(1), 1 << 32, 0x9e37_79b9_7f4a_7c15])
  func `positions are found until they are removed, however the keys lie`(step: UInt64) {
    var table = KeyTable()
    for index in 0..<1000 { table.insert(index, for: UInt64(index) &* step) }
    #expect(table.count == 1000)
    for index in stride(from: 0, to: 1000, by: 3) {
      #expect(table.remove(UInt64(index) &* step) == index)
    }
    #expect(table.count == 666)
    let found = (0..<1000).map { table[UInt64($0) &* step] }
    #expect(found == (0..<1000).map { $0 % 3 == 0 ? nil : $0 })
  }

  @Test func `what is not there is not removed`() {
    var table = KeyTable()
    #expect(table.remove(7) == nil)
    table.insert(3, for: 7)
    #expect(table.remove(8) == nil)
    #expect(table[7] == 3)
  }

  /// Keys that meet in one slot run on into the next ones; taking one out moves the others up.
  @Test func `keys that meet are kept apart, in whatever order they go`() {
    let keys = colliding(6)
    for removed in keys {
      var table = KeyTable()
      for (index, key) in keys.enumerated() { table.insert(index, for: key) }
      let position = table.remove(removed)
      #expect(position.map { keys[$0] } == removed)
      let found = keys.map { table[$0] }
      #expect(found == keys.enumerated().map { $0.element == removed ? nil : $0.offset })
    }
  }

  /// Keys whose product has the same high bits, the last slot's, so that they run on past the end.
  private func colliding(_ count: Int) -> [UInt64] {
    var keys: [UInt64] = []
    var key: UInt64 = 0
    while keys.count < count {
      if (key &* 0x9e37_79b9_7f4a_7c15) >> 60 == 15 { keys.append(key) }
      key += 1
    }
    return keys
  }
}
