import FixtureHTTP
import Testing

@testable import FixtureCassette

@Suite struct `Match index` {
  @Test func `recordings of one key come in recording order`() {
    let targets = ["/t/7", "/t/7?p=1", "/t/7", "/t/7?p=2", "/t/7?p=1", "/t/7"]
    let index = index(targets.enumerated().reversed().map { (Int64($0.offset), $0.element) })
    #expect(index.count == 6)
    #expect(index.candidates(forKey: key("/t/7")) == [0, 2, 5])
    #expect(index.candidates(forKey: key("/t/7?p=1")) == [1, 4])
    #expect(index.candidates(forKey: key("/t/7?p=2")) == [3])
    #expect(index.candidates(forKey: key("/t/8")) == [])
  }

  @Test func `an empty index has no candidates`() {
    let index = index([])
    #expect(index.candidates(forKey: key("/")) == [])
    #expect(index.candidates(forKey: []) == [])
    #expect(index.candidates(forHash: .max) == [])
  }

  @Test(arguments: [1, 2, 3, 255, 5000])
  func `every key is found again`(_ count: Int) {
    let index = index((0..<(2 * count)).map { (Int64($0), "/items/\($0 % count)") })
    for id in 0..<count {
      #expect(index.candidates(forKey: key("/items/\(id)")) == [Int64(id), Int64(id + count)])
    }
    #expect(index.candidates(forKey: key("/items/\(count)")) == [])
  }

  @Test func `hashes that share their top bits stay apart`() {
    var builder = MatchIndex.Builder(description: CassetteDescription())
    for id in 0..<12 { builder.add(id: Int64(id), hash: UInt64(id % 4) &- 1) }
    let index = MatchIndex([builder])
    #expect(index.candidates(forHash: .max) == [0, 4, 8])
    #expect(index.candidates(forHash: 0) == [1, 5, 9])
    #expect(index.candidates(forHash: 2) == [3, 7, 11])
    #expect(index.candidates(forHash: 3) == [])
    #expect(index.candidates(forHash: 1 << 63) == [])
  }

  @Test func `parts are one index, whatever their authorities`() {
    var builders = (0..<3).map { _ in MatchIndex.Builder(description: CassetteDescription()) }
    builders[0].add(1, "/a", "x", authority: "A.test")
    builders[0].add(2, "/a", "y", authority: "a.test")
    builders[2].add(3, "/a", "x", authority: "a.TEST")
    #expect(!MatchIndex(builders).hasSeveralAuthorities)
    builders[2].add(4, "/a", "x", authority: "b.test:1")
    builders[2].add(5, "/a", nil, authority: "b.test:1")
    let index = MatchIndex(builders)
    #expect(index.hasSeveralAuthorities)
    #expect(index.authorities(of: "x") == [Array("a.test".utf8), Array("b.test:1".utf8)])
    #expect(index.authorities(of: "y") == [Array("a.test".utf8)])
    #expect(index.authorities(of: nil) == [Array("b.test:1".utf8)])
    #expect(index.authorities(of: "z") == [])
    #expect(index.candidates(forKey: key("/a", upstream: "x")) == [1, 3, 4])
    #expect(index.count == 5)
  }

  private func index(_ targets: [(Int64, String)]) -> MatchIndex {
    var builder = MatchIndex.Builder(description: CassetteDescription())
    for (id, target) in targets { builder.add(id, target) }
    return MatchIndex([builder])
  }

  private func key(_ target: String, upstream: String? = nil) -> [UInt8] {
    var key: [UInt8] = []
    MatchKeys(description: CassetteDescription()).appendKey(
      method: .get, target: Array(target.utf8), upstream: upstream, to: &key)
    return key
  }
}

extension MatchIndex.Builder {
  fileprivate mutating func add(
    _ id: Int64, _ target: String, _ upstream: String? = nil, authority: String = "a.test"
  ) {
    let bytes = Array((authority + target).utf8)
    bytes.withUnsafeBytes {
      let split = authority.utf8.count
      add(
        RequestOutline(
          id: id, upstream: upstream, authority: .init(rebasing: $0[..<split]), method: .get,
          target: .init(rebasing: $0[split...])))
    }
  }
}
