/// Format version 2 of a journal file: its schema, with the comments that explain it.
///
/// A row for each exchange cost as much as to answer it, most of that in SQLite. So exchanges are
/// written some hundreds to a row, as JSON, and a view unfolds them for those that read.
enum JournalFormat {
  /// "FXTJ", the application id of the file header.
  static let applicationID: Int64 = 0x4658_544A
  /// The user version of the file header.
  static let version: Int64 = 2

  /// In order of creation.
  static let objects = [
    meta, session, ruleSet, rule, request, response, source, block, exchange, summary,
  ]

  private static let meta = """
    CREATE TABLE meta(
      key TEXT PRIMARY KEY NOT NULL,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
    """

  private static let session = """
    CREATE TABLE session(
      id INTEGER PRIMARY KEY,        -- in the order in which they began
      name TEXT NOT NULL,            -- as the control API names it: default, s1, …
      cassette TEXT NOT NULL,        -- its path, as given
      began_at INTEGER NOT NULL,     -- microseconds since 1970-01-01T00:00:00Z
      seed TEXT,                     -- what its first rules draw from, in digits; NULL without
      dropped INTEGER NOT NULL,      -- exchanges that are not here: too many, or too large, waited
      reset_after INTEGER NOT NULL   -- a reset forgot exchanges up to this one; 0 without
    ) STRICT
    """

  private static let ruleSet = """
    CREATE TABLE rule_set(
      session INTEGER NOT NULL REFERENCES session(id),
      number INTEGER NOT NULL,       -- from 1; the next one when the session is given other rules
      seed TEXT NOT NULL,            -- what they draw from, in digits
      PRIMARY KEY (session, number)
    ) STRICT, WITHOUT ROWID
    """

  private static let rule = """
    CREATE TABLE rule(
      session INTEGER NOT NULL,
      rule_set INTEGER NOT NULL,
      number INTEGER NOT NULL,       -- from 1, as exchanges name it
      text TEXT NOT NULL,
      origin TEXT,                   -- where it was written: labs/slow.rules:3, --rule
      PRIMARY KEY (session, rule_set, number),
      FOREIGN KEY (session, rule_set) REFERENCES rule_set(session, number)
    ) STRICT, WITHOUT ROWID
    """

  private static let request = """
    CREATE TABLE request(
      id INTEGER PRIMARY KEY,
      method TEXT NOT NULL,
      target BLOB NOT NULL,          -- the request target as sent, but for its secrets
      http_version TEXT NOT NULL,
      fields BLOB NOT NULL           -- "Name: value" CRLF lines, but for their secrets
    ) STRICT
    """

  private static let response = """
    CREATE TABLE response(
      id INTEGER PRIMARY KEY,
      status INTEGER NOT NULL,
      reason BLOB NOT NULL,
      fields BLOB NOT NULL           -- like those of requests
    ) STRICT
    """

  private static let source = """
    CREATE TABLE source(
      id INTEGER PRIMARY KEY,
      source TEXT NOT NULL,          -- interaction, rules, miss or none
      interaction INTEGER,           -- the recording that answered; NULL for none
      play INTEGER,                  -- which one of the recordings that match, from 1
      plays INTEGER,                 -- how many match
      miss TEXT                      -- why there was no recording
    ) STRICT
    """

  private static let block = """
    CREATE TABLE block(
      id INTEGER PRIMARY KEY,
      session INTEGER NOT NULL REFERENCES session(id),
      count INTEGER NOT NULL,        -- of exchanges
      exchanges TEXT NOT NULL        -- JSON: an array with an array for each; see the view exchange
    ) STRICT
    """

  /// SQL for a place of an exchange in a block; NULL where it is left out.
  private static func value(_ place: Int) -> String { "json_extract(each.value, '$[\(place)]')" }

  /// For one of the instants, which are counted from the first: an empty text where there is none.
  private static func instant(_ place: Int) -> String {
    "\(value(7)) + nullif(coalesce(\(value(place)), 0), '')"
  }

  private static let exchange = "CREATE VIEW exchange AS\n" + exchangeQuery

  /// What the view `exchange` is, for those who read a file without trusting what its schema does.
  static let exchangeQuery = """
      SELECT block.session AS session,
        \(value(0)) AS number,          -- order in which request heads came, from 1
        \(value(1)) AS connection,      -- which one of the session, from 1
        \(value(2)) AS ordinal,         -- which request of its connection, from 1
        \(value(3)) AS concurrent,      -- exchanges that were open when its head came
        \(value(4)) AS request,         -- its id; equal ones may share a row
        coalesce(\(value(17)), 0) AS content_size, -- of the request
        -- in hexadecimal; NULL for an empty one, and for one too large to be held
        \(value(18)) AS content_sha256,
        nullif(\(value(6)), '') AS response, -- its id; NULL when none was sent
        source.source AS source,        -- interaction, rules, miss or none
        interaction, play, plays, miss,
        \(value(21)) AS rule_set,       -- the rules then; NULL when none is named
        coalesce(\(value(22)), '') AS rules, -- with a part in it, from 1, a space between
        -- what had no effect because others ended the answer before
        \(value(23)) AS overruled,
        \(value(24)) AS draws,          -- what rules left to chance, and what was drawn; JSON
        -- microseconds since the session's began_at; so are all instants
        \(value(7)) AS received_us,
        -- NULL when it was not read to its end
        \(instant(10)) AS request_end_us,
        -- when the response head was to be sent, and was
        \(instant(11)) AS head_due_us,
        \(instant(12)) AS head_done_us,
        -- when the last step that was performed was to be, and was
        \(instant(13)) AS last_due_us,
        \(instant(14)) AS last_done_us,
        \(instant(15)) AS end_us,
        \(value(8)) AS head_bytes,      -- sent; interim responses too
        \(value(9)) AS body_bytes,      -- sent; framing too
        -- completed, closed, reset, aborted (the client left), stopped
        coalesce(\(value(16)), 'completed') AS outcome,
        \(value(19)) AS departure,      -- how a client left that did not wait: closed, reset
        coalesce(\(value(20)), 0) AS rebases, -- how often a slow client moved the plan
        block.id AS block               -- in the order of their ends
      FROM block
        JOIN json_each(block.exchanges) AS each
        JOIN source ON source.id = \(value(5))
    """

  private static let summary = """
    CREATE VIEW summary AS
      SELECT session.name AS session, number,
        strftime('%Y-%m-%dT%H:%M:%fZ', (began_at + received_us) / 1000000.0, 'unixepoch')
          AS received,
        method, CAST(target AS TEXT) AS target, status,
        CASE source
          WHEN 'interaction' THEN 'interaction ' || interaction || ', ' || play || ' of ' || plays
          WHEN 'miss' THEN 'miss: ' || miss
          ELSE source END AS answered_by,
        rules,
        (head_done_us - received_us) / 1000.0 AS wait_ms,
        (last_done_us - last_due_us) / 1000.0 AS late_ms,
        (end_us - received_us) / 1000.0 AS duration_ms,
        head_bytes + body_bytes AS bytes, outcome, connection
      FROM exchange
        JOIN session ON session.id = exchange.session
        JOIN request ON request.id = exchange.request
        LEFT JOIN response ON response.id = exchange.response
      ORDER BY exchange.session, number
    """
}
