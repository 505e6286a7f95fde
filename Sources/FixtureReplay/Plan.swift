import FixtureCassette

/// What to do with a request.
package enum Plan: Equatable, Sendable {
  /// Perform the script.
  case play(Play)
  /// No recording answers it; perform the miss's own script.
  indirect case miss(Miss)
  /// Which recording answers it depends on its content: read that (after a 100 when the client
  /// waits for one), then plan again.
  case needsContent
}

/// One use of an interaction.
package struct Play: Equatable, Sendable {
  /// Shared by all plays of the interaction, so that a play costs no copy of it.
  private let recording: Recording
  package let script: Script
  /// Which of the recordings that match the request this is, from 1.
  package let ordinal: Int
  /// How many recordings match the request.
  package let count: Int

  package init(_ recording: Recording, script: Script, ordinal: Int, count: Int) {
    self.recording = recording
    self.script = script
    self.ordinal = ordinal
    self.count = count
  }

  package var interaction: Interaction { recording.interaction }

  /// Whether no answer comes, because the recorded client did not wait for one.
  package var isUnanswered: Bool {
    script.steps.count == 1 && script.steps[0].action == .wait(.clientLeaves)
  }

  package static func == (left: Play, right: Play) -> Bool {
    left.script == right.script && left.ordinal == right.ordinal && left.count == right.count
      && left.interaction == right.interaction
  }
}

/// An interaction behind one reference: copying the value itself would retain all its parts.
package final class Recording: Sendable {
  package let interaction: Interaction

  package init(_ interaction: Interaction) {
    self.interaction = interaction
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
    case .miss(let miss): "miss \(miss)"
    case .needsContent: "needs content"
    }
  }
}
