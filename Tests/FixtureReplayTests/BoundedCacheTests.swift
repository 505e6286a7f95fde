import Testing

@testable import FixtureReplay

@Suite struct BoundedCacheTests {
  @Test func `values are found by key until room is needed`() {
    var cache = BoundedCache<String>(costMax: 3)
    cache.insert("a", for: 1, cost: 1)
    cache.insert("b", for: 2, cost: 1)
    cache.insert("c", for: 3, cost: 1)
    #expect(cache[1] == "a")
    #expect(cache[4] == nil)
    cache.insert("d", for: 4, cost: 1)
    #expect(cache.count == 3)
    #expect(cache.cost == 3)
    #expect(cache[4] == "d")
  }

  @Test func `what was used since the last round stays`() {
    var cache = BoundedCache<Int>(costMax: 4)
    for key in 0..<4 { cache.insert(key, for: UInt64(key), cost: 1) }
    cache.insert(4, for: 4, cost: 1)
    // The round for key 4 took every mark away but that of its own value.
    let kept = (0..<4).filter { cache[UInt64($0)] != nil }
    #expect(kept.count == 3)
    let used = UInt64(kept[0])
    cache.insert(5, for: 5, cost: 1)
    #expect(cache[5] == 5)
    _ = cache[used]
    #expect(cache.count == 4)
  }

  @Test func `an equal key takes the place of its value`() {
    var cache = BoundedCache<Int>(costMax: 10)
    cache.insert(1, for: 7, cost: 4)
    cache.insert(2, for: 7, cost: 6)
    #expect(cache[7] == 2)
    #expect(cache.cost == 6)
    #expect(cache.count == 1)
  }

  @Test func `a value beyond the bound is kept alone`() {
    var cache = BoundedCache<Int>(costMax: 3)
    for key in 0..<3 { cache.insert(key, for: UInt64(key), cost: 1) }
    cache.insert(9, for: 9, cost: 50)
    #expect(cache[9] == 9)
    #expect(cache.count == 1)
    cache.insert(1, for: 1, cost: 1)
    #expect(cache[1] == 1)
    #expect(cache.count == 1)
  }
}
