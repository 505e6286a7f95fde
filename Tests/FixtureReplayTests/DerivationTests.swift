import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

/// Each answer as a transcript, made from one recording.
@Suite struct DerivationTests {
  static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
  static let earlier = "Sun, 06 Nov 1994 08:00:00 GMT"

  static let fields = section(
    ("Date", date), ("Content-Type", "text/plain"), ("Content-Length", "10"), ("ETag", "\"a\""),
    ("Last-Modified", earlier), ("Cache-Control", "max-age=5"), ("Vary", "Accept"),
    ("Server", "s"))

  static func stored(_ fields: FieldSection = fields, status: Int = 200, _ size: Int = 10)
    -> RecordedResponse
  {
    RecordedResponse(
      head: head(status, "OK", fields), framing: .length,
      body: body(7, String(repeating: "x", count: size)))
  }

  /// What the answer to `asked` is, made of what `recorded` got.
  static func derived(
    _ asked: RequestHead, _ response: RecordedResponse = stored(),
    recorded: RequestHead = request(.get, "/a"), outcome: Outcome = .complete,
    pacing: Pacing = .immediate, current: Validators? = nil
  ) throws -> String {
    let interaction = recording(1, recorded, response, outcome: outcome)
    let play = try #require(PreparedPlay(interaction, pacing: pacing))
    let presence = Preconditions.Presence(asked.fields)
    let derivation = Derivation(
      asked, presence, recorded: recorded.method,
      asRecorded: Preconditions.areSame(asked.fields, recorded.fields) ? response.head : nil,
      current: current)
    return derivation.script(play.script).description
  }

  static func get(_ lines: (StaticString, String)...) -> RequestHead {
    var fields = FieldSection()
    for (name, value) in lines { fields.append(name, value) }
    return request(.get, "/a", fields)
  }

  static let whole = """
    interaction 1, framing length
    request end: head 200 OK | Date: \(date) | Content-Type: text/plain | Content-Length: 10 \
    | ETag: "a" | Last-Modified: \(earlier) | Cache-Control: max-age=5 | Vary: Accept | Server: s
    then: content body 7 at 0..<10
    then: end
    """

