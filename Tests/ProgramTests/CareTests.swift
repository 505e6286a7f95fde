import Foundation
import Testing

/// Changing a recorded cassette: what is asked for, nothing else, and never half.
@Suite struct CareTests {
  private static let json = bytes(#"{"user":{"name":"Ada"},"n":1.50}"#)

  private func care() throws -> Care {
    try Care([
      ("/a", "Content-Type: application/json\r\nX-One: 1\r\n", Self.json),
      ("/b", "Content-Type: text/plain\r\n", bytes(String(repeating: "unwanted ", count: 5000))),
      ("/c", "", bytes("c")),
    ])
  }

  @Test func `rm takes interactions out without a trace`() throws {
    let care = try care()
    #expect(try care.holds("unwanted"))
    let size = try care.folder.bytes("x.db").count
    #expect(try care.run(["rm", "x.db", "2"]).output == "x.db: 1 removed, 2 left\n")
    #expect(try !care.holds("unwanted"))
    #expect(try care.folder.bytes("x.db").count < size)
    #expect(try care.recording.interactions().map { $0["id"] as? Int } == [1, 3])
    try care.expectSound()
    #expect(try care.answer("/c").hasSuffix("\r\n\r\nc"))
    #expect(try care.answer("/b").contains(" 501 "))
  }

  @Test func `rm of what is not there removes nothing`() throws {
    let care = try care()
    let before = try care.folder.states()
    let ended = try care.run(["rm", "x.db", "1", "9"], status: 1)
    #expect(ended.errors == "fixtured: x.db: no interaction 9; fixtured inspect x.db lists them\n")
    #expect(try care.folder.states() == before)
  }

  @Test func `set changes a status and gives its usual reason`() throws {
    let care = try care()
    try care.run(["set", "x.db", "1", "status", "404"])
    #expect(try care.answer("/a").hasPrefix("HTTP/1.1 404 Not Found\r\n"))
    #expect(try care.dump(1).contains("notes: edited"))
    try care.run(["set", "x.db", "1", "status", "599", "Out of Tea"])
    #expect(try care.answer("/a").hasPrefix("HTTP/1.1 599 Out of Tea\r\n"))
    try care.run(["set", "x.db", "1", "status", "204"])
    let bodiless = try care.answer("/a")
    #expect(bodiless.hasPrefix("HTTP/1.1 204 No Content\r\n"))
    #expect(!bodiless.contains("Content-Length") && bodiless.hasSuffix("\r\n\r\n"))
    #expect(try !care.holds("Ada"))
    try care.run(["set", "x.db", "1", "status", "200"])
    #expect(try care.answer("/a").contains("Content-Length: 0\r\n"))
    try care.expectSound()
  }

  @Test func `set replaces, adds and removes fields`() throws {
    let care = try care()
    try care.run(["set", "x.db", "1", "field", "x-one:  2 "])
    try care.run(["set", "x.db", "1", "field", "Retry-After: 3"])
    try care.run(["set", "x.db", "1", "field", "Content-Type"])
    try care.run(["set", "x.db", "1", "field", "Accept: text/html", "--request"])
    let text = try care.dump(1)
    #expect(text.contains("    X-One: 2\n"))
    #expect(text.contains("    Retry-After: 3\n"))
    #expect(!text.contains("Content-Type"))
    #expect(text.contains("    Accept: text/html\n"))
    for field in ["Content-Length: 3", "transfer-encoding: chunked", "a b: c", "X: a\nb"] {
      let ended = try care.run(["set", "x.db", "1", "field", field], status: 1)
      #expect(ended.errors.hasSuffix(", x.db, nothing was changed\n"))
    }
    try care.expectSound()
  }

  @Test func `set replaces content and corrects the length`() throws {
    let care = try care()
    try Data("from a file".utf8).write(to: care.folder.url.appendingPathComponent("file"))
    try care.run(["set", "x.db", "1", "body", "@file"])
    try FileManager.default.removeItem(atPath: care.folder.path("file"))
    #expect(try care.answer("/a").contains("Content-Length: 11\r\n"))
    #expect(try care.answer("/a").hasSuffix("\r\n\r\nfrom a file"))
    #expect(try !care.holds("Ada"))
    try care.run(["set", "x.db", "1", "body", ""])
    #expect(try care.answer("/a").contains("Content-Length: 0\r\n"))
    try care.run(["set", "x.db", "2", "body", "text"])
    #expect(try care.answer("/b").hasSuffix("\r\n\r\ntext"))
    try care.expectSound()
  }

  @Test func `set keeps the coding`() throws {
    let folder = try Folder()
    try Data(repeating: 0x61, count: 1000).write(to: folder.url.appendingPathComponent("plain"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/gzip")
    process.arguments = ["-k", folder.path("plain")]
    try process.run()
    process.waitUntilExit()
    let care = try Care([
      ("/z", "Content-Encoding: gzip\r\nContent-MD5: x\r\n", try folder.bytes("plain.gz"))
    ])
    let ended = try care.run(["set", "x.db", "1", "body", "other"])
    #expect(
      ended.errors == "fixtured: Content-MD5 still is that of the content before, interaction 1\n")
    let text = try care.dump(1)
    #expect(text.contains("content: gzip, 25 bytes, decoded 5, framing length"))
    #expect(text.contains("Content-Length: 25"))
    #expect(text.contains("    | other\n"))
    try care.expectSound()
  }

  @Test func `edit takes what the editor leaves`() throws {
    let care = try care()
    let ended = try care.run(
      ["edit", "x.db", "1"],
      environment: ["EDITOR": #"sed -i -e 's/"Ada"/"Grace"/' -e 's/X-One: 1/X-Two: 2/'"#])
    #expect(ended.errors == "")
    let answer = try care.answer("/a")
    #expect(answer.hasSuffix("\r\n\r\n" + #"{"user":{"name":"Grace"},"n":1.50}"#))
    #expect(answer.contains("X-Two: 2\r\n") && !answer.contains("X-One"))
    #expect(answer.contains("Content-Length: 34\r\n"))
    #expect(try !care.holds("Ada"))
    try care.expectSound()
  }

  @Test func `an edit that changes nothing leaves the file as it is`() throws {
    let care = try care()
    let before = try care.folder.states()
    for editor in ["true", "truncate -s 0"] {
      let ended = try care.run(["edit", "x.db", "1"], environment: ["VISUAL": editor])
      #expect(ended.output == "interaction 1: nothing was changed\n")
    }
    #expect(try care.folder.states() == before)
  }

  @Test(arguments: [
    (#"s/"Ada"/Ada/"#, "column 13: this is no JSON any more"),
    ("s/X-One: 1/X One/", "expected a field, Name: value"),
    ("s/ 200 OK/ OK/", "expected HTTP/1.1, a status from 200 to 999, and a reason"),
    ("s/^GET .*/GET/", "expected METHOD TARGET HTTP/1.1"),
    ("/=== response content/d", "expected the line \"=== response content\" before this one"),
    ("/=== end/d", "the line \"=== end\" is missing"),
  ])
  func `a broken edit is refused and kept`(change: String, reason: String) throws {
    let care = try care()
    let before = try care.folder.states()
    let place = try Folder()
    let ended = try care.run(
      ["edit", "x.db", "1"], status: 1,
      environment: ["EDITOR": "sed -i '\(change)'", "TMPDIR": place.url.path])
    #expect(ended.errors.contains(reason), "\(ended.errors)")
    #expect(ended.errors.contains("nothing was changed and the text is kept"))
    #expect(try care.folder.states() == before)
    let kept = try place.names()
    #expect(kept.count == 1)
    #expect(ended.errors.contains(kept.first ?? "?"))
  }

  @Test func `what set and edit write is redacted as the cassette is`() throws {
    let care = try care()
    let told = "what stands in places for secrets was replaced by placeholders, interaction 1"
    let field = try care.run(
      ["set", "x.db", "1", "field", "Authorization: Bearer s3cret-t0ken", "--request"])
    #expect(field.errors.contains(told))
    #expect(try care.dump(1).contains("Authorization: Bearer REDACTED-1"))
    try care.run(["set", "x.db", "1", "body", #"{"password":"s3cret-t0ken","a":"s3cret-t0ken"}"#])
    #expect(try !care.holds("s3cret"))
    #expect(
      try care.answer("/a").hasSuffix(#"{"password":"REDACTED-2","a":"REDACTED-2"}"#))
    try care.run(
      ["edit", "x.db", "1"], environment: ["EDITOR": "sed -i s/REDACTED-2/an0ther-one/"])
    #expect(try !care.holds("an0ther"))
    #expect(
      try care.answer("/a").hasSuffix(#"{"password":"REDACTED-3","a":"REDACTED-3"}"#))
    #expect(try care.run(["set", "x.db", "1", "status", "201"]).errors.isEmpty)
    try care.expectSound()
  }

  @Test func `what set writes into a cassette that is not redacted stays`() throws {
    let care = try Care(
      [("/a", "Content-Type: application/json\r\n", Self.json)], options: ["--no-redact"])
    try care.run(["set", "x.db", "1", "body", #"{"password":"s3cret-t0ken"}"#])
    #expect(try care.holds("s3cret-t0ken"))
  }

  @Test func `redact takes secrets out of a cassette that has them`() throws {
    let care = try Care(
      [
        ("/a?token=s3cret-one", "Set-Cookie: sid=s3cret-two; Path=/\r\n", bytes("a")),
        ("/b", "X-Mine: s3cret-three\r\n", bytes("b")),
      ], options: ["--no-redact"])
    #expect(try care.holds("s3cret-one"))
    let ended = try care.run(["redact", "x.db", "--redact", "header:X-Mine"])
    #expect(ended.output == "x.db: 2 redacted\n")
    #expect(try !care.holds("s3cret"))
    #expect(try care.dump(1).contains("GET /a?token=REDACTED-1 HTTP/1.1"))
    #expect(try care.dump(2).contains("X-Mine: REDACTED-3"))
    try care.expectSound()
    #expect(try care.answer("/a?token=other").hasSuffix("\r\n\r\na"))
    let before = try care.folder.states()
    #expect(try care.run(["redact", "x.db"]).output == "x.db: 0 redacted\n")
    #expect(try care.folder.states() == before)
  }

  @Test func `a cassette that is being recorded is refused by name`() throws {
    let care = try care()
    let upstream = try Care.upstream([])
    let recorder = try care.recording.recorder(upstream, ["--mode", "new-episodes"])
    _ = try recorder.port()
    for arguments in [
      ["rm", "x.db", "1"], ["set", "x.db", "1", "status", "201"], ["redact", "x.db"],
    ] {
      let ended = try care.run(arguments, status: 1)
      #expect(ended.errors == "fixtured: x.db: a recording still runs; end it first\n")
    }
    #expect(recorder.stop().status == 0)
    upstream.stop()
    try care.expectSound()
  }

  @Test func `what a change that was killed has left is in nobody's way`() throws {
    let care = try care()
    for content in [Data(), Data("half of a file".utf8)] {
      try content.write(to: care.folder.url.appendingPathComponent("x.db.changing"))
      try care.run(["set", "x.db", "1", "status", "201"])
      try care.expectSound()
    }
  }

  @Test func `a change that is killed leaves the cassette as it was, or as it was to be`() throws {
    let care = try Care([("/a", "", [UInt8](repeating: 0x61, count: 3 << 20))])
    var possible: Set<Int> = [200]
    for attempt in 1...8 {
      let status = 500 + attempt
      possible.insert(status)
      let change = try Program(["set", "x.db", "1", "status", "\(status)"], in: care.folder)
      usleep(UInt32(attempt * attempt) * 2_000)
      _ = change.stop(SIGKILL)
      let found = try care.recording.interactions().compactMap { interaction in
        (interaction["response"] as? [String: Any])?["status"] as? Int
      }
      #expect(found.count == 1 && found.allSatisfy(possible.contains), "\(found)")
      possible = Set(found)
    }
    try care.run(["set", "x.db", "1", "status", "201"])
    try care.expectSound()
  }

  @Test func `content may come from standard input`() throws {
    let care = try care()
    let shell = ["/bin/sh", "-c", "printf piped | \"$0\" \"$@\""]
    let ended = try Program(["set", "x.db", "1", "body", "@-"], in: care.folder, through: shell)
      .waitForEnd()
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(try care.answer("/a").hasSuffix("\r\n\r\npiped"))
  }

  @Test func `an edit may change the coding, and a content that is no text`() throws {
    let care = try care()
    try care.run(
      ["edit", "x.db", "1"],
      environment: ["EDITOR": "sed -i 's/^X-One: 1/Content-Encoding: deflate/'"])
    let text = try care.dump(1)
    #expect(text.contains("content: deflate, ") && text.contains("    |   \"n\": 1.50\n"))
    try care.expectSound()
  }

  @Test func `words that make no sense are refused with what would`() throws {
    let care = try care()
    for (arguments, advice) in [
      (["set", "x.db", "1", "staus", "404"], "give status; one of status CODE [REASON]"),
      (["set", "x.db", "1", "status", "99"], "give a status from 200 to 999"),
      (["set", "x.db", "1", "status"], "VALUE is missing"),
      (["set", "x.db", "x", "status", "404"], "give the number of an interaction, from 1"),
      (["set", "x.db", "1", "status", "404", "--request"], "field or body with --request"),
      (["rm", "x.db"], "ID is missing"),
      (["edit", "x.db", "1", "2"], "one operand too many"),
      (["edt", "x.db"], "did you mean edit?"),
      (["merge", "x.db", "-o", "y.db"], "CASSETTE is missing"),
      (["merge", "x.db", "x.db"], "--output is missing"),
      (["merge", "--git", "x.db", "x.db"], "CASSETTE is missing"),
      (["drift", "x.db", "--valeus"], "did you mean --values?"),
      (["drift", "x.db", "--only", "a b c"], "give a path with * and **"),
    ] {
      let ended = try care.run(arguments, status: 2)
      #expect(ended.errors.contains(advice), "\(ended.errors)")
    }
  }

  @Test func `a link to a cassette stays one, and so do its permissions`() throws {
    let care = try care()
    try FileManager.default.moveItem(
      atPath: care.folder.path("x.db"), toPath: care.folder.path("real.db"))
    chmod(care.folder.path("real.db"), 0o600)
    symlink("real.db", care.folder.path("x.db"))
    try care.run(["set", "x.db", "1", "status", "201"])
    var status = stat()
    #expect(lstat(care.folder.path("x.db"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(care.folder.path("real.db"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try care.answer("/a").hasPrefix("HTTP/1.1 201 Created\r\n"))
  }

  @Test(arguments: [#"s/$/\r/"#, #"1s/^/\xEF\xBB\xBF/"#])
  func `what an editor does to any text is undone`(habit: String) throws {
    let care = try care()
    let before = try care.folder.states()
    let untouched = try care.run(
      ["edit", "x.db", "2"], environment: ["EDITOR": "sed -i '\(habit)'"])
    #expect(untouched.output == "interaction 2: nothing was changed\n")
    #expect(try care.folder.states() == before)
    try care.run(
      ["edit", "x.db", "3"], environment: ["EDITOR": "sed -i -e 's/^c$/d/' -e '\(habit)'"])
    #expect(try care.answer("/c").hasSuffix("\r\n\r\nd"))
  }

  @Test func `ends of lines that an editor made alike are refused where they were not`() throws {
    let care = try Care([("/a", "Content-Type: text/plain\r\n", bytes("a\r\nb\n"))])
    let before = try care.folder.states()
    let ended = try care.run(
      ["edit", "x.db", "1"], status: 1, environment: ["EDITOR": #"sed -i 's/\r*$/\r/'"#])
    #expect(ended.errors.contains("the editor ends every line with CR LF now"))
    #expect(try care.folder.states() == before)
  }
}
