import FixtureCassette
import FixtureHTTP

/// A row of `interaction` as a value, checked: a cassette is data from outside, and what a codec
/// would never have produced is never given to a player.
struct InteractionRow {
  static let query = """
    SELECT interaction.id, started_at, upstream, scheme, authority, method, target, http_version,
      request_fields, request_body, request.size, request.sha256, request_trailers,
      status, reason, response_version, response_fields,
      response_body, response.size, response.sha256, response_trailers, framing, arrivals,
      outcome, outcome_detail, notes, connection, first_byte_us, end_us
    FROM interaction
      LEFT JOIN body AS request ON request.id = request_body
      LEFT JOIN body AS response ON response.id = response_body
    WHERE interaction.id = ?1
    """

  /// The same without what is known of the request's body.
  static let answerQuery =
    query
    .replacing("request.size, request.sha256", with: "NULL, NULL")
    .replacing("LEFT JOIN body AS request ON request.id = request_body", with: "")

  /// The columns of `query`, in its order.
  private enum Column: Int32 {
    case id, started_at, upstream, scheme, authority, method, target, http_version
    case request_fields, request_body, request_size, request_sha256, request_trailers
    case status, reason, response_version, response_fields
    case response_body, response_size, response_sha256, response_trailers, framing, arrivals
    case outcome, outcome_detail, notes, connection, first_byte_us, end_us
  }

  private let row: SQLiteStatement
  private let path: String
  private let requestBody: BodyReference?

  /// - Parameters:
  ///   - row: `query`, stepped to its row.
  ///   - requestBody: what is known of it, when the row is one of `answerQuery`.
  init(_ row: SQLiteStatement, path: String, requestBody: BodyReference? = nil) {
    self.row = row
    self.path = path
    self.requestBody = requestBody
  }

  /// The interaction without its interim responses.
  func interaction() throws(StoreError) -> Interaction {
    Interaction(
      id: try id(),
      startedAt_us: row.integer(Column.started_at.rawValue),
      upstream: row.isNull(Column.upstream.rawValue) ? nil : try visible(.upstream),
      scheme: try scheme(),
      authority: try visible(.authority),
      request: try request(),
      requestBody: try requestContent(),
      requestTrailers: try fields(.request_trailers),
      response: try response(),
      outcome: try word(.outcome),
      outcomeDetail: row.optionalText(Column.outcome_detail.rawValue),
      notes: try notes(),
      connection: row.integer(Column.connection.rawValue),
      firstByte_us: try duration(.first_byte_us),
      end_us: try duration(.end_us) ?? 0)
  }

  private func id() throws(StoreError) -> Int64 {
    let id = row.integer(Column.id.rawValue)
    guard id <= StoreLimits.idMax else { throw invalid(.id) }
    return id
  }

  private func scheme() throws(StoreError) -> String {
    let scheme = row.text(Column.scheme.rawValue)
    guard scheme == "http" || scheme == "https" else { throw invalid(.scheme) }
    return scheme
  }

