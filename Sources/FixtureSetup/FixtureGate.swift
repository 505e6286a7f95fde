import FixtureReplay

/// Where plays wait until a test lets them go on: the word `hold NAME` of a rule.
///
///     let fixture = try Fixture(replaying: cassette, scenario: "GET /slow: hold answer")
///     let task = Task { try await api.slow() }
///     try await fixture.gate("answer").waitUntilEntered()
///     task.cancel()
///     fixture.gate("answer").release()
///
/// Once released it stays open.
public final class FixtureGate: Sendable {
  /// As the rule calls it.
  public let name: String
  private let state = Watched(State())

  /// Names one play at a gate.
  package struct Token: Hashable, Sendable {
    fileprivate let number: Int
  }

  private struct State: Sendable {
    var isReleased = false
    /// How many plays came so far.
    var entered = 0
    /// Those that wait, by their number.
    var waiting: [Int: @Sendable () -> Void] = [:]
  }

  package init(_ name: String) {
    self.name = name
  }

  /// Whether plays pass.
  public var isReleased: Bool { state.read(\.isReleased) }

  /// How many plays came to it so far, those included that passed it and those whose client left.
  public var entered: Int { state.read(\.entered) }

  /// How many plays wait at it now.
  public var waiting: Int { state.read(\.waiting.count) }

  /// Waits until so many plays have come to the gate; also when it was released before.
  /// - Throws: `CancellationError`, when the task is cancelled.
  public func waitUntilEntered(_ count: Int = 1) async throws {
    guard await state.wait(until: { $0.entered >= count }) == .met else {
      throw CancellationError()
    }
  }

  /// Lets every play go on that waits at the gate, in the order in which they came, and those that
  /// still come. Does nothing when that was done before.
  public func release() {
    let waiting = state.change { state in
      defer { state.waiting = [:] }
      state.isReleased = true
      return state.waiting
    }
    for (_, opened) in waiting.sorted(by: { $0.key < $1.key }) { opened() }
  }

  /// A play came to the gate.
  ///
  /// - Parameter opened: called once, by who releases the gate; before this returns, when it is
  ///   open.
  package func enter(_ opened: @escaping @Sendable () -> Void) -> Token {
    let (number, passes) = state.change { state in
      state.entered += 1
      if !state.isReleased { state.waiting[state.entered] = opened }
      return (state.entered, state.isReleased)
    }
    if passes { opened() }
    return Token(number: number)
  }

  /// A play waits no more: its client left. Its `opened` is not called any more, unless that has
  /// begun.
  package func leave(_ token: Token) {
    state.change { _ = $0.waiting.removeValue(forKey: token.number) }
  }
}
