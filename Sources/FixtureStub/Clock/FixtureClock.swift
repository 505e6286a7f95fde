import Dispatch
@_exported public import FixtureSetup
import Synchronization

/// The time of a replay, and of the app under test if it is given one: its own retries and timeouts
/// then follow the same clock.
///
///     let clock = FixtureClock.manual
///     let fixture = try Fixture(replaying: cassette, clock: clock)
///     let api = API(session: fixture.session, clock: clock)
///
/// | | a wait of 60 s |
/// |---|---|
/// | `real` | takes 60 s |
/// | `immediate` | ends at once; the clock then says that it is 60 s later |
/// | `manual` | ends when `advance(by:)` comes to its end |
///
/// With `immediate` each exchange and each sleep has a time of its own, so that nothing waits for
/// anything else: of a timeout that races a request, the one asked first wins. Races need `manual`.
public final class FixtureClock: Clock, Sendable {
  /// Counted from when the clock was made.
  public struct Instant: InstantProtocol, Sendable {
    /// Since the clock was made.
    public let offset: Duration

    /// - Parameter offset: since the clock was made.
    public init(offset: Duration) {
      self.offset = offset
    }

    init(ns: Int64) {
      offset = .nanoseconds(ns)
    }

    /// The instant so much later; earlier when it is negative.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// How much later the other one is.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Whether it is earlier.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  /// How the time of a clock passes.
  public enum Kind: Equatable, Sendable {
    case real
    case immediate
    case manual
  }

  /// A new clock on which waits take as long as they say.
  public static var real: FixtureClock { FixtureClock(.real) }
  /// A new clock on which no wait takes any time.
  public static var immediate: FixtureClock { FixtureClock(.immediate) }
  /// A new clock that stands still until `advance(by:)`.
  public static var manual: FixtureClock { FixtureClock(.manual) }

  /// How its time passes.
  public let kind: Kind
  let state = Watched(State())
  let timer: RealTimer

  /// What is to happen at a deadline.
  enum Wake: Sendable {
    /// A task sleeps.
    case sleeper(CheckedContinuation<Waking, any Error>)
    /// On the queue; nil: wherever the clock is.
    case action(DispatchQueue?, @Sendable () -> Void)
  }

  /// How a sleep ended.
  enum Waking: Sendable {
    /// Its deadline was past.
    case atOnce
    /// The clock came to its deadline, and waits until the task runs again.
    case counted
  }

  struct State: Sendable {
    /// Of a clock that is not real.
    var now_ns: Int64 = 0
    var pending = DeadlineQueue<Wake>()
    /// Sleeps that were cancelled before they began.
    var cancelled: Set<DeadlineQueue<Wake>.Token> = []
    /// How many tasks sleep.
    var sleepers = 0
    /// What the clock has set off and is not done.
    var working = 0
    /// Counts whatever may lead to something else: waits that begin, exchanges that come or end.
    var events: UInt64 = 0
    /// An exchange ended: its client may go on.
    var clientWasTold = false
  }

  /// A new clock.
  public init(_ kind: Kind) {
    self.kind = kind
    timer = RealTimer()
  }

  /// The latest that the clock knows of.
  public var now: Instant { Instant(ns: now_ns) }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// How many tasks sleep on this clock now.
  public var sleepers: Int { state.read(\.sleepers) }

  /// Waits until `deadline`, never less.
  ///
  /// - Parameter tolerance: ignored; deadlines are kept as well as the machine can.
  /// - Throws: `CancellationError`, at once when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let deadline_ns = deadline.offset.saturatedNanoseconds
    guard kind != .immediate else {
      raise(to: deadline_ns)
      await Task.yield()
      return try Task.checkCancellation()
    }
    let token = state.change { $0.pending.newToken() }
    defer { state.change { _ = $0.cancelled.remove(token) } }
    let waking = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        begin(.sleeper(continuation), at: deadline_ns, as: token)
      }
    } onCancel: {
      cancelSleep(token)
    }
    if waking == .counted { state.change { $0.working -= 1 } }
  }

  /// The clock of one that is immediate goes on to what was waited for.
  func raise(to deadline_ns: Int64) {
    state.change { state in
      state.now_ns = max(state.now_ns, deadline_ns)
      state.events += 1
    }
  }
}
