import Foundation
import Testing

@testable import FixtureStore

/// What is there to look at: events, recordings, the page, the report.
@Suite struct InspectorTests {
  private let get = bytes("GET /feed HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

  private func recorded(_ targets: [String] = ["/feed", "/user?q=A"]) throws -> Recording {
    let recording = try Recording()
    let upstream = try ScriptedUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let recorder = try recording.recorder(upstream)
    for target in targets {
      _ = try Answer.to(
        bytes("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
        port: recorder.port())
    }
    #expect(recorder.stop().status == 0)
    upstream.stop()
    return recording
  }

  private func asking(_ target: String, _ port: UInt16, fields: String = "") -> [UInt8] {
    bytes("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(fields)\r\n")
  }

  /// Receives until the text holds all of these.
  private func receive(_ socket: RawSocket, until marks: [String]) throws -> String {
    var received: [UInt8] = []
    let deadline = ContinuousClock.now + .seconds(60)
    while !marks.allSatisfy({ text(received).contains($0) }) {
      try #require(ContinuousClock.now < deadline, "\(text(received))")
      received += socket.receive(within: .milliseconds(200)).bytes
    }
    return text(received)
  }

  @Test func `exchanges are told as they settle, and from where the client was`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer([
      "--control", "127.0.0.1:0", "--rule", "GET /feed: nth 2, hold gate",
    ])
    let control = try replayer.controlPort()
    let reader = try RawSocket(port: control)
    reader.send(asking("/v1/sessions/default/events", control))
    _ = try Answer.to(get, port: replayer.port())
    let first = try receive(reader, until: ["id: 1\ndata: {\"number\":1,"])
    #expect(first.contains("\r\nContent-Type: text/event-stream\r\n"))
    let held = try RawSocket(port: replayer.port())
    held.send(get)
    // Until the second is held.
    let deadline = ContinuousClock.now + .seconds(60)
    while try !text(
      Answer.to(
        asking("/v1/sessions/default", control, fields: "Connection: close\r\n"), port: control
      ).bytes
    ).contains("\"waiting\":1") {
      try #require(ContinuousClock.now < deadline)
    }
    _ = try Answer.to(get, port: replayer.port())
    _ = try receive(reader, until: ["id: 3;2\ndata: {\"number\":3,"])
    reader.close()
    let next = try RawSocket(port: control)
    next.send(asking("/v1/sessions/default/events", control, fields: "Last-Event-ID: 3;2\r\n"))
    held.close()
    let second = try receive(next, until: ["id: 3\ndata: {\"number\":2,"])
    #expect(!second.contains("\"number\":3,"))
    #expect(second.contains("\"outcome\":\"aborted\""))
    #expect(replayer.stop().status == 0)
  }

  @Test func `the events of a session end with it`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer(["--control", "127.0.0.1:0"])
    let control = try replayer.controlPort()
    let made = bytes(
      "POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(control)\r\nConnection: close\r\n"
        + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
    #expect(text(try Answer.to(made, port: control).bytes).hasPrefix("HTTP/1.1 201 "))
    let reader = try RawSocket(port: control)
    reader.send(asking("/v1/sessions/s1/events", control))
    _ = try receive(reader, until: ["text/event-stream"])
    _ = try Answer.to(
      bytes(
        "DELETE /v1/sessions/s1 HTTP/1.1\r\nHost: 127.0.0.1:\(control)\r\n"
          + "Connection: close\r\n\r\n"), port: control)
    _ = try receive(reader, until: ["event: end\n"])
    #expect(replayer.stop().status == 0)
  }

  @Test func `recordings are searched`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer(["--control", "127.0.0.1:0"])
    let control = try replayer.controlPort()
    _ = try Answer.to(get, port: replayer.port())
    func found(_ query: String) throws -> String {
      text(
        try Answer.to(
          asking(
            "/v1/sessions/default/interactions\(query)", control, fields: "Connection: close\r\n"),
          port: control
        ).bytes)
    }
    let all = try found("")
    #expect(all.contains("\"target\":\"/feed\",\"status\":200"))
    #expect(all.contains("\"used\":true") && all.contains("\"used\":false"))
    let some = try found("?search=get%20/USER")
    #expect(some.contains("/user?q=A") && !some.contains("/feed"))
    #expect(try found("?search=%25").contains("\"interactions\":[]"))
    #expect(try found("?limit=1").contains("\"next\":1,"))
    #expect(replayer.stop().status == 0)
  }

