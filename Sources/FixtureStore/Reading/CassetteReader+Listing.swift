import FixtureCassette
import FixtureHTTP

/// A line of a list of interactions.
package struct ListedInteraction: Equatable, Sendable {
  package let id: Int64
  package let upstream: String?
  package let method: [UInt8]
  package let target: [UInt8]
  /// nil when no response came.
  package let status: Int64?
  /// Of the response as transferred; nil when it has none.
  package let contentSize: Int64?
  package let outcome: String
  package let notes: String
}

extension CassetteReader {
  /// Interactions in order whose method, target or status holds a text, the case of ASCII letters
  /// ignored.
  /// - Parameters:
  ///   - text: empty for all.
  ///   - after: those with higher ids.
  package func listing(
    containing text: String, after id: Int64, limit: Int
  ) throws(StoreError) -> [ListedInteraction] {
    let row = try SQLiteStatement(
      connection,
      """
      SELECT interaction.id, upstream, method, target, status, size, outcome, notes
      FROM interaction LEFT JOIN body ON body.id = response_body
      WHERE interaction.id > ?1 AND (?2 = '' OR instr(
        lower(method || ' ' || CAST(target AS TEXT) || ' ' || ifnull(status, '')), lower(?2)) > 0)
      ORDER BY interaction.id LIMIT ?3
      """)
    try row.bind(1, id)
    try row.bind(2, text)
    try row.bind(3, Int64(limit))
    var found: [ListedInteraction] = []
    while try row.step() {
      found.append(
        ListedInteraction(
          id: row.integer(0), upstream: row.optionalText(1), method: row.bytes(2),
          target: row.bytes(3), status: row.optionalInteger(4),
          contentSize: row.optionalInteger(5), outcome: row.text(6), notes: row.text(7)))
    }
    return found
  }
}
