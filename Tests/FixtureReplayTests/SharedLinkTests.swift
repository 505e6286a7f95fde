import Testing

@testable import FixtureReplay

/// Forty thumbnails through one link, or each at a rate of its own, on a clock that tests move.
@Suite struct SharedLinkTests {
  /// One connection that fetches one thumbnail after the other.
  private struct Connection {
    /// When it does something next.
    var due_ns: Int64 = 0
    /// Of the thumbnail under way; 0 when there is none.
    var left: Int64 = 0
    /// What the link has granted and not passed yet.
    var granted: Int64 = 0
  }

  private static let thumbnailBytes: Int64 = 2_000_000

  /// Latencies of forty thumbnails, 100 to 400 ms, as a scenario with a seed draws them.
  private let latencies: [Int64]

  init() throws {
    let rule = try Rule(parsing: "*: delay 100ms..400ms".utf8)
    let session = ScenarioSetup(rules: [rule], seed: 42).begun(at: 0)
    latencies = (0..<40).compactMap { number in
      let request = RuleRequest(method: .get, target: Array("/thumb/\(number)".utf8))
      let met = session.foresee(request, key: UInt64(number), now_ns: 0).met
      guard case .delay(.fixed(let duration))? = met.first?.fault else { return nil }
      return duration.saturatedNanoseconds
    }
  }

  /// How long so many connections need for all of them, in seconds.
  private func total(_ count: Int, at rate: ByteRate?, shared: Bool) -> Double {
    let links = SharedLinks()
    let link = Link("rule 1", rate ?? .perSecond(.bytes(1)))
    var connections = [Connection](repeating: Connection(), count: count)
    var waiting = latencies[...]
    var end_ns: Int64 = 0
    while let index = connections.indices.min(by: {
      connections[$0].due_ns < connections[$1].due_ns
    }), connections[index].due_ns < .max {
      let now_ns = connections[index].due_ns
      connections[index].left -= connections[index].granted
      connections[index].granted = 0
      if connections[index].left > 0 {
        if shared {
          let turn = links.turn(on: link, for: connections[index].left, at: now_ns)
          connections[index].granted = turn.count
          connections[index].due_ns = turn.due_ns
        } else {
          let duration_ns = rate.map { 1_000_000_000 * Self.thumbnailBytes / $0.bytesPerSecond }
          connections[index].granted = Self.thumbnailBytes
          connections[index].due_ns = now_ns + (duration_ns ?? 0)
        }
      } else {
        end_ns = max(end_ns, now_ns)
        guard let latency_ns = waiting.popFirst() else {
          connections[index].due_ns = .max
          continue
        }
        connections[index].left = Self.thumbnailBytes
        connections[index].due_ns = now_ns + latency_ns
      }
    }
    return Double(end_ns) / 1e9
  }

  private var sum: Double { Double(latencies.reduce(0, +)) / 1e9 }
  private var longest: Double { Double(latencies.max() ?? 0) / 1e9 }

  /// Little's law, and the tail of the longest request.
  @Test(arguments: [1, 2, 6, 10, 20, 40])
  func `forty latencies take their sum, shared by the connections`(_ count: Int) {
    #expect(latencies.count == 40)
    #expect(latencies.allSatisfy { (100_000_000...400_000_000).contains($0) })
    #expect(sum > 8 && sum < 12)
    let total = total(count, at: nil, shared: false)
    #expect(total >= max(sum / Double(count), longest))
    #expect(total < sum / Double(count) + longest)
  }

  /// A rate for each connection scales with them.
  @Test func `more connections are faster where each has a rate of its own`() {
    let rate = ByteRate.perSecond(.megabytes(10))
    let few = total(2, at: rate, shared: false)
    let many = total(40, at: rate, shared: false)
    #expect(few > (sum + 8) / 2 && few < (sum + 8) / 2 + longest + 0.2)
    #expect(many == longest + 0.2)
    #expect(few / many > 10)
  }

  /// That of a link for all does not.
  @Test func `more connections are no faster where all share a link`() {
    let rate = ByteRate.perSecond(.megabytes(20))
    let totals = [2, 6, 10, 40].map { total($0, at: rate, shared: true) }
    // 80 MB at 20 MB/s, less what a late timer may make up for.
    #expect(totals.allSatisfy { $0 >= 3.98 })
    #expect(totals[0] > 5 && totals[0] < 9)
    let shared = totals.dropFirst()
    #expect((shared.max() ?? 0) < (shared.min() ?? 0) * 1.25)
    #expect((shared.max() ?? 0) < 4.6)
  }

  @Test func `a turn is as long as the link needs, and lateness is made up for`() {
    let links = SharedLinks()
    let link = Link("rule 1", .perSecond(.kilobytes(100)))
    #expect(links.turn(on: link, for: 5000, at: 0) == .init(count: 1000, due_ns: 10_000_000))
    #expect(links.turn(on: link, for: 5000, at: 0) == .init(count: 1000, due_ns: 20_000_000))
    #expect(links.turn(on: link, for: 10, at: 0) == .init(count: 10, due_ns: 20_100_000))
    // Late by 15 ms: the next turn counts from where the line was.
    #expect(
      links.turn(on: link, for: 1000, at: 35_100_000) == .init(count: 1000, due_ns: 30_100_000))
    // After a pause of seconds only 20 ms.
    #expect(
      links.turn(on: link, for: 1000, at: 5_000_000_000)
        == .init(count: 1000, due_ns: 4_990_000_000))
  }
}
