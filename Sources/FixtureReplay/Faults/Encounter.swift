/// What one request meets of a scenario.
package struct Encounter: Equatable, Sendable {
  /// A fault in force, and where it comes from.
  package struct Met: Equatable, Sendable {
    /// The rule's place in the scenario, from 1; 0 for what was asked for beside the rules.
    package let rule: Int
    package let fault: Fault
    /// Drawn for it.
    package let bits: UInt64
    /// Of an exhausted quota: how long until it is full again.
    package var wait: Duration?

    package init(rule: Int, fault: Fault, bits: UInt64 = 0, wait: Duration? = nil) {
      self.rule = rule
      self.fault = fault
      self.bits = bits
      self.wait = wait
    }
  }

  /// In the order of the rules; none takes the place of another.
  package var met: [Met] = []
  /// What was drawn for it, in the order of the rules but for content, which is last.
  package var draws: [Draw] = []
  /// Whether a rule asks for content that was not read yet.
  package var needsContent = false

  /// The tag of the target, when a rule changes it.
  var tag: TagState?

  /// The rules that apply but for chance, and those that can't be judged before the content is
  /// read; from 0.
  var inForce: Set<Int> = []
  var undecided: Set<Int> = []

  /// What the session notes when the request is answered.
  var counted: [UInt64] = []
  var countedOverall: [Int] = []
  var quotas: [Int: QuotaWindow] = [:]
  /// The match key, if something was drawn for it.
  var drawnKey: UInt64?

  /// The rules that do something, in order.
  package var rules: [Int] {
    var rules: [Int] = []
    for met in met where met.rule > 0 && rules.last != met.rule { rules.append(met.rule) }
    return Set(rules).sorted()
  }

  /// Whether the answer is made without a recording.
  package var isMade: Bool { met.contains { $0.makesAnswer } }
}

/// What was decided of a request when its head came.
package struct BegunRequest: Equatable, Sendable {
  package let reading: RequestReading
  /// The rules that apply but for chance, from 0.
  let inForce: Set<Int>
  /// Those that ask for its content.
  let undecided: Set<Int>
  let counted: [UInt64]
  let countedOverall: [Int]
  /// Which request of its match key it is, from 1.
  let number: Int64
  /// Whether something was drawn for it already.
  let isDrawn: Bool
}

/// The requests that a quota has let pass since a window began.
struct QuotaWindow: Equatable, Sendable {
  var began_ns: Int64
  var used: Int64
}

extension Encounter.Met {
  var makesAnswer: Bool {
    // A quota that is not exhausted lets the request pass.
    if case .quota = fault { return wait != nil }
    return fault.word.subject == .answer
  }
}
