import Synchronization

/// The rates that connections share, whichever thread they are on: each takes turns of some bytes,
/// in the order in which they ask.
package final class SharedLinks: Sendable {
  /// So many bytes may pass at this instant.
  package struct Turn: Equatable, Sendable {
    package let count: Int64
    package let due_ns: Int64
  }

  /// When each link has passed everything that was granted.
  private let free_ns = Mutex<[Link: Int64]>([:])

  /// Timers are late, on a busy machine by milliseconds: so much is made up for, so that the rate
  /// is kept on the whole.
  private static let credit_ns: Int64 = 20_000_000
  /// About what one packet carries, and what a fast link passes in one write.
  private static let turnBytes: ClosedRange<Int64> = 1460...(64 << 10)

  package init() {}

  /// The next turn of somebody who has this much to send: the link is theirs until it is due.
  package func turn(on link: Link, for count: Int64, at now_ns: Int64) -> Turn {
    let rate = link.rate.bytesPerSecond
    let fair = max(Self.turnBytes.lowerBound, min(Self.turnBytes.upperBound, rate / 1000))
    // Never so much that a slow link falls far behind its line.
    let size = min(count, max(1, min(fair, rate / 100)))
    let (whole, rest) = (size * 1_000_000_000).quotientAndRemainder(dividingBy: rate)
    let duration_ns = rest > 0 ? whole + 1 : whole
    return free_ns.withLock { free_ns in
      let start_ns = max(free_ns[link] ?? now_ns, now_ns - Self.credit_ns)
      free_ns[link] = start_ns + duration_ns
      return Turn(count: size, due_ns: start_ns + duration_ns)
    }
  }
}