  /// Text that may become part of a link or a field.
  private func visible(_ column: Column) throws(StoreError) -> String {
    let text = row.text(column.rawValue)
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw invalid(column) }
    return text
  }

  private func request() throws(StoreError) -> RequestHead {
    let method = row.columnBytes(Column.method.rawValue)
    guard !method.isEmpty, method.allSatisfy(\.isTokenCharacter) else { throw invalid(.method) }
    let parsed = Method(method)
    let target = row.bytes(Column.target.rawValue)
    guard !target.isEmpty, target.allSatisfy({ $0.isFieldValueByte && $0 != 0x20 }) else {
      throw invalid(.target)
    }
    return RequestHead(
      method: parsed, target: target, version: try version(.http_version),
      fields: try fields(.request_fields))
  }

  private func requestContent() throws(StoreError) -> BodyReference? {
    if let requestBody { return requestBody }
    return try body(.request_body, size: .request_size, digest: .request_sha256)
  }

  private func response() throws(StoreError) -> RecordedResponse? {
    guard let status = row.optionalInteger(Column.status.rawValue) else { return nil }
    // An interim status is never final (RFC 9110 §15.2).
    guard (200...999).contains(status) else { throw invalid(.status) }
    let reason = row.bytes(Column.reason.rawValue)
    guard reason.allSatisfy(\.isFieldValueByte) else { throw invalid(.reason) }
    let head = ResponseHead(
      version: try version(.response_version), status: Int(status), reason: reason,
      fields: try fields(.response_fields))
    let body = try body(.response_body, size: .response_size, digest: .response_sha256)
    return RecordedResponse(
      head: head, framing: try word(.framing), body: body,
      trailers: try fields(.response_trailers), arrivals: try arrivals(of: body))
  }

  /// No arrivals at all are fine, for a body whose arrival nobody saw.
  private func arrivals(of body: BodyReference?) throws(StoreError) -> Arrivals {
    let packed = row.bytes(Column.arrivals.rawValue)
    guard let arrivals = Arrivals(packed: packed),
      packed.isEmpty || arrivals.pieces.reduce(0, { $0 + $1.count }) == body?.size
    else { throw invalid(.arrivals) }
    return arrivals
  }

  private func body(
    _ reference: Column, size: Column, digest: Column
  ) throws(StoreError) -> BodyReference? {
    guard let id = row.optionalInteger(reference.rawValue) else { return nil }
    guard id <= StoreLimits.idMax else { throw invalid(reference) }
    guard let size = row.optionalInteger(size.rawValue), size >= 0 else { throw invalid(reference) }
    let digest = row.bytes(digest.rawValue)
    guard digest.count == SHA256.digestCount else { throw invalid(reference) }
    return BodyReference(id: id, size: size, digest: digest)
  }

  private func fields(_ column: Column) throws(StoreError) -> FieldSection {
    let stored = row.bytes(column.rawValue)
    if stored.isEmpty { return FieldSection() }
    do {
      return try FieldSection(stored: stored)
    } catch {
      throw invalid(column)
    }
  }

  private func notes() throws(StoreError) -> Set<Interaction.Note> {
    var notes: Set<Interaction.Note> = []
    // Most have none.
    if row.columnBytes(Column.notes.rawValue).isEmpty { return notes }
    for word in row.text(Column.notes.rawValue).split(separator: " ") {
      guard let note = Interaction.Note(rawValue: String(word)) else { throw invalid(.notes) }
      notes.insert(note)
    }
    return notes
  }

  private func duration(_ column: Column) throws(StoreError) -> Int64? {
    guard let value = row.optionalInteger(column.rawValue) else { return nil }
    guard value >= 0 else { throw invalid(column) }
    return value
  }

  private func version(_ column: Column) throws(StoreError) -> HTTPVersion {
    guard let version = HTTPVersion(stored: row.bytes(column.rawValue)) else {
      throw invalid(column)
    }
    return version
  }

  private func word<Word: RawRepresentable<String>>(_ column: Column) throws(StoreError) -> Word {
    guard let word = Word(rawValue: row.text(column.rawValue)) else { throw invalid(column) }
    return word
  }

  private func invalid(_ column: Column) -> StoreError {
    .valueInvalid(
      path: path, table: "interaction", id: row.integer(Column.id.rawValue), column: "\(column)")
  }
}

/// The rows of `interim` of one interaction.
enum InterimRow {
  static let query = """
    SELECT offset_us, status, reason, fields FROM interim WHERE interaction_id = ?1 ORDER BY seq
    """

  /// - Parameter row: `query`, stepped to a row. The version is HTTP/1.1: a server may not send an
  ///   interim response to an older client (RFC 9110 §15.2), and none is stored.
  static func interim(
    _ row: SQLiteStatement, of interaction: Int64, path: String
  ) throws(StoreError) -> RecordedInterim {
    let offset_us = row.integer(0)
    let status = row.integer(1)
    let reason = row.bytes(2)
    // A 101 is no interim response: what follows it is another protocol (RFC 9110 §15.2.2).
    guard offset_us >= 0, (100...199).contains(status), status != 101,
      reason.allSatisfy(\.isFieldValueByte),
      let fields = try? FieldSection(stored: row.bytes(3))  // Which line is wrong is not reported.
    else { throw .valueInvalid(path: path, table: "interim", id: interaction, column: "fields") }
    return RecordedInterim(
      offset_us: offset_us,
      head: ResponseHead(status: Int(status), reason: reason, fields: fields))
  }
}

extension HTTPVersion {
  /// Parses `HTTP/1.1`, as `description` gives it.
  init?(stored: [UInt8]) {
    guard stored.count == 8, stored.starts(with: "HTTP/".utf8), stored[6] == 0x2E,
      (0x30...0x39).contains(stored[5]), (0x30...0x39).contains(stored[7])
    else { return nil }
    self.init(major: stored[5] - 0x30, minor: stored[7] - 0x30)
  }
}
