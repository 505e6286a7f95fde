import FixtureCassette
import FixtureHTTP
import Synchronization

/// The only mutable state of a replay, shared by all event loops: which recording of a key comes
/// next, and counts.
///
/// Held for one short step at a time; nothing else is done under its lock.
package final class ReplaySession: Sendable {
  /// Beyond this many different misses a new one is counted but no longer told apart from others:
  /// whoever asks for ever new targets must not fill memory.
  package static let distinctMissesMax = 100_000

  /// What was answered so far.
  package struct Summary: Equatable, Sendable {
    package var plays: Int
    package var misses: Int
    /// Answers that rules made without a recording.
    package var made = 0
    /// Misses with a key of their own.
    package var distinctMisses: Int
    /// The first of them, at most `reportsMax`.
    package var reports: [Report] = []

    package init(plays: Int = 0, misses: Int = 0, distinctMisses: Int = 0) {
      self.plays = plays
      self.misses = misses
      self.distinctMisses = distinctMisses
    }
  }

  /// A miss as it is told at the end.
  package struct Report: Equatable, Sendable {
    /// In one line.
    package let text: String
    /// How often it happened.
    package var count: Int
  }

  /// Enough for a test run, few enough to read.
  package static let reportsMax = 20

  private struct State {
    /// Places in the summary's reports.
    var reports: [UInt64: Int] = [:]
    /// How many requests of each key were given a recording.
    var counts: [UInt64: Int] = [:]
    var missed: Set<UInt64> = []
    /// Interactions about whose answer something was said.
    var noticed: Set<Int64> = []
    var summary = Summary()
  }

  private let state = Mutex(State())
  /// nil until a request holds one.
  private let secrets = Mutex<LiveSecrets?>(nil)
  /// As many as `secrets` counts, to be asked without its lock.
  private let learnedCount = Atomic<Int>(0)

  package init() {}

  /// Forgets all plays, misses and secrets: the next request is the first.
  package func reset() {
    state.withLock { $0 = State() }
    secrets.withLock { secrets in
      secrets = nil
      learnedCount.store(0, ordering: .relaxed)
    }
  }

  /// The place in its sequence of the recording that the next request of this key gets, and counts
  /// a play: the nth request gets the nth of `count` recordings, later ones what `exhausted` says.
  /// - Returns: nil for a miss, which is not counted here.
  /// - Parameter usesPlace: false for an answer that only tells what the next one will be; the
  ///   place stays that of the next request.
  package func next(
    key: UInt64, of count: Int, exhausted: Exhausted, usesPlace: Bool = true
  ) -> Int? {
    precondition(count > 0, "a sequence of \(count) recordings")
    return state.withLock { state in
      if count == 1, exhausted != .miss {
        // The same one whichever play it is: nothing to count by key.
        state.summary.plays += 1
        return 0
      }
      let used = state.counts[key, default: 0]
      guard let place = Self.place(used, of: count, exhausted) else { return nil }
      if usesPlace { state.counts[key] = used + 1 }
      state.summary.plays += 1
      return place
    }
  }

  /// Counts a play of a key's only recording, as `next` would.
  package func played() {
    state.withLock { $0.summary.plays += 1 }
  }

  /// The place that was used last, or that will be when none was; nothing is counted.
  package func latest(key: UInt64, of count: Int, exhausted: Exhausted) -> Int {
    let used = state.withLock { $0.counts[key, default: 0] }
    return Self.place(max(0, used - 1), of: count, exhausted) ?? count - 1
  }

  private static func place(_ used: Int, of count: Int, _ exhausted: Exhausted) -> Int? {
    switch exhausted {
    case _ where used < count: used
    case .repeatLast: count - 1
    case .miss: nil
    case .cycle: used % count
    }
  }

  /// Counts an answer without a recording.
  func answered() {
    state.withLock { $0.summary.made += 1 }
  }

  /// Counts a miss.
  /// - Parameter insteadOfPlay: the recording that `next` named cannot be played after all; its
  ///   place in the sequence stays used, the play is not counted.
  /// - Returns: whether it is the first with this key.
  @discardableResult
  package func missed(key: UInt64, insteadOfPlay: Bool = false) -> Bool {
    state.withLock { state in
      state.summary.misses += 1
      if let place = state.reports[key] { state.summary.reports[place].count += 1 }
      if insteadOfPlay { state.summary.plays -= 1 }
      guard state.missed.count < Self.distinctMissesMax, state.missed.insert(key).inserted else {
        return false
      }
      state.summary.distinctMisses += 1
      return true
    }
  }

  /// Takes note of what a miss is to be called at the end, after its first time.
  package func report(_ text: String, key: UInt64) {
    state.withLock { state in
      let place = state.summary.reports.count
      guard place < Self.reportsMax, state.reports[key] == nil else { return }
      state.reports[key] = place
      state.summary.reports.append(Report(text: text, count: 1))
    }
  }

  /// - Returns: whether it is the first time that something is to be said about the answer of this
  ///   interaction.
  package func noticed(_ interaction: Int64) -> Bool {
    state.withLock { $0.noticed.insert(interaction).inserted }
  }

  /// What was told of misses is told again without the secrets that were learned since.
  package var summary: Summary {
    var summary = state.withLock { $0.summary }
    guard secretsCount > 0, let secrets = secrets.withLock({ $0 }) else { return summary }
    summary.reports = summary.reports.map { report in
      let text = secrets.concealed(Array(report.text.utf8))
      return Report(
        text: text.map { String(decoding: $0, as: UTF8.self) } ?? report.text, count: report.count)
    }
    return summary
  }

  // MARK: Secrets of requests

  /// How many secrets were learned; what is said or compared without them changes with it.
  var secretsCount: Int { learnedCount.load(ordering: .relaxed) }

  /// What is known so far.
  func liveSecrets(_ rules: RedactionRules) -> LiveSecrets {
    secrets.withLock { $0 } ?? LiveSecrets(rules: rules)
  }

  /// Learns what the places of a content hold.
  func learn(_ content: [UInt8], _ form: ContentForm, _ rules: RedactionRules) {
    learn(rules) { $0.learn(content, form) }
  }

  /// Hands out what is known to learn from something; nothing is copied for it.
  func learn<Result>(
    _ rules: RedactionRules, from learn: (inout LiveSecrets) -> Result
  ) -> Result {
    secrets.withLock { secrets in
      var known = secrets ?? LiveSecrets(rules: rules)
      // Not held twice, or to learn one would copy all.
      secrets = nil
      let result = learn(&known)
      learnedCount.store(known.count, ordering: .relaxed)
      secrets = known
      return result
    }
  }
}
