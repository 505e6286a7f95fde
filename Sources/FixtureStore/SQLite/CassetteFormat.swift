/// Format version 1: the schema of a cassette file, to the letter.
///
/// Readers compare the schema text of a file with this one before they query it, so the text is
/// part of the format and never changes within a version. The comments are stored with it:
/// `sqlite3 FILE .schema` explains the file.
enum CassetteFormat {
  /// "FXTD", the application id of the file header.
  static let applicationID: Int64 = 0x4658_5444
  /// The user version of the file header.
  static let version: Int64 = 1

  struct Object: Equatable {
    let type: String
    let name: String
    let table: String
    let sql: String
  }

  /// What `sqlite_schema` holds, in order of creation.
  static let objects: [Object] = [
    Object(type: "table", name: "meta", table: "meta", sql: meta),
    Object(type: "table", name: "body", table: "body", sql: body),
    Object(type: "table", name: "body_piece", table: "body_piece", sql: bodyPiece),
    Object(type: "index", name: "body_piece_by_body", table: "body_piece", sql: bodyPieceIndex),
    Object(type: "table", name: "interaction", table: "interaction", sql: interaction),
    Object(
      type: "index", name: "interaction_by_request", table: "interaction", sql: interactionIndex),
    Object(type: "table", name: "interim", table: "interim", sql: interim),
    Object(type: "view", name: "interactions", table: "interactions", sql: interactionsView),
  ]

  private static let meta = """
    CREATE TABLE meta(
      key TEXT PRIMARY KEY NOT NULL,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
    """

  private static let body = """
    CREATE TABLE body(
      id INTEGER PRIMARY KEY,
      size INTEGER NOT NULL,         -- bytes, as transferred; 0 for an empty body
      sha256 BLOB NOT NULL           -- of the whole body, 32 bytes; not unique
    ) STRICT
    """

  private static let bodyPiece = """
    CREATE TABLE body_piece(
      id INTEGER PRIMARY KEY,
      body_id INTEGER NOT NULL REFERENCES body(id),
      seq INTEGER NOT NULL,          -- 0, 1, 2, … within a body
      bytes BLOB NOT NULL CHECK (length(bytes) BETWEEN 1 AND 1048576)
    ) STRICT
    """

  private static let bodyPieceIndex =
    "CREATE UNIQUE INDEX body_piece_by_body ON body_piece(body_id, seq)"

  private static let interaction = """
    CREATE TABLE interaction(
      id INTEGER PRIMARY KEY,        -- order in which requests reached the recorder
      started_at INTEGER NOT NULL,   -- microseconds since 1970-01-01T00:00:00Z
      upstream TEXT,                 -- the upstream's name; NULL when it has none
      scheme TEXT NOT NULL,          -- http or https
      authority TEXT NOT NULL,       -- the upstream's host or host:port
      method TEXT NOT NULL,
      target BLOB NOT NULL,          -- the request target exactly as sent
      http_version TEXT NOT NULL,    -- of the request: HTTP/1.1
      request_fields BLOB NOT NULL,  -- "Name: value" CRLF lines: order, case and repeats kept
      request_body INTEGER REFERENCES body(id),    -- NULL when there was none
      request_trailers BLOB,         -- like fields; NULL when there were none
      status INTEGER,                -- NULL when no response head arrived; so are the next seven
      reason BLOB,
      response_version TEXT,         -- HTTP/1.1, HTTP/1.0
      response_fields BLOB,
      response_body INTEGER REFERENCES body(id),   -- NULL when there was none
      response_trailers BLOB,
      framing TEXT,                  -- length, chunked, close or none
      arrivals BLOB,                 -- of response_body: for each piece two LEB128 numbers,
                                     -- microseconds since the piece before, and bytes
      outcome TEXT NOT NULL,         -- complete, truncated, reset, refused, dns, tls, timeout
                                     -- or cancelled
      outcome_detail TEXT,
      notes TEXT NOT NULL,           -- words with a space between: redacted, edited,
                                     -- content-omitted, both-framings, arrivals-merged
      connection INTEGER NOT NULL,   -- which upstream connection carried it, from 1; 0 for none
      first_byte_us INTEGER,         -- from the end of the request to the response head
      end_us INTEGER NOT NULL        -- from the end of the request to the end of the exchange
    ) STRICT
    """

  private static let interactionIndex = """
    CREATE INDEX interaction_by_request
      ON interaction(method, target, request_body, id)
    """

  private static let interim = """
    CREATE TABLE interim(
      interaction_id INTEGER NOT NULL REFERENCES interaction(id),
      seq INTEGER NOT NULL,          -- 0, 1, 2, … within an interaction
      offset_us INTEGER NOT NULL,    -- from the end of the request
      status INTEGER NOT NULL,       -- 100 to 199
      reason BLOB NOT NULL,
      fields BLOB NOT NULL,
      PRIMARY KEY (interaction_id, seq)
    ) STRICT, WITHOUT ROWID
    """

  private static let interactionsView = """
    CREATE VIEW interactions AS
      SELECT interaction.id AS id,
        strftime('%Y-%m-%dT%H:%M:%fZ', started_at / 1000000.0, 'unixepoch') AS started,
        upstream, method, CAST(target AS TEXT) AS target,
        scheme || '://' || authority || CAST(target AS TEXT) AS url,
        CAST(request_fields AS TEXT) AS request_fields,
        request_body, request.size AS request_size,
        status, CAST(reason AS TEXT) AS reason,
        CAST(response_fields AS TEXT) AS response_fields,
        response_body, response.size AS response_size,
        framing, outcome, outcome_detail, notes, connection,
        first_byte_us / 1000.0 AS first_byte_ms, end_us / 1000.0 AS end_ms
      FROM interaction
        LEFT JOIN body AS request ON request.id = request_body
        LEFT JOIN body AS response ON response.id = response_body
    """
}
