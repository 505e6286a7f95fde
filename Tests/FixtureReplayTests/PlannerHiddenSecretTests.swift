import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

/// A secret of a named place is replaced wherever else it is spelled, in a recording and in what is
/// asked of it.
@Suite struct PlannerHiddenSecretTests {
  /// An exchange as it was, and as it is asked again with another secret.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let target: String
    var fields: [String] = []
    var content = ""

    init(_ name: String, _ target: String, _ fields: String..., content: String = "") {
      testDescription = name
      self.target = target
      self.fields = fields
      self.content = content
    }

    func request(_ secret: String) -> RequestHead {
      var section = FieldSection()
      for field in fields {
        let parts = field.split(separator: ":", maxSplits: 1)
        section.append(
          name: parts[0].utf8, value: parts[1].dropFirst().replacing("KEY", with: secret).utf8)
      }
      return RequestHead(
        method: content.isEmpty ? .get : .post,
        target: Array(target.replacing("KEY", with: secret).utf8), fields: section)
    }

    func identity(_ secret: String) -> ContentIdentity {
      content.isEmpty ? .absent : held(content.replacing("KEY", with: secret))
    }
  }

  static let cases = [
    Case("a query", "/?t=KEY", "Authorization: Bearer KEY"),
    Case("a query without a name", "/?KEY", "X-Api-Key: KEY"),
    Case("a path", "/u/KEY/items", "Authorization: Bearer KEY"),
    Case("a part of a value", "/?q=id-KEY-x&a=1", "Cookie: sid=KEY"),
    Case("a reference in a query", "/?next=%2Fx%3Fq%3DKEY", "X-Auth-Token: KEY"),
    Case("beside a named place", "/?t=KEY&token=KEY&a=b"),
    Case("a named place in a reference", "/?t=KEY&next=%2Fx%3Ftoken%3DKEY%26b%3D1"),
    Case(
      "the content of a request", "/?t=KEY", "Content-Type: application/json",
      content: #"{"password":"KEY","again":"KEY","n":1}"#),
    Case(
      "the content, from the head", "/p", "Content-Type: application/json", "X-Api-Key: KEY",
      content: #"{"k":"KEY"}"#),
    Case(
      "a form, from the head", "/p", "Content-Type: application/x-www-form-urlencoded",
      "Authorization: Bearer KEY", content: "a=1&k=KEY"),
    Case(
      "a text, from the head", "/p", "Content-Type: text/plain",
      "Authorization: Bearer KEY", content: "my KEY is here"),
  ]

  private static let recorded = "s3cr3t0fOneTwoThree"
  private static let live = "0therK3y0fAnotherDay"

  /// The recordings of exchanges one after the other, redacted as a recorder does it.
  private func replay(
    _ exchanges: [(Case, secret: String)], match: MatchOptions = .init()
  ) -> Replay {
    var redactor = Redactor(rules: RedactionRules(), count: 0)
    var interactions: [Interaction] = []
    var contents: [Int64: [UInt8]] = [:]
    for (index, (exchange, secret)) in exchanges.enumerated() {
      let id = Int64(index + 1)
      let content = exchange.content.replacing("KEY", with: secret)
      var draft = InteractionDraft(
        interaction: recording(id, exchange.request(secret)),
        requestBody: content.isEmpty ? .absent : .bytes(Array(content.utf8)),
        responseBody: .absent)
      _ = redactor.redact(&draft)
      if case .bytes(let bytes) = draft.requestBody {
        contents[id] = bytes
        draft.interaction.requestBody = BodyReference(
          id: id, size: Int64(bytes.count), digest: SHA256.digest(of: bytes))
      }
      interactions.append(draft.interaction)
    }
    return Replay(interactions, contents: contents, match: match)
  }

  @Test(arguments: cases)
  func `a secret that is spelled elsewhere is found with the one of today`(_ exchange: Case) {
    var replay = replay([(exchange, Self.recorded)])
    #expect(
      replay.outcome(exchange.request(Self.live), exchange.identity(Self.live)) == "1, 1 of 1")
    #expect(
      replay.outcome(exchange.request(Self.recorded), exchange.identity(Self.recorded))
        == "1, 1 of 1")
  }

  @Test(arguments: cases)
  func `a miss never shows a secret that is spelled elsewhere`(_ exchange: Case) throws {
    let other = Case("another", "/elsewhere?a=1", "Authorization: Bearer KEY")
    for recordings in [[], [(other, Self.recorded)]] {
      var replay = replay(recordings)
      let miss = try MissTests.miss(
        &replay, exchange.request(Self.live), exchange.identity(Self.live))
      for text in ["\(miss)", miss.brief, MissTests.text(miss)] {
        #expect(!text.contains(Self.live))
      }
    }
  }

  @Test func `one that no place of the requests has held counts as it is`() {
    let bare = Case("bare", "/?t=KEY")
    var replay = replay([(Self.cases[0], Self.recorded)])
    #expect(replay.outcome(bare.request(Self.live)) == "not-recorded")
    #expect(replay.outcome(Case("other", "/?t=other").request(Self.live)) == "not-recorded")
  }

  @Test func `a secret of an earlier request is known`() throws {
    let login = Case("login", "/login", "Authorization: Bearer KEY")
    let bare = Case("bare", "/?t=KEY")
    let content = Case("content", "/p", "Content-Type: application/json", content: #"["KEY"]"#)
    var replay = replay([login, bare, content].map { ($0, Self.recorded) })
    #expect(replay.outcome(login.request(Self.live)) == "1, 1 of 1")
    #expect(replay.outcome(bare.request(Self.live)) == "2, 1 of 1")
    #expect(replay.outcome(content.request(Self.live), content.identity(Self.live)) == "3, 1 of 1")
    let miss = try MissTests.miss(&replay, Case("x", "/x/KEY?y=KEY").request(Self.live))
    #expect(miss.target == Array("/x/REDACTED?y=REDACTED".utf8))
  }

  @Test func `what was recorded before its secret was one is found as it is`() throws {
    let bare = Case("bare", "/?t=KEY")
    let keyed = Case("keyed", "/k", "Authorization: Bearer KEY")
    var replay = replay([bare, keyed].map { ($0, Self.recorded) })
    for _ in 0..<2 {
      #expect(replay.outcome(bare.request(Self.recorded)) == "1, 1 of 1")
      #expect(replay.outcome(keyed.request(Self.recorded)) == "2, 1 of 1")
    }
    let miss = try MissTests.miss(&replay, Case("x", "/?t=KEY&x=1").request(Self.recorded))
    #expect(!"\(miss)".contains(Self.recorded))
    #expect(!MissTests.text(miss).contains(Self.recorded))
  }

  @Test func `a miss is told again without what was learned since`() throws {
    let bare = Case("bare", "/nowhere?t=KEY")
    let keyed = Case("keyed", "/k", "Authorization: Bearer KEY")
    var replay = replay([(keyed, Self.recorded)])
    let miss = try MissTests.miss(&replay, bare.request(Self.live))
    #expect(miss.brief.contains(Self.live))
    replay.session.report(miss.brief, key: miss.key)
    #expect(replay.outcome(keyed.request(Self.live)) == "1, 1 of 1")
    #expect(replay.session.summary.reports.map(\.text).allSatisfy { !$0.contains(Self.live) })
  }

  @Test func `a placeholder stands for itself where no rule names a place`() {
    var replay = Replay([
      recording(1, request(.get, "/s/REDACTED-1?a=REDACTED-3")),
      recording(2, request(.get, "/s/REDACTED-2?a=REDACTED-3")),
    ])
    #expect(replay.outcome(request(.get, "/s/REDACTED-2?a=REDACTED-3")) == "2, 1 of 1")
    #expect(replay.outcome(request(.get, "/s/REDACTED-1?a=REDACTED-3")) == "1, 1 of 1")
    #expect(replay.outcome(request(.get, "/s/REDACTED-1?a=REDACTED-4")) == "differs")
    #expect(replay.outcome(request(.get, "/s/REDACTED-9?a=REDACTED-3")) == "differs")
    #expect(replay.outcome(request(.get, "/s/x?a=REDACTED-3")) == "not-recorded")
    let auth = section(("Authorization", "Bearer \(Self.live)"))
    #expect(
      replay.outcome(request(.get, "/s/\(Self.live)?a=\(Self.live)", auth)) == "1, 1 of 2")
    #expect(
      replay.outcome(request(.get, "/s/\(Self.live)?a=REDACTED-3", auth)) == "1, 1 of 2")
  }

  @Test func `a placeholder stands for itself in content where no rule names a place`() {
    let json = request(.post, "/t", section(("Content-Type", "application/json")))
    let texts = [#"{"a":"x REDACTED-1"}"#, #"{"a":"x REDACTED-2"}"#]
    var replay = Replay(
      texts.enumerated().map { index, text in
        recording(Int64(index + 1), json, sent: body(Int64(index + 1), text), notes: [.redacted])
      },
      contents: [1: Array(texts[0].utf8), 2: Array(texts[1].utf8)])
    #expect(replay.outcome(json, held(#"{"a":"x REDACTED-2"}"#)) == "2, 1 of 1")
    #expect(replay.outcome(json, held(#"{ "a":"x REDACTED-1"}"#)) == "1, 1 of 1")
    #expect(replay.outcome(json, held(#"{"a":"x REDACTED-3"}"#)) == "differs")
  }

  @Test func `a field that is asked for is without secrets too`() throws {
    let exchange = Case("field", "/f", "Authorization: Bearer KEY", "X-Trace: a-KEY")
    var asked = replay([(exchange, Self.recorded)], match: try MatchOptions("+header:X-Trace"))
    #expect(asked.outcome(exchange.request(Self.live)) == "1, 1 of 1")
    let other = Case("field", "/f", "Authorization: Bearer KEY", "X-Trace: b-KEY")
    #expect(asked.outcome(other.request(Self.live)) == "differs")
  }

  @Test func `a file name with a placeholder is no token`() {
    var replay = Replay([recording(1, request(.get, "/f/report.REDACTED-1"))])
    #expect(replay.outcome(request(.get, "/f/other.REDACTED-1")) == "not-recorded")
    #expect(replay.outcome(request(.get, "/f/report.REDACTED-1")) == "1, 1 of 1")
  }
}
