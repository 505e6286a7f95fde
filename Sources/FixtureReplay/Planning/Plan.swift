import FixtureCassette

/// What to do with a request.
package enum Plan: Equatable, Sendable {
  /// Perform the script.
  case play(Play)
  /// Perform the script that rules made, or made of a recorded one.
  indirect case ruled(RuledAnswer)
  /// No recording answers it; perform the miss's own script.
  indirect case miss(Miss)
  /// Which recording answers it depends on its content: read that (after a 100 when the client
  /// waits for one), then plan again. `holding`: with its bytes, if they are no more than that
  /// many; else their number and digest are enough.
  case needsContent(holding: Int)
}

extension Plan {
  /// The recording that has a part in it; nil when none does.
  package var play: Play? {
    switch self {
    case .play(let play): play
    case .ruled(let answer): answer.play
    case .miss, .needsContent: nil
    }
  }
}

/// One use of an interaction.
package struct Play: Equatable, Sendable {
  /// For who needs parts of it often: the values below are copied for each use.
  package let prepared: PreparedPlay
  /// Which of the recordings that match the request this is, from 1.
  package let ordinal: Int
  /// How many recordings match the request.
  package let count: Int
  /// Whether the response's content has a coding that the client did not offer.
  package let isCodingUnoffered: Bool
  /// Whether every request with this head and content gets this play, in whatever order and
  /// whenever it comes: then nothing but a play has to be counted for the next one.
  package let isSettled: Bool
  /// Which of the recorded versions it is, from 0, if one was asked for.
  package let version: Int64?
  /// What rules had to do with it that do not change it; nil for nothing.
  package var ruling: Ruling?

  package init(
    _ prepared: PreparedPlay, ordinal: Int, count: Int, isCodingUnoffered: Bool = false,
    isSettled: Bool = false, version: Int64? = nil
  ) {
    self.prepared = prepared
    self.ordinal = ordinal
    self.count = count
    self.isCodingUnoffered = isCodingUnoffered
    self.isSettled = isSettled
    self.version = version
  }

  /// The interaction's id.
  package var id: Int64 { prepared.interaction.id }
  package var interaction: Interaction { prepared.interaction }
  package var script: Script { prepared.script }

  /// Whether no answer comes, because the recorded client did not wait for one.
  package var isUnanswered: Bool { prepared.isUnanswered }

  package static func == (left: Play, right: Play) -> Bool {
    left.script == right.script && left.ordinal == right.ordinal && left.count == right.count
      && left.interaction == right.interaction
      && left.isCodingUnoffered == right.isCodingUnoffered && left.isSettled == right.isSettled
      && left.ruling == right.ruling
  }
}

/// An answer that rules of a scenario made or changed.
package struct RuledAnswer: Equatable, Sendable {
  package var script: Script
  /// The recording it was made of; nil for none.
  package var play: Play?
  /// The rules that had a part in it, from 1.
  package var rules: [Int]
  /// See `FaultedAnswer`.
  package var overruled: [Encounter.Met] = []
  package var unapplied: [Encounter.Met] = []
  /// The same in words, and what was drawn; nil when there is nothing to tell.
  package var ruling: Ruling?
}

extension RuledAnswer: CustomStringConvertible {
  /// `rules 1, 3`, what has no effect, then the script.
  package var description: String {
    let numbers = rules.map(String.init).joined(separator: ", ")
    let others = overruled.isEmpty ? "" : "; overruled: \(Encounter.Met.list(overruled))"
    return "rules \(numbers)\(others)\n\(script)"
  }
}

extension Encounter.Met: CustomStringConvertible {
  /// `reset at 50% (rule 1)`.
  package var description: String { "\(fault) (rule \(rule))" }

  static func list(_ met: [Encounter.Met]) -> String {
    met.map(\.description).joined(separator: ", ")
  }
}

extension Play: CustomStringConvertible {
  /// `interaction 7, 1 of 3`, then the script.
  package var description: String {
    "interaction \(interaction.id), \(ordinal) of \(count)\n\(script)"
  }
}

extension Plan: CustomStringConvertible {
  package var description: String {
    switch self {
    case .play(let play): "play \(play)"
    case .ruled(let answer): "\(answer)"
    case .miss(let miss): "miss \(miss)"
    case .needsContent(holding: 0): "needs content"
    case .needsContent(let bytes): "needs content, \(bytes) bytes held"
    }
  }
}
