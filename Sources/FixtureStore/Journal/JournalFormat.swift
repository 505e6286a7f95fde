/// Format version 2 of a journal file: its schema, with the comments that explain it.
enum JournalFormat {
  /// "FXTJ", the application id of the file header.
  static let applicationID: Int64 = 0x4658_544A
  /// The user version of the file header.
  static let version: Int64 = 2

  /// In order of creation.
  static let objects = [
    meta, session, ruleSet, rule, request, response, exchange, summary,
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
      dropped INTEGER NOT NULL       -- exchanges that are not here: the disk was too slow for them
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

  private static let exchange = """
    CREATE TABLE exchange(
      session INTEGER NOT NULL REFERENCES session(id),
      number INTEGER NOT NULL,       -- order in which request heads came, from 1
      connection INTEGER NOT NULL,   -- which one of the session, from 1
      ordinal INTEGER NOT NULL,      -- which request of its connection, from 1
      concurrent INTEGER NOT NULL,   -- exchanges that were open when its head came
      request INTEGER NOT NULL REFERENCES request(id),      -- equal ones may share a row
      content_size INTEGER NOT NULL, -- of the request
      content_sha256 BLOB,           -- NULL for an empty one, and for one too large to be held
      response INTEGER REFERENCES response(id),             -- NULL when none was sent
      source TEXT NOT NULL,          -- interaction, rules, miss or none
      interaction INTEGER,           -- the recording that answered; NULL for none
      play INTEGER,                  -- which one of the recordings that match, from 1
      plays INTEGER,                 -- how many match
      miss TEXT,                     -- why there was no recording
      rule_set INTEGER,              -- the rules of the session then; NULL when none is named
      rules TEXT NOT NULL,           -- those with a part in it, from 1, a space between
      overruled TEXT,                -- what had no effect because others ended the answer before
      draws TEXT,                    -- what they left to chance, and what was drawn; JSON
      received_us INTEGER NOT NULL,  -- since the session's began_at; so are all of these
      request_end_us INTEGER,        -- NULL when it was not read to its end
      head_due_us INTEGER,           -- when the response head was to be sent
      head_done_us INTEGER,          -- and was
      last_due_us INTEGER,           -- when the last step that was performed was to be
      last_done_us INTEGER,          -- and was
      end_us INTEGER,
      head_bytes INTEGER NOT NULL,   -- sent; interim responses too
      body_bytes INTEGER NOT NULL,   -- sent; framing too
      outcome TEXT NOT NULL,         -- completed, closed, reset, aborted (the client left), stopped
      PRIMARY KEY (session, number)
    ) STRICT, WITHOUT ROWID
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
