import FixtureCassette
import FixtureHTTP
import Testing

@testable import FixtureStore

@Suite struct CassetteVerifierTests {
  let folder = Folder()
  var path: String { folder.file("x.db") }

  private func cassette() throws {
    var second = draft(id: 2, target: "/2", content: [4, 5, 6])
    second.interaction.interims = [
      RecordedInterim(offset_us: 1, head: ResponseHead(status: 103, reason: []))
    ]
    try record([draft(id: 1, content: [1, 2, 3]), second], to: path)
  }

  @Test func `a sound cassette is counted`() throws {
    try cassette()
    var expected = VerificationReport()
    expected.interactions = 2
    expected.bodies = 2
    expected.bodyBytes = 6
    #expect(try CassetteVerifier.verify(path: path) == expected)
  }

  @Test(arguments: [
    ("UPDATE body_piece SET bytes = x'010204' WHERE body_id = 1", [Finding.bodyAltered(id: 1)]),
    ("UPDATE body SET sha256 = zeroblob(32) WHERE id = 2", [.bodyAltered(id: 2)]),
    ("DELETE FROM body_piece WHERE body_id = 2", [.bodyIncomplete(id: 2)]),
    ("UPDATE body_piece SET seq = 1 WHERE body_id = 2", [.bodyIncomplete(id: 2)]),
    (
      "UPDATE interaction SET response_body = 7 WHERE id = 1",
      [.interactionInvalid(id: 1, column: "response_body"), .unusedBody(id: 1)]
    ),
    (
      "UPDATE interaction SET arrivals = x'0102' WHERE id = 1",
      [.interactionInvalid(id: 1, column: "arrivals")]
    ),
    (
      "UPDATE interaction SET request_fields = x'00' WHERE id = 2",
      [.interactionInvalid(id: 2, column: "request_fields")]
    ),
    ("UPDATE interim SET status = 200", [.interimInvalid(interaction: 2)]),
    ("UPDATE interim SET status = 101", [.interimInvalid(interaction: 2)]),
    ("INSERT INTO body_piece VALUES (9, 9, 0, x'00')", [.unusedPieces(body: 9)]),
    ("UPDATE interim SET interaction_id = 3", [.unusedInterims(interaction: 3)]),
    (
      // Sizes whose sum no counter holds.
      "UPDATE body SET size = 9223372036854775807",
      [
        .interactionInvalid(id: 1, column: "arrivals"),
        .interactionInvalid(id: 2, column: "arrivals"), .bodyIncomplete(id: 1),
        .bodyIncomplete(id: 2),
      ]
    ),
    (
      "PRAGMA ignore_check_constraints = ON; "
        + "UPDATE body_piece SET bytes = zeroblob(1048577) WHERE body_id = 1",
      [.pieceSize(body: 1, seq: 0), .bodyIncomplete(id: 1)]
    ),
  ])
  func `damage is found and named`(sql: String, findings: [Finding]) throws {
    try cassette()
    try tamper(path, sql)
    let report = try CassetteVerifier.verify(path: path)
    #expect(report.findings == findings)
    #expect(!report.isSound)
  }

  @Test func `a damaged page is found`() throws {
    try record((1...50).map { draft(id: $0, content: pattern(3000, salt: Int($0))) }, to: path)
    var bytes = contents(path)
    for index in 120_000..<121_000 { bytes[index] ^= 0x55 }
    write(bytes, to: path)
    let report = try CassetteVerifier.verify(path: path)
    #expect(!report.isSound)
  }

  @Test func `what belongs to nothing is removed by repair`() throws {
    try cassette()
    try tamper(
      path,
      """
      INSERT INTO body_piece VALUES (9, 9, 0, x'00');
      INSERT INTO interim VALUES (3, 0, 0, 103, x'', x'');
      DELETE FROM interaction WHERE id = 1
      """)
    #expect(
      try CassetteVerifier.repair(path: path) == [.removed(bodies: 1, pieces: 2, interims: 1)])
    #expect(try CassetteVerifier.verify(path: path).isSound)
    #expect(try CassetteReader(path: path).interactionIDs() == [2])
  }

  @Test func `only so many findings are listed, all are counted`() throws {
    try record([], to: path)
    try tamper(
      path,
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
        INSERT INTO body SELECT i, 0, zeroblob(32) FROM n
      """)
    let report = try CassetteVerifier.verify(path: path)
    #expect(report.findingCount == 300)
    #expect(report.findings.count == 100)
  }

  @Test func `the view shows what is in the file`() throws {
    try cassette()
    let connection = try SQLiteConnection(path: path, mode: .readOnly)
    let row = try SQLiteStatement(
      connection, "SELECT started, method, url, status, response_size FROM interactions")
    #expect(try row.step())
    #expect(row.text(0) == "2023-11-14T22:13:20.000Z")
    #expect(row.text(1) == "GET")
    #expect(row.text(2) == "http://a.test/")
    #expect(row.integer(3) == 200)
    #expect(row.integer(4) == 3)
  }
}
