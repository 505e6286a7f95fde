import FixtureCassette
import FixtureStore

/// Writes a cassette anew with some of its interactions changed or left out; the others, and the
/// numbers of all, stay as they are. When nothing is changed the file isn't either.
enum CassetteChange {
  /// What becomes of one interaction.
  enum Change {
    case kept
    case removed
    case changed(
      Interaction, request: CassetteRewrite.Content, response: CassetteRewrite.Content)
  }

  /// - Parameters:
  ///   - description: what the cassette says of itself once all are changed; nil for what it said.
  ///   - change: called for each interaction, in order.
  static func perform(
    on reader: CassetteReader, description: (() -> CassetteDescription)? = nil,
    change: (Interaction) throws(StoreError) -> Change
  ) throws(StoreError) {
    let rewrite = try CassetteRewrite(
      path: reader.path, of: reader, description: reader.description,
      createdBy: Version.createdBy)
    var isChanged = false
    for id in try reader.interactionIDs() {
      let interaction = try reader.interaction(id: id)
      switch try change(interaction) {
      case .kept:
        try rewrite.copy(interaction, from: reader)
        continue
      case .removed: break
      case .changed(let changed, let request, let response):
        try rewrite.add(changed, request: request, response: response)
      }
      isChanged = true
    }
    if let description = description?(), description != reader.description {
      try rewrite.describe(description)
      isChanged = true
    }
    if isChanged { try rewrite.finish() } else { rewrite.abandon() }
  }
}
