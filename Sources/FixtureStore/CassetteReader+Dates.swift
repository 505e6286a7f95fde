import FixtureHTTP

extension CassetteReader {
  /// The latest date of a recorded response: its `Date`, or when it came if it has none. nil when
  /// nothing was answered.
  package func latestDate() throws(StoreError) -> HTTPDate? {
    let statement = try SQLiteStatement(
      connection,
      """
      SELECT response_fields, started_at + coalesce(first_byte_us, 0) FROM interaction
      WHERE status IS NOT NULL
      """)
    var latest: HTTPDate?
    // Most rows have the date of the row before.
    var text: [UInt8] = []
    while try statement.step() {
      let field = StoredFields(statement.columnBytes(0)).first(.date)
      if let field, field.elementsEqual(text) { continue }
      let date: HTTPDate
      if let field, let parsed = HTTPDate(parsing: field) {
        text = Array(field)
        date = parsed
      } else {
        date = HTTPDate(secondsSince1970: statement.integer(1) / 1_000_000)
      }
      latest = max(latest ?? date, date)
    }
    return latest
  }
}
