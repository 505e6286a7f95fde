import FixtureCassette
import FixtureHTTP

/// An interaction with its script, made once for all its plays. A class, because copying the values
/// themselves would retain all their parts.
package final class PreparedPlay: Sendable {
  package let interaction: Interaction
  package let script: Script
  /// Whether no answer comes.
  let isUnanswered: Bool

  /// - Parameter version: the client's; see `Script`.
  /// - Returns: nil when there is nothing to play.
  package init?(
    _ interaction: consuming Interaction, pacing: Pacing, to version: HTTPVersion = .http11
  ) {
    guard interaction.isPlayable else { return nil }
    self.interaction = interaction
    script = Script(replaying: interaction, pacing: pacing, to: version)
    isUnanswered = false
  }

  /// For an interaction whose client left before an answer came.
  init(unanswered interaction: Interaction) {
    self.interaction = interaction
    script = Script(unanswered: interaction.id)
    isUnanswered = true
  }

  /// Bytes of memory, roughly.
  var cost: Int {
    let response = interaction.response
    return 1024 + interaction.request.target.count + interaction.request.fields.bytes.count
      + (response?.head.fields.bytes.count ?? 0) + (response?.arrivals.packed.count ?? 0)
      + script.steps.count * MemoryLayout<Step>.stride
  }
}
