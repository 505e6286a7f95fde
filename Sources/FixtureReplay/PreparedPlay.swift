import FixtureCassette

/// An interaction with its script, made once for all its plays.
struct PreparedPlay {
  let recording: Recording
  /// nil when there is nothing to play.
  let script: Script?

  init(_ interaction: Interaction, _ pacing: Pacing) {
    recording = Recording(interaction)
    script = interaction.isPlayable ? Script(replaying: interaction, pacing: pacing) : nil
  }

  /// Bytes of memory, roughly.
  var cost: Int {
    let interaction = recording.interaction
    let response = interaction.response
    return 1024 + interaction.request.target.count + interaction.request.fields.bytes.count
      + (response?.head.fields.bytes.count ?? 0) + (response?.arrivals.packed.count ?? 0)
      + (script?.steps.count ?? 0) * MemoryLayout<Step>.stride
  }
}
