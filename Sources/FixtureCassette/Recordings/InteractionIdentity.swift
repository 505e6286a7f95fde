import FixtureHTTP

/// What makes two interactions the same: every byte of request and response, and how it ended. Not
/// their numbers, connections and times; the date of the recording when it is asked for.
package struct InteractionIdentity: Hashable, Sendable {
  private let digest: [UInt8]

  /// - Parameters:
  ///   - withDate: whether they must have begun at the same microsecond, which only copies of one
  ///     recording do.
  ///   - lasting: what counts of a section of fields.
  package init(
    _ interaction: Interaction, withDate: Bool, lasting: (FieldSection) -> [UInt8] = \.bytes
  ) {
    var key: [UInt8] = []
    func add(_ text: String?) { key.appendPrefixed(Array((text ?? "\0").utf8)) }
    if withDate { add(String(interaction.startedAt_us)) }
    add(interaction.upstream)
    add(interaction.scheme)
    add(interaction.authority)
    key.appendPrefixed(interaction.request.method.bytes)
    key.appendPrefixed(interaction.request.target)
    add(interaction.request.version.description)
    key.appendPrefixed(lasting(interaction.request.fields))
    key.appendPrefixed(interaction.requestBody?.digest ?? [])
    key.appendPrefixed(lasting(interaction.requestTrailers))
    for interim in interaction.interims {
      add(String(interim.head.status))
      key.appendPrefixed(interim.head.reason)
      key.appendPrefixed(lasting(interim.head.fields))
    }
    if let response = interaction.response {
      add("\(response.head.version) \(response.head.status) \(response.framing.rawValue)")
      key.appendPrefixed(response.head.reason)
      key.appendPrefixed(lasting(response.head.fields))
      key.appendPrefixed(response.body?.digest ?? [])
      key.appendPrefixed(lasting(response.trailers))
    }
    add(interaction.outcome.rawValue)
    add(interaction.outcomeDetail)
    digest = SHA256.digest(of: key)
  }
}
