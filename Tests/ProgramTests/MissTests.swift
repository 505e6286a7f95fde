import Foundation
import Testing

/// What a client, a log and a summary say of a request that was not recorded.
@Suite struct MissTests {
  private static func get(_ target: String, _ fields: String = "") -> [UInt8] {
    bytes("GET \(target) HTTP/1.1\r\nHost: a.test\r\n\(fields)\r\n")
  }

  private static func post(_ target: String, _ type: String, _ content: String) -> [UInt8] {
    bytes(
      "POST \(target) HTTP/1.1\r\nHost: a.test\r\nContent-Type: \(type)\r\n"
        + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)")
  }

  private static func recorded(
    _ requests: [[UInt8]], options: [String] = []
  ) throws -> (recording: Recording, upstream: String) {
    let recording = try Recording()
    let upstream = try ScriptedUpstream { connection in
      while connection.request() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let recorder = try recording.recorder(upstream, options)
    let client = try Client(port: recorder.port())
    for request in requests { #expect(client.exchange(request)?.status == 200) }
    #expect(recorder.stop().status == 0)
    upstream.stop()
    return (recording, upstream.url)
  }

  private static func json(_ response: Client.Response?) throws -> [String: Any] {
    let response = try #require(response)
    #expect(response.status == 501)
    #expect(response.head.contains("\r\nFixtured-Miss: 1\r\n"))
    #expect(response.head.contains("\r\nContent-Type: application/problem+json\r\n"))
    return try #require(
      try JSONSerialization.jsonObject(with: Data(response.content)) as? [String: Any])
  }

  private static func differences(_ miss: [String: Any]) -> [[String: Any]] {
    let nearest = (miss["nearest"] as? [[String: Any]])?.first
    return nearest?["differs"] as? [[String: Any]] ?? []
  }

  @Test func `the nearest recording, what differs and what helps are in the answer`() throws {
    let json = "application/json"
    let (recording, upstream) = try Self.recorded([
      Self.get("/a?x=1&ts=1"),
      Self.post("/o", json, #"{"id":1,"item":{"name":"a","size":[1,2]}}"#),
      Self.post("/o", json, #"{"id":2,"item":{"name":"b","size":[3,4]}}"#),
      Self.post("/f", "application/x-www-form-urlencoded", "a=1&b=2"),
      Self.post("/b", "application/octet-stream", "hello world"),
    ])
    let replayer = try recording.replayer()
    let client = try Client(port: replayer.port())
    func miss(_ request: [UInt8]) throws -> [String: Any] {
      try Self.json(client.exchange(request))
    }
    let query = try miss(Self.get("/a?x=1&ts=2"))
    #expect(query["option"] as? String == "--match +query-ignore:ts")
    #expect(
      query["command"] as? String
        == "fixtured record --mode new-episodes --upstream \(upstream) x.db")
    let other = try miss(
      Self.post("/o", json, #"{"item":{"size":[3,4],"name":"c"},"id":2.0}"#))
    #expect((other["nearest"] as? [[String: Any]])?.count == 2)
    #expect((other["nearest"] as? [[String: Any]])?.first?["interaction"] as? Int == 3)
    #expect(
      Self.differences(other) as NSArray == [
        ["part": "content", "pointer": "/item/name", "recorded": "\"b\"", "asked": "\"c\""]
      ])
    #expect(other["option"] as? String == "--match +content-ignore:/item/name")
    let form = try miss(Self.post("/f", "application/x-www-form-urlencoded", "b=2&a=3"))
    #expect(
      Self.differences(form) as NSArray == [
        ["part": "content", "form_field": "a", "recorded": "1", "asked": "3"]
      ])
    let raw = try miss(Self.post("/b", "application/octet-stream", "hello World"))
    #expect(
      Self.differences(raw) as NSArray == [
        [
          "part": "content", "byte": 6, "recorded": "77 6f 72 6c 64", "asked": "57 6f 72 6c 64",
        ] as [String: Any]
      ])
    // With what they say, they match.
    #expect(replayer.stop().status == 0)
    let options = [
      "--match", "+query-ignore:ts", "--match", "+content-ignore:/item/name", "--match",
      "+content-ignore:/a",
    ]
    let changed = try recording.replayer(options)
    let matching = try Client(port: changed.port())
    for request in [
      Self.get("/a?x=1&ts=2"),
      Self.post("/o", json, #"{"item":{"size":[3,4],"name":"c"},"id":2.0}"#),
      Self.post("/f", "application/x-www-form-urlencoded", "b=2&a=3"),
    ] { #expect(matching.exchange(request)?.status == 200) }
    // Only at its end has all been written that it says.
    let said = changed.stop().errors
    #expect(
      said.hasPrefix(
        "replaying 5 interactions of x.db by method,path,query,query-ignore:ts,content,"
          + "content-ignore:/a,content-ignore:/item/name; try: "), "\(said)")
  }

  @Test func `each different one is told once on standard error and again at the end`() throws {
    let (recording, upstream) = try Self.recorded([Self.get("/a")])
    let replayer = try recording.replayer(["--exhausted", "miss", "--strict"])
    let client = try Client(port: replayer.port())
    #expect(client.exchange(Self.get("/a"))?.status == 200)
    for target in ["/a", "/b", "/a", "/b", "/b"] {
      #expect(client.exchange(Self.get(target))?.status == 501)
    }
    let ended = replayer.stop()
    #expect(ended.status == 1)
    let command = "fixtured record --mode new-episodes --upstream \(upstream) x.db"
    #expect(
      ended.errors.split(separator: "\n").dropFirst().joined(separator: "\n") == """
        fixtured: miss: GET /a is recorded 1 time, already used
          interaction 1 GET /a, used
          replay with --exhausted repeat or --exhausted cycle, or start the replay again
        fixtured: miss: GET /b is not in the cassette
          interaction 1 GET /a, path: /a recorded, /b asked
          record it with \(command)
        1 play, 5 misses
          missed: 2 x GET /a is recorded 1 time, already used; --exhausted repeat
          missed: 3 x GET /b is not in the cassette, nearest is interaction 1 GET /a, \
        path: /a recorded, /b asked
        """)
  }

  @Test func `no secret that a request holds is told`() throws {
    let login = "application/x-www-form-urlencoded"
    let (recording, _) = try Self.recorded(
      [
        Self.get("/a?token=first-secret&x=1", "X-Api-Key: first-secret\r\n"),
        Self.post("/login", login, "user=u"),
        Self.post("/json", "application/json", #"{"user":"u"}"#),
      ], options: ["--redact", "query:pin"])
    let replayer = try recording.replayer(["--match", "+header:X-Api-Key,+header:X-V"])
    let client = try Client(port: replayer.port())
    var told = ""
    for request in [
      Self.get("/a?token=live-secret&x=2", "X-Api-Key: live-secret\r\n"),
      Self.get("/a?x=1", "X-Api-Key: live-secret\r\n"),
      Self.get("/a?token=live-secret&x=1", "X-Api-Key: live-secret\r\nX-V: 1\r\n"),
      Self.get("/a?x=1&pin=live-secret&next=https%3A%2F%2Fb.test%2F%3Ftoken%3Dlive-secret"),
      Self.post("/login", login, "user=v&password=live-secret"),
      Self.post("/json", "application/json", #"{"user":"v","password":"live-secret"}"#),
      Self.post("/json", "application/json", #"{"login":{"token":["live-secret"]}}"#),
    ] {
      let response = try #require(client.exchange(request))
      #expect(response.status == 501)
      told += response.text
    }
    told += replayer.stop().errors
    #expect(!told.contains("secret"), "\(told)")
    #expect(told.contains("query token: REDACTED-1 recorded, not asked"))
    #expect(told.contains("header x-v: not recorded, 1 asked"))
  }

  @Test func `what helps can be pasted where other things than the standard count`() throws {
    let (recording, upstream) = try Self.recorded([Self.get("/a?ts=1", "X-V: 1\r\n")])
    let replayer = try recording.replayer(["--match", "+header:X-V"])
    let client = try Client(port: replayer.port())
    let miss = try Self.json(client.exchange(Self.get("/a?ts=2", "X-V: 1\r\n")))
    #expect(
      miss["option"] as? String == "--match method,path,query,query-ignore:ts,header:x-v,content")
    #expect((miss["nearest"] as? [[String: Any]])?.first?["match"] as? String == "+query-ignore:ts")
    // With less, the recorder would find the request among what it has, and record nothing.
    #expect(
      miss["command"] as? String
        == "fixtured record --mode new-episodes --upstream \(upstream) "
        + "--match method,path,query,header:x-v,content x.db")
  }
}
