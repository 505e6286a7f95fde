import FixtureCassette
import FixtureHTTP
import FixtureStore

/// One of the cassettes that are merged.
struct MergeInput {
  let reader: CassetteReader
  private let number: Int
  private let upstreams: MergedUpstreams

  init(_ reader: CassetteReader, number: Int, upstreams: MergedUpstreams) {
    (self.reader, self.number, self.upstreams) = (reader, number, upstreams)
  }

  func interactionIDs() throws(StoreError) -> [Int64] { try reader.interactionIDs() }

  /// An interaction under the name that its upstream has in the merged cassette.
  func interaction(id: Int64) throws(StoreError) -> Interaction {
    var interaction = try reader.interaction(id: id)
    interaction.upstream = upstreams.name(of: interaction.upstream, in: number)
    return interaction
  }

  /// Writes an interaction with its placeholders renumbered, in heads and content.
  func write(
    _ interaction: Interaction, as id: Int64, _ numbers: PlaceholderNumbers,
    to rewrite: CassetteRewrite
  ) throws(StoreError) {
    var renumbered = interaction
    renumbered.id = id
    var request = CassetteRewrite.Content(interaction.requestBody, in: reader)
    var response = CassetteRewrite.Content(interaction.response?.body, in: reader)
    if interaction.notes.contains(.redacted) {
      numbers.renumber(&renumbered)
      let requestFields = interaction.request.fields
      if let content = try content(interaction.requestBody, requestFields, numbers) {
        request = .bytes(content)
        renumbered.requestBodyChanged(length: content.count)
      }
      let responseFields = interaction.response?.head.fields
      if let content = try content(interaction.response?.body, responseFields, numbers) {
        response = .bytes(content)
        renumbered.responseBodyChanged(length: content.count)
      }
    }
    try rewrite.add(renumbered, request: request, response: response)
  }

  /// Content with its placeholders renumbered, coded as it was; nil when it stays as it is.
  private func content(
    _ body: BodyReference?, _ fields: FieldSection?, _ numbers: PlaceholderNumbers
  ) throws(StoreError) -> [UInt8]? {
    guard let plain = try plainContent(body, fields), let new = numbers.renumbering(plain) else {
      return nil
    }
    // What was decoded can be coded again.
    return try? ContentReplacement.coded(new, as: fields ?? FieldSection())
  }

  /// Content without its codings; nil when that can't be had.
  private func plainContent(
    _ body: BodyReference?, _ fields: FieldSection?
  ) throws(StoreError) -> [UInt8]? {
    try reader.comparedContent(body, of: fields)?.plain
  }

  /// The placeholders of an interaction, those in its contents too.
  func placeholders(in interaction: Interaction) throws(StoreError) -> Set<Int64> {
    guard interaction.notes.contains(.redacted) else { return [] }
    var numbers = Placeholder.numbers(in: interaction)
    let contents = [
      try plainContent(interaction.requestBody, interaction.request.fields),
      try plainContent(interaction.response?.body, interaction.response?.head.fields),
    ]
    for content in contents {
      numbers.formUnion((content.map(Placeholder.places) ?? []).map(\.number))
    }
    return numbers
  }
}

extension CassetteDescription {
  /// What several cassettes say of themselves together: a place that one of them redacts is a
  /// redacted place of all.
  init(merging descriptions: [CassetteDescription], _ upstreams: MergedUpstreams, count: Int64) {
    var words: [String]?
    for redactions in descriptions.compactMap(\.redactions) {
      let known = words ?? []
      words = known + redactions.filter { !known.contains($0) }
    }
    self.init(
      upstreams: upstreams.upstreams, redactions: words,
      redactedCount: min(count, Placeholder.numberMax),
      preservesHost: descriptions.contains(where: \.preservesHost))
  }
}
