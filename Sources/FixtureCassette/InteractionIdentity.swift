import FixtureHTTP

/// What makes two interactions the same: every byte of request and response, and how it ended. Not
/// their numbers, connections and times; the date of the recording when it is asked for.
package struct InteractionIdentity: Hashable, Sendable {
  private let digest: [UInt8]

  /// - Parameter withDate: whether they must have begun at the same microsecond, which only copies
  ///   of one recording do.
  package init(_ interaction: Interaction, withDate: Bool) {
    var key: [UInt8] = []
    func add(_ text: String?) { key.appendPrefixed(Array((text ?? "\0").utf8)) }
    if withDate { add(String(interaction.startedAt_us)) }
    add(interaction.upstream)
    add(interaction.scheme)
    add(interaction.authority)
    key.appendPrefixed(interaction.request.method.bytes)
    key.appendPrefixed(interaction.request.target)
    add(interaction.request.version.description)
    key.appendPrefixed(interaction.request.fields.bytes)
    key.appendPrefixed(interaction.requestBody?.digest ?? [])
    key.appendPrefixed(interaction.requestTrailers.bytes)
    for interim in interaction.interims {
      add(String(interim.head.status))
      key.appendPrefixed(interim.head.reason)
      key.appendPrefixed(interim.head.fields.bytes)
    }
    if let response = interaction.response {
      add("\(response.head.version) \(response.head.status) \(response.framing.rawValue)")
      key.appendPrefixed(response.head.reason)
      key.appendPrefixed(response.head.fields.bytes)
      key.appendPrefixed(response.body?.digest ?? [])
      key.appendPrefixed(response.trailers.bytes)
    }
    add(interaction.outcome.rawValue)
    add(interaction.outcomeDetail)
    digest = SHA256.digest(of: key)
  }
}
