import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

/// What stands in a redacted place of content counts by its presence.
@Suite struct PlannerSecretContentTests {
  private static let json = request(.post, "/t", section(("Content-Type", "application/json")))
  private static let form = request(
    .post, "/t", section(("Content-Type", "application/x-www-form-urlencoded")))
  private static let text = request(.post, "/t", section(("Content-Type", "text/plain")))

  /// Recordings of these contents.
  private func replay(
    _ request: RequestHead, _ contents: [String], redactions: [String]? = []
  ) -> Replay {
    var interactions: [Interaction] = []
    var bytes: [Int64: [UInt8]] = [:]
    for (index, content) in contents.enumerated() {
      let id = Int64(index + 1)
      let isRedacted = content.contains("REDACTED")
      interactions.append(
        recording(id, request, sent: body(id, content), notes: isRedacted ? [.redacted] : []))
      bytes[id] = Array(content.utf8)
    }
    return Replay(interactions, redactions: redactions, contents: bytes)
  }

  private func held(_ text: String) -> ContentIdentity {
    let bytes = Array(text.utf8)
    return .known(size: Int64(bytes.count), digest: SHA256.digest(of: bytes), held: bytes)
  }

  @Test func `a secret in JSON matches any other, not none`() {
    var replay = replay(Self.json, [#"{"user":"me","password":"REDACTED-1"}"#])
    #expect(replay.outcome(Self.json, held(#"{"password":"x","user":"me"}"#)) == "1, 1 of 1")
    #expect(replay.outcome(Self.json, held(#"{"password":"","user":"me"}"#)) == "differs")
    #expect(replay.outcome(Self.json, held(#"{"password":1,"user":"me"}"#)) == "differs")
    #expect(replay.outcome(Self.json, held(#"{"user":"me"}"#)) == "differs")
    #expect(replay.outcome(Self.json, held(#"{"password":"x","user":"you"}"#)) == "differs")
  }

  /// A text rule, or another place, told the recorder.
  @Test(arguments: [
    (#"{"note":"by REDACTED-1","n":1}"#, #"{"note":"by hunter2","n":2}"#, "application/json"),
    ("a=REDACTED-1&b=1", "a=hunter2&b=2", "application/x-www-form-urlencoded"),
    ("it is REDACTED-1", "it is hunter2", "text/plain"),
    ("it is ghp_x", "it is ghp_\(String(repeating: "hunter2aB3", count: 4))", "text/plain"),
  ])
  func `a miss shows nothing of what stands where a secret was lost`(
    _ recorded: String, _ asked: String, _ type: String
  ) throws {
    let post = request(.post, "/t", section(("Content-Type", type)))
    var replay = replay(post, [recorded])
    let miss = try MissTests.miss(&replay, post, held(asked))
    let hexadecimal = "68 75 6e"
    for text in [MissTests.text(miss), miss.description, miss.brief] {
      #expect(!text.contains("hunter2") && !text.contains(hexadecimal), "\(text)")
    }
  }

  @Test func `secrets are counted together, a placeholder for itself`() {
    let recorded = [
      #"{"refresh_token":"REDACTED-1","n":[{"token":"REDACTED-2"}]}"#,
      #"{"n":[{"token":"REDACTED-4"}],"refresh_token":"REDACTED-3"}"#,
    ]
    var replay = replay(Self.json, recorded)
    func ask(_ refresh: String, _ token: String) -> String {
      replay.outcome(
        Self.json, held(#"{"n":[{"token":"\#(token)"}],"refresh_token":"\#(refresh)"}"#))
    }
    #expect(ask("x", "y") == "1, 1 of 2")
    #expect(ask("z", "y") == "2, 2 of 2")
    #expect(ask("REDACTED-3", "y") == "2, 1 of 1")
    #expect(ask("REDACTED-1", "REDACTED-2") == "1, 1 of 1")
    #expect(ask("REDACTED-1", "REDACTED-4") == "differs")
    #expect(ask("REDACTED-9", "y") == "differs")
  }

  @Test func `a secret in a form, in pairs without a type and in events matches any other`() {
    var forms = replay(Self.form, ["user=me&password=REDACTED-1", "user=you"])
    #expect(forms.outcome(Self.form, held("password=s%20x&user=me")) == "1, 1 of 1")
    #expect(forms.outcome(Self.form, held("user=you")) == "2, 1 of 1")
    #expect(forms.outcome(Self.form, held("user=you&password=x")) == "differs")
    var texts = replay(Self.text, ["{\"token\":\"REDACTED-1\"}\n{\"n\":1}\n", "plain"])
    #expect(
      texts.outcome(Self.text, .pending(expectsContinue: false)) == "needs content, held")
    #expect(texts.outcome(Self.text, held("{\"token\":\"x\"}\n{\"n\":1}\n")) == "1, 1 of 1")
    #expect(texts.outcome(Self.text, held("{\"token\":\"x\"}\n{\"n\":2}\n")) == "differs")
    #expect(texts.outcome(Self.text, held("plain")) == "2, 1 of 1")
  }

  @Test func `a secret that stands twice in a request matches any other that does`() {
    var twice = replay(Self.json, [#"{"password":"REDACTED-1","again":"REDACTED-1"}"#])
    #expect(
      twice.outcome(Self.json, held(#"{"password":"hunter2000","again":"hunter2000"}"#))
        == "1, 1 of 1")
    #expect(
      twice.outcome(Self.json, held(#"{"password":"hunter2000","again":"other"}"#)) == "differs")
    let keyed = request(
      .post, "/t", section(("Content-Type", "text/plain"), ("X-Api-Key", "6f1ed002ab55")))
    var inHead = replay(keyed, ["key REDACTED-1"])
    #expect(inHead.outcome(keyed, held("key 6f1ed002ab55")) == "1, 1 of 1")
    #expect(inHead.outcome(keyed, held("key 6f1ed002ab56")) == "differs")
  }

  @Test func `what was recorded unredacted matches as it is`() {
    var replay = replay(Self.json, [#"{"password":"a"}"#, #"{"password":"b"}"#])
    #expect(replay.outcome(Self.json, held(#"{"password":"b"}"#)) == "2, 1 of 1")
    #expect(replay.outcome(Self.json, held(#"{ "password":"a"}"#)) == "1, 1 of 1")
    #expect(replay.outcome(Self.json, held(#"{"password":"c"}"#)) == "differs")
  }

  @Test func `a rule of the cassette makes a place`() {
    var replay = replay(
      Self.json, [#"{"pin":0,"a":["REDACTED-1"]}"#], redactions: ["json:pin", "json:/a/0"])
    #expect(replay.outcome(Self.json, held(#"{"pin":1234,"a":["x"]}"#)) == "1, 1 of 1")
    #expect(replay.outcome(Self.json, held(#"{"pin":"1","a":["x"]}"#)) == "differs")
  }
}