  @Test func `a 304 has what guides a cache and nothing of the content`() throws {
    #expect(
      try Self.derived(Self.get(("If-None-Match", "\"a\""))) == """
        interaction 1, framing none
        request end: head 304 Not Modified | Date: \(Self.date) | ETag: "a" \
        | Cache-Control: max-age=5 | Vary: Accept | Server: s
        then: end
        """)
  }

  @Test func `a 304 has the date when there is no tag`() throws {
    let response = Self.stored(
      section(
        ("Content-Length", "10"), ("Last-Modified", Self.earlier), ("Content-Location", "/b"),
        ("Expires", Self.date), ("Set-Cookie", "a=1")))
    #expect(
      try Self.derived(Self.get(("If-Modified-Since", Self.earlier)), response) == """
        interaction 1, framing none
        request end: head 304 Not Modified | Last-Modified: \(Self.earlier) \
        | Content-Location: /b | Expires: \(Self.date) | Set-Cookie: a=1
        then: end
        """)
  }

  @Test func `a failed precondition says so`() throws {
    #expect(
      try Self.derived(Self.get(("If-Match", "\"b\""))) == """
        interaction 1, framing length
        request end: head 412 Precondition Failed | Date: \(Self.date) | Vary: Accept | Server: s \
        | Content-Type: application/problem+json | Content-Length: 65
        then: generated {"type":"about:blank","title":"Precondition Failed","status":412}
        then: end
        """)
  }

  @Test(arguments: [
    ("bytes=2-4", "2-4", 3, "2..<5"), ("bytes=-3", "7-9", 3, "7..<10"),
    ("bytes=0-", "0-9", 10, "0..<10"), ("bytes=9-20", "9-9", 1, "9..<10"),
    ("bytes=0-0,30-40", "0-0", 1, "0..<1"),
  ])
  func `a part is a slice of the recorded content`(
    _ range: String, _ position: String, _ count: Int, _ slice: String
  ) throws {
    #expect(
      try Self.derived(Self.get(("Range", range))) == """
        interaction 1, framing length
        request end: head 206 Partial Content | Date: \(Self.date) | Content-Type: text/plain \
        | Content-Length: \(count) | ETag: "a" | Last-Modified: \(Self.earlier) \
        | Cache-Control: max-age=5 | Vary: Accept | Server: s \
        | Content-Range: bytes \(position)/10
        then: content body 7 at \(slice)
        then: end
        """)
  }

  @Test func `several parts are framed by a boundary that stays the same`() throws {
    let asked = Self.get(("Range", "bytes=0-1,-1"))
    let response = Self.stored(
      section(("Content-Type", "text/plain"), ("Content-Length", "10"), ("Content-MD5", "x")))
    let script = try Self.derived(asked, response)
    let boundary = try #require(script.firstMatch(of: /boundary=([0-9a-f]{32})/)).1
    #expect(
      script == """
        interaction 1, framing length
        request end: head 206 Partial Content | Content-Length: 233 \
        | Content-Type: multipart/byteranges; boundary=\(boundary)
        then: generated \\x0d\\x0a--\(boundary)\\x0d\\x0aContent-Type: text/plain\\x0d\\x0a\
        Content-Range: bytes 0-1/10\\x0d\\x0a\\x0d\\x0a
        then: content body 7 at 0..<2
        then: generated \\x0d\\x0a--\(boundary)\\x0d\\x0aContent-Type: text/plain\\x0d\\x0a\
        Content-Range: bytes 9-9/10\\x0d\\x0a\\x0d\\x0a
        then: content body 7 at 9..<10
        then: generated \\x0d\\x0a--\(boundary)--\\x0d\\x0a
        then: end
        """)
    #expect(try Self.derived(asked, response) == script)
  }

  @Test func `a range past the end is told the size`() throws {
    #expect(
      try Self.derived(Self.get(("Range", "bytes=10-"))) == """
        interaction 1, framing length
        request end: head 416 Range Not Satisfiable | Date: \(Self.date) | Vary: Accept \
        | Server: s | Content-Range: bytes */10 | Content-Type: application/problem+json \
        | Content-Length: 67
        then: generated {"type":"about:blank","title":"Range Not Satisfiable","status":416}
        then: end
        """)
  }

  @Test(
    arguments: [
      [("If-None-Match", "\"b\"")], [("If-Match", "\"a\"")], [("If-Match", "*")],
      [("If-Modified-Since", "Sun, 06 Nov 1994 07:59:59 GMT")],
      // Not the old tag's rest: the whole again.
      [("Range", "bytes=5-"), ("If-Range", "\"b\"")],
      [("Range", "bytes=5-"), ("If-Range", "W/\"a\"")],
      [("Range", "bytes=5-"), ("If-Range", date)], [("Range", "items=0-1")],
      [("Range", "bytes=0-,0-,0-")], [("If-Range", "\"a\"")],
      // If-None-Match has precedence.
      [("If-None-Match", "\"b\""), ("If-Modified-Since", earlier)],
    ] as [[(StaticString, String)]])
  func `the whole is sent when nothing else follows`(_ lines: [(StaticString, String)]) throws {
    var asked = request(.get, "/a")
    for (name, value) in lines { asked.fields.append(name, value) }
    #expect(try Self.derived(asked) == Self.whole)
  }

  @Test(
    arguments: [
      [("Range", "bytes=5-"), ("If-Range", "\"a\"")],
      [("Range", "bytes=5-"), ("If-Range", earlier)],
      [("Range", "bytes=5-"), ("If-Match", "\"a\"")],
    ] as [[(StaticString, String)]])
  func `the rest is sent of what has not changed`(_ lines: [(StaticString, String)]) throws {
    var asked = request(.get, "/a")
    for (name, value) in lines { asked.fields.append(name, value) }
    #expect(try Self.derived(asked).contains("Content-Range: bytes 5-9/10"))
  }

  @Test func `a 304 comes before a range`() throws {
    let asked = Self.get(("Range", "bytes=5-"), ("If-None-Match", "\"a\""))
    #expect(try Self.derived(asked).contains("304 Not Modified"))
  }

  @Test func `HEAD has the head of GET, its conditions and no range`() throws {
    var asked = request(.head, "/a")
    let head = """
      interaction 1, framing none
      request end: head 200 OK | Date: \(Self.date) | Content-Type: text/plain \
      | Content-Length: 10 | ETag: "a" | Last-Modified: \(Self.earlier) \
      | Cache-Control: max-age=5 | Vary: Accept | Server: s
      then: end
      """
    #expect(try Self.derived(asked) == head)
    asked.fields.append("Range", "bytes=0-1")
    #expect(try Self.derived(asked) == head)
    asked.fields.append("If-None-Match", "*")
    #expect(try Self.derived(asked).contains("304 Not Modified"))
    asked.fields.append("If-Match", "\"b\"")
    #expect(
      try Self.derived(asked) == """
        interaction 1, framing none
        request end: head 412 Precondition Failed | Date: \(Self.date) | Vary: Accept | Server: s \
        | Content-Type: application/problem+json | Content-Length: 65
        then: end
        """)
  }

  @Test(arguments: [301, 404, 500, 503])
  func `only a success has conditions`(_ status: Int) throws {
    for lines in [("If-None-Match", "*"), ("If-Match", "\"b\""), ("Range", "bytes=0-1")]
      as [(StaticString, String)]
    {
      let script = try Self.derived(Self.get(lines), Self.stored(status: status))
      #expect(script.contains("head \(status) OK"))
    }
  }

  @Test func `only a 200 becomes a 304 or a part`() throws {
    for lines in [("If-None-Match", "*"), ("Range", "bytes=0-1")] as [(StaticString, String)] {
      let script = try Self.derived(Self.get(lines), Self.stored(status: 203))
      #expect(script.contains("head 203 OK"))
    }
    let failed = try Self.derived(Self.get(("If-Match", "\"b\"")), Self.stored(status: 203))
    #expect(failed.contains("412"))
  }

  @Test func `what was cut off is replayed as it is`() throws {
    for lines in [("If-None-Match", "*"), ("Range", "bytes=0-1")] as [(StaticString, String)] {
      let script = try Self.derived(Self.get(lines), outcome: .truncated)
      #expect(script == Self.whole.replacing("then: end", with: "then: close"))
    }
  }

  @Test(arguments: [
    section(("Content-Length", "10"), ("Accept-Ranges", "none")),
    section(("Content-Length", "11")), section(("Transfer-Encoding", "gzip, chunked")),
  ])
  func `no part is made of what has none`(_ fields: FieldSection) throws {
    let script = try Self.derived(Self.get(("Range", "bytes=0-1")), Self.stored(fields))
    #expect(script.contains("head 200 OK"))
  }

  @Test func `the same conditions get what was recorded for them`() throws {
    // A server that knows no ranges, and one that disregards a tag.
    for lines in [("Range", "bytes=0-1"), ("If-None-Match", "\"a\"")] as [(StaticString, String)] {
      #expect(try Self.derived(Self.get(lines), recorded: Self.get(lines)) == Self.whole)
    }
  }

  @Test func `a change is refused by what the target is now`() throws {
    let response = RecordedResponse(
      head: head(204, "No Content", section(("ETag", "\"new\""))), framing: .none)
    var asked = request(.put, "/a", section(("If-Match", "\"a\"")))
    func status(_ current: Validators?) throws -> String {
      let recorded = request(.put, "/a")
      let script = try Self.derived(asked, response, recorded: recorded, current: current)
      return String(script.split(separator: " ")[6])
    }
    let current = Validators(entityTag: EntityTag([0x61]))
    #expect(try status(current) == "204")
    #expect(try status(Validators(entityTag: EntityTag([0x62]))) == "412")
    // Not known: not evaluated.
    #expect(try status(nil) == "204")
    asked.fields = section(("If-None-Match", "*"))
    #expect(try status(current) == "412")
  }

  @Test func `pieces keep their distances, and what comes before a part is not waited for`() throws
  {
    let response = RecordedResponse(
      head: head(200, "OK"), framing: .chunked, body: body(7, String(repeating: "x", count: 10)),
      trailers: section(("A", "1")),
      arrivals: arrivals((0, 4), (100_000, 4), (200_000, 2)))
    let script = try Self.derived(
      Self.get(("Range", "bytes=5-8")), response, pacing: .recorded)
    #expect(
      script == """
        interaction 1, framing length
        request end + 250ms: head 206 Partial Content | Content-Length: 4 \
        | Content-Range: bytes 5-8/10
        then: content body 7 at 5..<8
        then + 100ms: content body 7 at 8..<9
        then: end
        """)
  }

  @Test func `a part is cut from a recorded part`() throws {
    let part = Self.stored(
      section(("Content-Length", "10"), ("Content-Range", "bytes 100-109/200")), status: 206)
    let recorded = Self.get(("Range", "bytes=100-109"))
    let script = try Self.derived(
      Self.get(("Range", "bytes=102-103")), part, recorded: recorded)
    #expect(
      script == """
        interaction 1, framing length
        request end: head 206 Partial Content | Content-Length: 2 \
        | Content-Range: bytes 102-103/200
        then: content body 7 at 2..<4
        then: end
        """)
    for range in ["bytes=109-110", "bytes=99-100", "bytes=0-"] {
      let script = try Self.derived(Self.get(("Range", range)), part, recorded: recorded)
      #expect(script.contains("bytes 100-109/200"))
    }
  }

  @Test func `a part that is everything is the whole`() throws {
    let part = Self.stored(
      section(("Content-Length", "10"), ("Content-Range", "bytes 0-9/10")), status: 206)
    let recorded = Self.get(("Range", "bytes=0-"))
    #expect(
      try Self.derived(Self.get(), part, recorded: recorded) == """
        interaction 1, framing length
        request end: head 200 OK | Content-Length: 10
        then: content body 7 at 0..<10
        then: end
        """)
    let script = try Self.derived(Self.get(("Range", "bytes=-1")), part, recorded: recorded)
    #expect(script.contains("Content-Range: bytes 9-9/10"))
    #expect(try Self.derived(recorded, part, recorded: recorded).contains("bytes 0-9/10"))
  }
}
