import Foundation

extension Fixture {
  /// Why a wait for exchanges ended without them.
  public struct WaitFailure: Error, Equatable, CustomStringConvertible {
    /// So many were waited for.
    public let expected: Int
    /// So many had ended.
    public let ended: Int
    /// And so many had begun and not ended.
    public let open: Int

    /// What was waited for, and what came.
    public var description: String {
      "\(expected) exchanges were waited for, \(ended) ended and \(open) are still open: the client "
        + "sent no more, or waits for something else; on a manual clock advance it further"
    }
  }

  /// How much real time may go by without anything happening.
  private static let patience = Duration.seconds(10)

  /// Waits until so many exchanges have ended, since the fixture began.
  ///
  /// - Parameter duration: so much time passes meanwhile on a manual clock, at most.
  /// - Throws: `WaitFailure` when nothing happens any more; `CancellationError`.
  public func waitForExchanges(_ count: Int, advancing duration: Duration = .zero) async throws {
    let wait = await clock.wait(advancing: duration, patience: Self.patience) { [journal] in
      journal.totals.ended >= count
    }
    try check(wait, expected: count)
  }

  /// Waits until no exchange is open; no time passes meanwhile on a manual clock.
  /// - Throws: `WaitFailure` when nothing happens any more; `CancellationError`.
  public func waitUntilSettled() async throws {
    let wait = await clock.wait(patience: Self.patience) { [journal] in journal.totals.open == 0 }
    try check(wait, expected: journal.totals.exchanges)
  }

  private func check(_ wait: FixtureClock.Wait, expected: Int) throws {
    switch wait {
    case .met: return
    case .cancelled: throw CancellationError()
    case .patienceEnded:
      let totals = journal.totals
      throw WaitFailure(expected: expected, ended: totals.ended, open: totals.open)
    }
  }
}
