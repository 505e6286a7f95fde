import FixtureCassette
import FixtureStore

/// A whole cassette as text, for review and comparison.
enum Dump {
  /// Stands in the first line; a change of the text's form raises it.
  static let formatVersion = 3

  /// What stands above the interactions.
  static func heading(_ description: CassetteDescription) -> String {
    var text = "fixtured dump, format \(formatVersion)\n"
    for upstream in description.upstreams {
      let name = upstream.name.map { "\($0.escapedForTerminal)=" } ?? ""
      text += "upstream: \(name)\(upstream.url.escapedForTerminal)\n"
    }
    switch description.redactions {
    case nil: text += "redaction: off\n"
    case let words?:
      let added = words.map { " \($0.escapedForTerminal)" }.joined()
      text += "redaction: on\(added.isEmpty ? "" : ", with\(added)")\n"
    }
    return text
  }

  /// Gives the text in parts, each of whole lines, until `take` says no.
  static func write(
    _ reader: CassetteReader, withTimes: Bool, to take: (String) -> Bool
  ) throws(StoreError) {
    guard take(heading(reader.description)) else { return }
    for id in try reader.interactionIDs() {
      let block = try InteractionText(reader: reader, id: id, withTimes: withTimes)
      guard take("\n" + block.text) else { return }
    }
  }
}

extension InteractionText {
  /// Reads what is shown of one interaction.
  init(reader: CassetteReader, id: Int64, withTimes: Bool) throws(StoreError) {
    let interaction = try reader.interaction(id: id)
    self.init(
      interaction,
      requestContent: try reader.excerpt(interaction.requestBody, of: interaction.request.fields),
      responseContent: try reader.excerpt(
        interaction.response?.body, of: interaction.response?.head.fields),
      withTimes: withTimes)
  }
}
