import FixtureCassette

/// The rows of `meta`, and what they say as values. Keys that are not listed are ignored:
///
///     created_at         2025-01-31T12:00:00Z
///     created_by         fixtured 0.1.0
///     upstream.1, .2, …  URL or NAME=URL, the words of --upstream, in order
///     preserve_host      on, when --preserve-host was given
///     redaction          on or off
///     redact.1, .2, …    the words of --redact, in order
///     redacted_count     how many placeholders REDACTED-n are in use
///     redacted_text.1, … numbers of placeholders, a space, and the text: rule they stand for
struct CassetteMeta {
  var createdAt = ""
  var createdBy = ""
  var description = CassetteDescription()

  static func read(_ connection: SQLiteConnection) throws(StoreError) -> CassetteMeta {
    let statement = try SQLiteStatement(connection, "SELECT key, value FROM meta")
    var values: [String: String] = [:]
    while try statement.step() { values[statement.text(0)] = statement.text(1) }
    var meta = CassetteMeta()
    meta.createdAt = values["created_at"] ?? ""
    meta.createdBy = values["created_by"] ?? ""
    meta.description.upstreams = list("upstream", values).map(upstream)
    meta.description.preservesHost = values["preserve_host"] == "on"
    switch values["redaction"] {
    case "on": meta.description.redactions = list("redact", values)
    case "off": meta.description.redactions = nil
    default: throw invalid("redaction", connection)
    }
    guard let count = values["redacted_count"].flatMap({ Int64($0) }),
      (0...Placeholder.numberMax).contains(count)
    else {
      throw invalid("redacted_count", connection)
    }
    meta.description.redactedCount = count
    for row in list("redacted_text", values) {
      guard let space = row.firstIndex(of: " ") else { throw invalid("redacted_text", connection) }
      let numbers = row[..<space].split(separator: ",").compactMap { Int64($0) }
      guard numbers.allSatisfy({ (1...Placeholder.numberMax).contains($0) }) else {
        throw invalid("redacted_text", connection)
      }
      meta.description.textNumbers[String(row[row.index(after: space)...])] = numbers
    }
    return meta
  }

  /// Writes a description's rows in place of those that are there, in the open transaction.
  static func write(
    _ description: CassetteDescription, _ connection: SQLiteConnection
  ) throws(StoreError) {
    try connection.execute(
      """
      DELETE FROM meta WHERE key GLOB 'upstream.*' OR key GLOB 'redact.*'
        OR key GLOB 'redacted_text.*' OR key IN ('preserve_host', 'redaction', 'redacted_count')
      """)
    let insert = try SQLiteStatement(connection, "INSERT INTO meta(key, value) VALUES (?1, ?2)")
    for row in rows(description) {
      try insert.bind(1, row.key)
      try insert.bind(2, row.value)
      try insert.run()
    }
  }

  /// The rows that a description becomes.
  private static func rows(_ description: CassetteDescription) -> [(key: String, value: String)] {
    var rows: [(key: String, value: String)] = []
    for (index, upstream) in description.upstreams.enumerated() {
      let name = upstream.name.map { $0 + "=" } ?? ""
      rows.append(("upstream.\(index + 1)", name + upstream.url))
    }
    if description.preservesHost { rows.append(("preserve_host", "on")) }
    rows.append(("redaction", description.redactions == nil ? "off" : "on"))
    for (index, rule) in (description.redactions ?? []).enumerated() {
      rows.append(("redact.\(index + 1)", rule))
    }
    rows.append(("redacted_count", "\(description.redactedCount)"))
    let texts = description.textNumbers.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
    for (index, text) in texts.enumerated() {
      let numbers = text.value.map(String.init).joined(separator: ",")
      rows.append(("redacted_text.\(index + 1)", "\(numbers) \(text.key)"))
    }
    return rows
  }

  /// `prefix.1`, `prefix.2`, … as far as they go.
  private static func list(_ prefix: String, _ values: [String: String]) -> [String] {
    var result: [String] = []
    while let value = values["\(prefix).\(result.count + 1)"] { result.append(value) }
    return result
  }

  /// The words of --upstream: a URL has `://` before any `=` that it may hold.
  private static func upstream(_ words: String) -> CassetteDescription.Upstream {
    guard let separator = words.firstIndex(of: "="),
      !words.hasPrefix("http://"), !words.hasPrefix("https://")
    else { return .init(name: nil, url: words) }
    return .init(
      name: String(words[..<separator]), url: String(words[words.index(after: separator)...]))
  }

  private static func invalid(_ key: String, _ connection: SQLiteConnection) -> StoreError {
    .valueInvalid(path: connection.path, table: "meta", id: nil, column: key)
  }
}
