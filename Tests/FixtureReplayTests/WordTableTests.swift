import FixtureCassette
import FixtureHTTP
import Foundation
import Testing

@testable import FixtureReplay

/// The README's table of words and kinds of answers, held against what the words do.
@Suite struct WordTableTests {
  /// A clause for each word, and for each of its forms that differ in the table.
  static let clauses: KeyValuePairs = [
    "delay": "delay 1s", "pause": "pause 1s", "trickle": "trickle 3B/1s", "rate": "rate 5B/s",
    "stall": "stall 1s at 50%", "hang": "hang", "hold": "hold door", "network": "network 3g",
    "status": "status 299", "retry-after": "retry-after 1s", "body": "body \"text\"",
    "set": "set A 1", "add": "add A 1", "remove": "remove X-Base", "json": "json /a 1",
    "etag": "etag every 1", "age": "age 1s", "last-modified": "last-modified 1d ago",
    "expires": "expires 1h", "redirect": "redirect /b", "challenge": "challenge basic",
    "corrupt": "corrupt json", "corrupt utf8": "corrupt utf8", "corrupt gzip": "corrupt gzip",
    "reset": "reset", "close": "close", "truncate": "truncate at 50%",
    "malformed status": "malformed status", "malformed field": "malformed field",
    "malformed chunk": "malformed chunk", "malformed length": "malformed length",
    "keep-alive": "keep-alive off", "upload": "upload 1KB/s", "early": "early 413",
    "continue": "continue off", "quota": "quota 1/1h", "idempotency": "idempotency replay",
    "refuse": "while a, refuse", "blackhole": "while a, blackhole",
    "connections": "connections 1 queue", "raise": "raise flag", "clear": "clear up",
  ]

  /// What answers a request, in the order of the table's columns.
  enum Kind: String, CaseIterable {
    case whole = "200"
    case notModified = "304"
    case part = "206"
    case head = "HEAD"
    case streamed, close, miss, made

    var request: RequestHead {
      var fields = section(("Idempotency-Key", "k"))
      if self == .notModified { fields.append("If-None-Match", "\"a\"") }
      if self == .part { fields.append("Range", "bytes=0-4") }
      let target =
        switch self {
        case .whole, .notModified, .part, .head, .made: "/whole"
        case .streamed: "/streamed"
        case .close: "/close"
        case .miss: "/none"
        }
      return FixtureReplayTests.request(self == .head ? .head : .get, target, fields)
    }
  }

  /// What a client gets that asks twice, the second time, and what is remembered.
  static func outcome(_ kind: Kind, _ clause: String?) throws -> String {
    let content = #"{"a":1234}"#
    func recorded(_ id: Int64, _ target: String, _ framing: RecordedFraming) -> Interaction {
      var fields = section(("ETag", "\"a\""))
      if framing == .length { fields.append("Content-Length", "10") }
      return recording(
        id, request(.get, target),
        RecordedResponse(head: head(200, "OK", fields), framing: framing, body: body(9, content)))
    }
    let source = MemorySource(
      interactions: [
        recorded(1, "/whole", .length), recorded(2, "/streamed", .chunked),
        recorded(3, "/close", .untilClose),
      ], contents: [9: Array(content.utf8)])
    var rules = ["*: first 1 overall, raise up", "*: add X-Base 1"]
    if kind == .made { rules.append(#"*: status 503, body "{\"a\":1234}""#) }
    if let clause { rules.append("*: \(clause)") }
    let setup = ScenarioSetup(rules: try rules.map { try Rule(parsing: $0.utf8) }, seed: 1)
    let scenario = setup.begun(at: 0)
    let session = ReplaySession()
    var planner = source.planner()
    var lines = scenario.connections.map { [$0.description] } ?? []
    let asked = RuleRequest(method: kind.request.method, target: kind.request.target)
    let begun = scenario.begin(asked, key: 1, now_ns: 0)
    if let begun { lines.append("\(begun.reading)") }
    for number in 1...2 {
      let plan = try planner.plan(
        kind.request, upstream: nil, content: .absent, session: session, scenario: scenario,
        begun: number == 1 ? begun : nil, at: RequestInstant(now_ns: 0, date: 784_111_777),
        source: source)
      guard number == 2 else { continue }
      switch plan {
      case .ruled(let answer): lines += visible(answer.script)
      case .miss(let miss): lines += visible(miss.script)
      case .play, .needsContent: Issue.record("\(kind): \(plan)")
      }
    }
    lines += scenario.raised.map { "\($0.name) is raised" }.sorted()
    return lines.joined(separator: "\n")
  }

  /// The end of an answer is seen where bytes or the connection tell it.
  private static func visible(_ script: Script) -> [String] {
    let isSeen =
      script.framing == .chunked || script.framing == .untilClose || script.persistence != .asAsked
    let lines = drive(script).transcript.lines.filter { isSeen || !$0.hasSuffix(" end") }
    switch script.persistence {
    case .asAsked: return lines
    case .ends: return lines + ["the connection ends"]
    case .idle(let time): return lines + ["the connection may be idle for \(time)"]
    }
  }

  /// `| \`word\` | yes | no | …`, for each clause in order.
  private static func rows() throws -> [String: [String]] {
    var rows: [String: [String]] = [:]
    for (word, clause) in clauses {
      rows[word] = try Kind.allCases.map { kind in
        try outcome(kind, clause) == outcome(kind, nil) ? "no" : "yes"
      }
    }
    return rows
  }

  /// The table's rows: words in the first cell, then a cell a kind.
  private static func documented() throws -> [(words: [String], cells: [String])] {
    let readme = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../README.md").standardized
    let lines = try String(contentsOf: readme, encoding: .utf8).components(separatedBy: "\n")
    let header = "| | \(Kind.allCases.map(\.rawValue).joined(separator: " | ")) |"
    let found = lines.firstIndex(of: header)
    let start = try #require(found, "there is no table \(header)")
    return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let words = cells[0].components(separatedBy: "`").enumerated()
        .compactMap { $0.offset % 2 == 1 ? $0.element : nil }
      return (words, Array(cells.dropFirst()))
    }
  }

  @Test func `the table says what each word does to each kind of answer`() throws {
    let rows = try Self.rows()
    let documented = try Self.documented()
    for (words, cells) in documented {
      for word in words {
        let expected = try #require(rows[word], "rules have no word of the README's table: \(word)")
        #expect(cells.map { String($0.prefix { $0.isLetter }) } == expected, "\(word)")
      }
    }
    let listed = documented.flatMap(\.words)
    #expect(listed.sorted() == rows.keys.sorted())
  }

  @Test func `the table has every word`() {
    let words = Set(Self.clauses.map { $0.key.split(separator: " ")[0] })
    let known = FaultWord.allCases.map(\.rawValue)
    #expect(words.map(String.init).sorted() == known.sorted())
  }
}
