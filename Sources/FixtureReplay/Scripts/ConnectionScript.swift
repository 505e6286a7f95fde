/// What rules do to connections as a whole, whatever is asked on them: when nobody can connect, and
/// how many are served.
///
///     *: after 5s, for 10s, refuse          from 5s to 15s: refuse (rule 1)
///     *: while busy, connections 2 queue    while busy: connections 2 queue (rule 2)
package struct ConnectionScript: Equatable, Sendable {
  /// What is done to connections.
  package enum Effect: Equatable, Sendable {
    case refuse
    case blackhole
    case connections(Int64, ConnectionExcess)
  }

  /// A word about connections, and when it is in force.
  package struct Clause: Equatable, Sendable {
    /// The rule's place in the scenario, from 1.
    package var rule: Int
    package var effect: Effect
    /// Since the session began.
    package var from: Duration
    /// nil: for ever.
    package var to: Duration?
    /// All must be raised.
    package var flags: [Flag]
  }

  /// In the order of the rules, at least one.
  package let clauses: [Clause]

  /// - Parameter rules: the scenario's, expanded.
  /// - Returns: nil when none of them is about connections.
  package init?(_ rules: [Rule]) {
    clauses = rules.enumerated().flatMap { index, rule in
      rule.faults.compactMap(\.effectOnConnections).map { effect in
        Clause(
          rule: index + 1, effect: effect, from: rule.beginning, to: rule.end, flags: rule.flags)
      }
    }
    if clauses.isEmpty { return nil }
  }

  /// What is in force at an instant; of several words about one thing the last one is.
  package func admission(at elapsed: Duration, raised: Set<Flag>) -> Admission {
    var admission = Admission()
    for clause in clauses where clause.holds(at: elapsed, raised) {
      switch clause.effect {
      case .refuse: admission.listening = .refusing
      case .blackhole: admission.listening = .silent
      case .connections(let count, let excess):
        admission.limit = Admission.Limit(count: count, excess: excess)
      }
    }
    return admission
  }

  /// When something else may be in force because of the time alone; nil: never again.
  package func change(after elapsed: Duration) -> Duration? {
    clauses.flatMap { [$0.from, $0.to ?? .zero] }.filter { $0 > elapsed }.min()
  }

  /// Whether connections are ever counted.
  package var limitsConnections: Bool {
    clauses.contains { if case .connections = $0.effect { true } else { false } }
  }

  /// Whether it matters which flags are raised.
  package var asksForFlags: Bool { clauses.contains { !$0.flags.isEmpty } }
}

/// What becomes of those who connect.
package struct Admission: Equatable, Sendable {
  /// What becomes of a connect.
  package enum Listening: Equatable, Sendable {
    case accepting
    /// Nothing listens: connecting fails at once, and every connection ends when its exchange is
    /// over.
    case refusing
    /// Nothing answers: connecting goes on and on, and no other request is read; exchanges that
    /// began go on.
    case silent
  }

  /// How many connections are served at a time.
  package struct Limit: Equatable, Sendable {
    package var count: Int64
    /// What becomes of those beyond it.
    package var excess: ConnectionExcess
  }

  package var listening = Listening.accepting
  /// nil: as many as come.
  package var limit: Limit?
}

extension Fault {
  /// nil for what is about a request.
  fileprivate var effectOnConnections: ConnectionScript.Effect? {
    if case .connections(let count, let excess) = self { return .connections(count, excess) }
    if case .refuse = self { return .refuse }
    if case .blackhole = self { return .blackhole }
    return nil
  }
}

extension ConnectionScript.Effect {
  /// The word that it comes from.
  fileprivate var fault: Fault {
    switch self {
    case .refuse: .refuse
    case .blackhole: .blackhole
    case .connections(let count, let excess): .connections(count, excess)
    }
  }
}

extension ConnectionScript.Clause {
  fileprivate func holds(at elapsed: Duration, _ raised: Set<Flag>) -> Bool {
    elapsed >= from && to.map { elapsed < $0 } ?? true && raised.isSuperset(of: flags)
  }
}

extension Rule {
  /// When `for` begins.
  var beginning: Duration {
    when.compactMap { if case .after(let time) = $0 { time } else { nil } }.max() ?? .zero
  }

  /// Since the session began; nil for a rule without `for`.
  fileprivate var end: Duration? {
    let times = when.compactMap { if case .lasting(let time) = $0 { time } else { nil } }
    return times.min().map { beginning + $0 }
  }

  fileprivate var flags: [Flag] {
    when.compactMap { if case .raised(let flag) = $0 { flag } else { nil } }
  }
}

extension ConnectionScript: CustomStringConvertible {
  package var description: String { clauses.map(\.description).joined(separator: "\n") }
}

extension ConnectionScript.Clause: CustomStringConvertible {
  /// `from 5s to 15s, while busy: refuse (rule 1)`.
  package var description: String {
    let times =
      (from > .zero ? ["from \(RuleUnits.text(from))"] : [])
      + (to.map { ["to \(RuleUnits.text($0))"] } ?? [])
    let conditions =
      (times.isEmpty ? [] : [times.joined(separator: " ")]) + flags.map { "while \($0.name)" }
    let when = conditions.isEmpty ? "always" : conditions.joined(separator: ", ")
    return "\(when): \(effect.fault) (rule \(rule))"
  }
}
