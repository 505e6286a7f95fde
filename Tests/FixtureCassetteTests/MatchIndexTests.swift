import FixtureHTTP
import Testing

@testable import FixtureCassette

@Suite struct `Match index` {
  @Test func `recordings of one key come in recording order`() {
    var index = MatchIndex(description: CassetteDescription())
    for (id, target) in ["/t/7", "/t/7?p=1", "/t/7", "/t/7?p=2", "/t/7?p=1", "/t/7"].enumerated() {
      index.add(summary(Int64(id), target))
    }
    #expect(index.count == 6)
    #expect(index.candidates(forKey: key("/t/7")) == [0, 2, 5])
    #expect(index.candidates(forKey: key("/t/7?p=1")) == [1, 4])
    #expect(index.candidates(forKey: key("/t/7?p=2")) == [3])
    #expect(index.candidates(forKey: key("/t/8")) == [])
  }

  @Test func `an empty index has no candidates`() {
    let index = MatchIndex(description: CassetteDescription())
    #expect(index.candidates(forKey: key("/")) == [])
    #expect(index.candidates(forKey: []) == [])
  }

  @Test func `thousands of keys are found again`() {
    var index = MatchIndex(description: CassetteDescription())
    for id in 0..<10_000 { index.add(summary(Int64(id), "/items/\(id % 5000)")) }
    for id in 0..<5000 {
      #expect(index.candidates(forKey: key("/items/\(id)")) == [Int64(id), Int64(id + 5000)])
    }
    #expect(index.candidates(forKey: key("/items/5000")) == [])
  }

  @Test func `hashes that share a slot stay apart`() {
    var index = MatchIndex(description: CassetteDescription())
    for id in 0..<12 { index.add(id: Int64(id), hash: UInt64(id % 4) << 32) }
    #expect(index.candidates(forHash: 0) == [0, 4, 8])
    #expect(index.candidates(forHash: 1 << 32) == [1, 5, 9])
    #expect(index.candidates(forHash: 3 << 32) == [3, 7, 11])
    #expect(index.candidates(forHash: 4 << 32) == [])
  }

  private func summary(_ id: Int64, _ target: String) -> InteractionSummary {
    InteractionSummary(
      id: id, upstream: nil, authority: "a.test", method: .get, target: Array(target.utf8))
  }

  private func key(_ target: String) -> [UInt8] {
    var key: [UInt8] = []
    MatchKeys(description: CassetteDescription()).appendKey(
      method: .get, target: Array(target.utf8), upstream: nil, to: &key)
    return key
  }
}
