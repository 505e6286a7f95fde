import FixtureReplay
import Testing

@Suite struct ReplaySessionTests {
  static func places(_ exhausted: Exhausted) -> [Int?] {
    let session = ReplaySession()
    return (0..<7).map { _ in session.next(key: 1, of: 3, exhausted: exhausted) }
  }

  @Test func `after the last recording comes what exhausted says`() {
    #expect(Self.places(.repeatLast) == [0, 1, 2, 2, 2, 2, 2])
    #expect(Self.places(.miss) == [0, 1, 2, nil, nil, nil, nil])
    #expect(Self.places(.cycle) == [0, 1, 2, 0, 1, 2, 0])
  }

  @Test func `each key has its own place`() {
    let session = ReplaySession()
    #expect(session.next(key: 1, of: 2, exhausted: .miss) == 0)
    #expect(session.next(key: 2, of: 2, exhausted: .miss) == 0)
    #expect(session.next(key: 1, of: 2, exhausted: .miss) == 1)
    #expect(session.next(key: 2, of: 2, exhausted: .miss) == 1)
  }

  @Test func `plays and misses are counted, equal misses told apart once`() {
    let session = ReplaySession()
    #expect(session.next(key: 1, of: 1, exhausted: .miss) == 0)
    #expect(session.next(key: 1, of: 1, exhausted: .miss) == nil)
    #expect(session.next(key: 2, of: 1, exhausted: .repeatLast) == 0)
    #expect(session.missed(key: 5))
    #expect(!session.missed(key: 5))
    #expect(session.missed(key: 6, insteadOfPlay: true))
    #expect(session.summary == .init(plays: 1, misses: 3, distinctMisses: 2))
  }

  @Test func `beyond the bound a new miss counts as a repeated one`() {
    let session = ReplaySession()
    for key in 0..<UInt64(ReplaySession.distinctMissesMax) { session.missed(key: key) }
    #expect(!session.missed(key: .max))
    #expect(session.summary.misses == ReplaySession.distinctMissesMax + 1)
    #expect(session.summary.distinctMisses == ReplaySession.distinctMissesMax)
  }

  @Test func `loops that share a session use each place once`() async {
    let session = ReplaySession()
    let places = await withTaskGroup(of: [Int].self) { group in
      for _ in 0..<4 {
        group.addTask {
          (0..<250).compactMap { _ in session.next(key: 9, of: 1000, exhausted: .miss) }
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(places.sorted() == Array(0..<1000))
  }
}