  @Test func `the page runs nothing but its own script`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer(["--control", "127.0.0.1:0"])
    let control = try replayer.controlPort()
    let page = text(
      try Answer.to(asking("/", control, fields: "Connection: close\r\n"), port: control).bytes)
    #expect(page.contains("\r\nContent-Type: text/html; charset=utf-8\r\n"))
    #expect(page.contains("\r\nContent-Security-Policy: default-src 'none'; script-src 'sha256-"))
    for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
      #expect(!page.contains(sink), "\(sink)")
    }
    #expect(!page.contains(" style="))
    #expect(replayer.stop().status == 0)
  }

  @Test func `a report holds the exchanges, and nothing of them is markup`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer(["--journal", "j.db"])
    _ = try Answer.to(get, port: replayer.port())
    _ = try Answer.to(
      bytes(
        "GET /</script><script>alert(1)</script> HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
          + "X-Evil: </script><img src=x>\r\n\r\n"), port: replayer.port())
    #expect(replayer.stop().status == 0)
    let ended = try Program.run(
      ["report", "j.db", "-o", "report.html"], in: recording.folder)
    #expect(ended.status == 0, "\(ended.errors)")
    let page = text(try recording.folder.bytes("report.html"))
    #expect(page.contains("\"target\":\"/feed\""))
    #expect(page.contains("\\u003c/script>\\u003cimg src=x>"))
    // Those of the page alone: its data and its script.
    #expect(page.components(separatedBy: "</script").count == 3)
    #expect(page.contains("connect-src 'none'"))
  }

  /// From what the file has: secrets are numbers in it, and equal ones stay equal.
  @Test func `a report judges the client of each session`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer([
      "--journal", "j.db", "--rule", "GET /feed: challenge bearer",
      "--rule", "GET /user: status 503, retry-after 900s", "--rule", "POST *: status 200, reset",
    ])
    func ask(_ line: String, _ fields: String = "", _ content: String = "") throws {
      _ = try Answer.to(
        bytes(
          "\(line) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)"
            + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)"), port: replayer.port())
    }
    for token in ["secret-one", "secret-two", "secret-one"] {
      try ask("GET /feed", "Authorization: Bearer \(token)\r\n")
    }
    for _ in 0..<2 { try ask("GET /user") }
    for content in ["a=1", "a=2", "a=1"] { try ask("POST /orders", "", content) }
    try ask("GET /none")
    #expect(replayer.stop().status == 0)
    let ended = try Program.run(
      ["report", "j.db", "-o", "report.html", "--attempts-max", "1"], in: recording.folder)
    #expect(ended.status == 0, "\(ended.errors)")
    let page = text(try recording.folder.bytes("report.html"))
    #expect(page.contains(#""judged":9,"dropped":0,"#))
    for found in [
      #""check":"stale-credentials","exchanges":[1,3],"#,
      #""check":"retry-after","exchanges":[4,5],"#,
      #""check":"ambiguous-repeat","exchanges":[6,8],"#, #""check":"misses","exchanges":[9],"#,
      #""check":"attempts","exchanges":[4,5],"#,
    ] {
      #expect(page.contains(found), "\(found)")
    }
    for check in ["unused", "after-end", "connections"] {
      #expect(page.contains(#"{"check":"\#(check)","why":"#), "\(check)")
    }
    #expect(!page.contains("secret-one"))
  }

  /// Instants whose differences no number holds, places before the first, more than there can be.
  @Test func `a report of a file that says nonsense is made all the same`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer(["--journal", "j.db"])
    for _ in 0..<4 { _ = try Answer.to(get, port: replayer.port()) }
    #expect(replayer.stop().status == 0)
    let file = try SQLiteConnection(path: recording.folder.path("j.db"), mode: .readWrite)
    let (least, most) = (Int64.min, Int64.max)
    // As the view `exchange` has their places.
    for changes in [
      "'$[0][7]', \(most), '$[0][15]', \(least)", "'$[0][7]', \(least), '$[0][15]', \(most)",
      "'$[0][12]', \(most), '$[0][13]', \(least)", "'$[0][8]', \(most), '$[0][9]', \(most)",
      "'$[0][0]', \(most), '$[0][16]', 'x', '$[0][22]', 'x 99999999999999999999'",
    ] {
      try file.execute("UPDATE block SET exchanges = json_set(exchanges, \(changes))")
      let ended = try Program.run(
        ["report", "j.db", "-o", "report.html", "--connections-max", "1"], in: recording.folder)
      #expect(ended.status == 0, "\(changes): \(ended.errors)")
    }
    for sql in [
      "UPDATE session SET began_at = \(most), dropped = \(most)",
      "UPDATE request SET method = '', target = X'', fields = X'00FF0D0A'",
      "UPDATE response SET status = \(least)",
    ] {
      try file.execute(sql)
    }
    let ended = try Program.run(["report", "j.db", "-o", "report.html"], in: recording.folder)
    #expect(ended.status == 0, "\(ended.errors)")
  }

  @Test func `a report is made of journals only, and overwrites no database`() throws {
    let recording = try recorded()
    let cassette = try #require(recording.folder.names().first { $0.hasSuffix(".db") })
    let foreign = try Program.run(["report", cassette, "-o", "r.html"], in: recording.folder)
    #expect(foreign.status == 1)
    #expect(foreign.errors.contains("no journal of fixtured"))
    let refused = try Program.run(["report", "j.db", "-o", cassette], in: recording.folder)
    #expect(refused.status == 2)
  }
}
