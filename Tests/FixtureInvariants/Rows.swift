import FixtureCassette
import FixtureHTTP
import FixtureStore

// RULE of `rows`: whatever a value in a cassette is, of whatever type, the file keeps the rule of
// `cassettes`, which says what reading, checking, repairing and replaying must respect.
//
// Each line changes one value of a small cassette: a letter for the column (`A` is the first of
// `Column.all`, `a` the 27th), one for the type (`i`, `r`, `t`, `b`, `n`), and the value, with the
// escapes \r, \n and \\.

func checkRows(_ bytes: [UInt8]) throws(Violation) {
  let file = ScratchFile(Template.shared.bytes)
  let tampering = Tampering(path: file.path)
  tampering.run("BEGIN")
  for line in bytes.split(separator: 0x0A).prefix(16) {
    guard let (column, value) = change(line) else { continue }
    tampering.run(
      "UPDATE \(column.table) SET \(column.name) = ?1 WHERE \(column.condition)", value)
  }
  for (name, sql) in Template.shared.schema {
    tampering.run(
      "UPDATE sqlite_schema SET sql = ?1 WHERE name = ?2", .text(Array(sql.utf8)),
      .text(Array(name.utf8)))
  }
  tampering.run("COMMIT")
  try checkFile(file)
}

private func change(_ line: ArraySlice<UInt8>) -> (Column, Tampering.Value)? {
  guard line.count >= 2, let letter = line.first else { return nil }
  let isSmall = letter >= UInt8(ascii: "a")
  let number = isSmall ? letter - UInt8(ascii: "a") + 26 : letter &- UInt8(ascii: "A")
  let column = Column.all[Int(number) % Column.all.count]
  let bytes = unescaped(line.dropFirst(2))
  let text = String(decoding: bytes, as: UTF8.self)
  switch line[line.startIndex + 1] {
  case UInt8(ascii: "i"): return (column, .integer(Int64(text) ?? 0))
  case UInt8(ascii: "r"): return (column, .real(Double(text) ?? 0.5))
  case UInt8(ascii: "t"): return (column, .text(bytes))
  case UInt8(ascii: "b"): return (column, .blob(bytes))
  case UInt8(ascii: "n"): return (column, .null)
  default: return nil
  }
}

private func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
  var bytes: [UInt8] = []
  var rest = text
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
      bytes.append(byte)
      continue
    }
    switch letter {
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    default: bytes.append(letter)
    }
  }
  return bytes
}

/// A place in the template that a line can name.
private struct Column {
  let table: String
  let name: String
  let condition: String

  static let all: [Column] =
    of(
      "interaction", "id = 1",
      "started_at", "upstream", "scheme", "authority", "method", "target", "http_version",
      "request_fields", "request_body", "request_trailers", "status", "reason",
      "response_version", "response_fields", "response_body", "response_trailers", "framing",
      "arrivals", "outcome", "outcome_detail", "notes", "connection", "first_byte_us", "end_us")
    + of("body", "id = 1", "size", "sha256") + of("body", "id = 2", "size", "sha256")
    + of("body_piece", "id = 1", "body_id", "seq", "bytes")
    + of(
      "interim", "interaction_id = 1", "seq", "offset_us", "status", "reason", "fields",
      "interaction_id")
    + ["upstream.1", "redaction", "redact.1", "redacted_count", "created_at"].flatMap {
      of("meta", "key = '\($0)'", "value")
    }
    + of("interaction", "id = 2", "target", "outcome") + of("interaction", "id = 1", "id")
    + of("body", "id = 2", "id")

  private static func of(_ table: String, _ condition: String, _ names: String...) -> [Column] {
    names.map { Column(table: table, name: $0, condition: condition) }
  }
}

/// A small cassette with something in every table, and a schema that accepts any value.
private struct Template: Sendable {
  let bytes: [UInt8]
  /// Names and texts as the format wants them.
  let schema: [(name: String, sql: String)]

  static let shared = Template()

  private init() {
    let file = ScratchFile(nil)
    do throws(StoreError) {
      try Self.write(to: file.path)
    } catch { fatalError("no template: \(error)") }
    let tampering = Tampering(path: file.path)
    // As small as SQLite can: the file is written for every input.
    tampering.run("PRAGMA page_size = 512")
    tampering.run("VACUUM")
    schema = tampering.pairs("SELECT name, sql FROM sqlite_schema").map { (name: $0, sql: $1) }
    for rule in [" STRICT, WITHOUT ROWID", " STRICT", " NOT NULL"] {
      let rest = rule.hasSuffix("ROWID") ? " WITHOUT ROWID" : ""
      tampering.run("UPDATE sqlite_schema SET sql = replace(sql, '\(rule)', '\(rest)')")
    }
    bytes = file.bytes
  }

  private static func write(to path: String) throws(StoreError) {
    let description = CassetteDescription(
      upstreams: [.init(name: nil, url: "http://a.test")], redactions: ["query:a"])
    let writer = try CassetteWriter.create(
      path: path, description: description, durability: .process, createdAt_us: 0)
    writer.commit(draft(id: 1)) { _ in }
    writer.commit(draft(id: 2)) { _ in }
    try writer.close()
  }

  private static func draft(id: Int64) -> InteractionDraft {
    var arrivals = Arrivals()
    arrivals.append(offset_us: 1000, count: 5)
    arrivals.append(offset_us: 2000, count: 6)
    let early = ResponseHead(status: 103, reason: [], fields: fields(["Link": "</a>"]))
    let interaction = Interaction(
      id: id, startedAt_us: 1_700_000_000_000_000, scheme: "http", authority: "a.test",
      request: RequestHead(
        method: .post, target: Array("/a?a=1&b=2".utf8), fields: fields(["Host": "a.test"])),
      response: RecordedResponse(
        head: ResponseHead(
          status: 200, reason: Array("OK".utf8), fields: fields(["Content-Length": "11"])),
        framing: .length, arrivals: arrivals),
      interims: [RecordedInterim(offset_us: 10, head: early)],
      connection: 1, firstByte_us: 3000, end_us: 9000)
    return InteractionDraft(
      interaction: interaction, requestBody: .bytes(Array("a=1".utf8)),
      responseBody: .bytes(Array("hello world".utf8)))
  }

  private static func fields(_ lines: KeyValuePairs<String, String>) -> FieldSection {
    var section = FieldSection()
    for (name, value) in lines { section.append(name: name.utf8, value: value.utf8) }
    return section
  }
}
