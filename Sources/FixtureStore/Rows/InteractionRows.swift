import FixtureCassette
import FixtureHTTP

/// Writes interactions and their interim responses. Confined to the writer's thread.
final class InteractionRows {
  private let insertInteraction: SQLiteStatement
  private let insertInterim: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(StoreError) {
    insertInteraction = try SQLiteStatement(
      connection,
      """
      INSERT INTO interaction(id, started_at, upstream, scheme, authority, method, target,
        http_version, request_fields, request_body, request_trailers, status, reason,
        response_version, response_fields, response_body, response_trailers, framing, arrivals,
        outcome, outcome_detail, notes, connection, first_byte_us, end_us)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
        ?20, ?21, ?22, ?23, ?24, ?25)
      """)
    insertInterim = try SQLiteStatement(
      connection,
      """
      INSERT INTO interim(interaction_id, seq, offset_us, status, reason, fields)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
  }

  /// - Parameters: the ids of the stored bodies; those in `interaction` are not looked at.
  func insert(
    _ interaction: Interaction, requestBody: Int64?, responseBody: Int64?
  ) throws(StoreError) {
    try bindRequest(interaction, body: requestBody)
    try bindResponse(interaction.response, body: responseBody)
    try bindOutcome(interaction)
    try insertInteraction.run()
    for (seq, interim) in interaction.interims.enumerated() {
      try insert(interim, seq: Int64(seq), of: interaction.id)
    }
  }

  private func bindRequest(_ interaction: Interaction, body: Int64?) throws(StoreError) {
    let row = insertInteraction
    try row.bind(1, interaction.id)
    try row.bind(2, interaction.startedAt_us)
    try row.bind(3, interaction.upstream)
    try row.bind(4, interaction.scheme)
    try row.bind(5, interaction.authority)
    try row.bind(6, text: interaction.request.method.bytes)
    try row.bind(7, interaction.request.target)
    try row.bind(8, interaction.request.version.description)
    try row.bind(9, interaction.request.fields.bytes)
    try row.bind(10, body)
    try row.bind(11, interaction.requestTrailers.storedTrailers)
  }

  private func bindResponse(_ response: RecordedResponse?, body: Int64?) throws(StoreError) {
    let row = insertInteraction
    try row.bind(12, response.map { Int64($0.head.status) })
    try row.bind(13, response?.head.reason)
    try row.bind(14, response?.head.version.description)
    try row.bind(15, response?.head.fields.bytes)
    try row.bind(16, body)
    try row.bind(17, response?.trailers.storedTrailers)
    try row.bind(18, response?.framing.rawValue)
    try row.bind(19, response?.arrivals.packed)
  }

  private func bindOutcome(_ interaction: Interaction) throws(StoreError) {
    let row = insertInteraction
    try row.bind(20, interaction.outcome.rawValue)
    try row.bind(21, interaction.outcomeDetail)
    try row.bind(22, interaction.notes.map(\.rawValue).sorted().joined(separator: " "))
    try row.bind(23, interaction.connection)
    try row.bind(24, interaction.firstByte_us)
    try row.bind(25, interaction.end_us)
  }

  private func insert(
    _ interim: RecordedInterim, seq: Int64, of interaction: Int64
  ) throws(StoreError) {
    try insertInterim.bind(1, interaction)
    try insertInterim.bind(2, seq)
    try insertInterim.bind(3, interim.offset_us)
    try insertInterim.bind(4, Int64(interim.head.status))
    try insertInterim.bind(5, interim.head.reason)
    try insertInterim.bind(6, interim.head.fields.bytes)
    try insertInterim.run()
  }
}

extension FieldSection {
  /// NULL when there were none.
  fileprivate var storedTrailers: [UInt8]? { isEmpty ? nil : bytes }
}
