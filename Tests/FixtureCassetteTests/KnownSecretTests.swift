import FixtureHTTP
import Testing

@testable import FixtureCassette

@Suite struct `Secrets in other spellings` {
  private static let secret = "tok-SECRET/9+a=="

  @Test(arguments: [
    ("tok-SECRET/9+a==", true),
    ("x=tok-SECRET%2F9%2Ba%3D%3D&y", true),
    ("tok-SECRET%2f9%2ba%3d%3d", true),
    ("tok-SECRET/9%2Ba%3D%3D", true),
    ("tok-SECRET%252F9%252Ba%253D%253D", true),
    (#""tok-SECRET\/9+a==""#, true),
    (#""tok-SECRET\u002f9\u002Ba\u003d\u003D""#, true),
    ("%74ok-SECRET/9+a==", true),
    ("tok-SECRET/9+a=", false),
    ("tok-secret/9+a==", false),
    ("ok-SECRET/9+a==", false),
  ])
  func `a secret is found as it may be escaped`(_ text: String, _ isFound: Bool) {
    var finder = SecretFinder()
    finder.add(Array(Self.secret.utf8))
    let matches = Array(text.utf8).withUnsafeBytes { finder.matches(in: $0) }
    #expect(matches.count == (isFound ? 1 : 0))
  }

  @Test func `a secret is found inside base64 wherever it begins`() {
    for before in ["", "u", "us", "use", "user:"] {
      for after in ["", ":", ":a", ":ab"] {
        for alphabet in [Base64Text.Alphabet.standard, .url] {
          var finder = SecretFinder()
          finder.add(Array(Self.secret.utf8))
          let encoded = Base64Text.encoded(
            Array((before + Self.secret + after).utf8), alphabet: alphabet)
          let text = Array("Basic ".utf8) + encoded + Array(" next".utf8)
          let matches = text.withUnsafeBytes { finder.matches(in: $0) }
          #expect(
            matches == [SecretFinder.Match(range: 6..<(6 + encoded.count), secret: 0)],
            "\(String(decoding: text, as: UTF8.self))")
        }
      }
    }
  }

  @Test func `of secrets within secrets the longest goes`() {
    var finder = SecretFinder()
    for secret in ["abcdef12", "abcdef12-zyxw9876", "2-zyxw9"] { finder.add(Array(secret.utf8)) }
    func matches(_ text: String) -> [SecretFinder.Match] {
      Array(text.utf8).withUnsafeBytes { finder.matches(in: $0) }
    }
    #expect(matches("(abcdef12-zyxw9876)") == [.init(range: 1..<18, secret: 1)])
    #expect(matches("(abcdef12-zyxw987)") == [.init(range: 1..<15, secret: 0)])
    #expect(
      matches("abcdef12abcdef12")
        == [.init(range: 0..<8, secret: 0), .init(range: 8..<16, secret: 0)])
  }

  @Test func `what can't be told from other text is not looked for`() {
    var finder = SecretFinder()
    for secret in ["", "short", "a-b-c-d-e-f-g", String(repeating: "a", count: 20_000)] {
      let isAdded = finder.add(Array(secret.utf8))
      #expect(!isAdded)
    }
    #expect(finder.isEmpty)
  }

  @Test func `digits behind a secret go with it, or they would make another number`() throws {
    let token = "6f1ed002ab5595859014ebf0951522d9"
    var redactor = redactor([])
    var draft = draft("{\"access_token\":\"\(token)\"}", "application/json")
    draft.interaction.request.target = Array("/\(token)0x/\(token)\(token)1/a".utf8)
    _ = redactor.redact(&draft)
    #expect(
      draft.interaction.request.target == Array("/REDACTED-1x/REDACTED-1REDACTED-1/a".utf8))
  }

  @Test func `a secret of an answer is the same one wherever it is sent later`() throws {
    let token = "6f1ed002ab5595859014ebf0951522d9"
    var redactor = redactor([])
    var login = draft("{\"access_token\":\"\(token)\",\"mine\":\"x \(token)\"}", "application/json")
    login.interaction.request.target = Array("/echo/\(token)".utf8)
    login.interaction.outcomeDetail = "about \(token)"
    _ = redactor.redact(&login)
    #expect(
      login.responseBody
        == .bytes(Array(#"{"access_token":"REDACTED-1","mine":"x REDACTED-1"}"#.utf8)))
    #expect(login.interaction.request.target == Array("/echo/REDACTED-1".utf8))
    #expect(login.interaction.outcomeDetail == "about REDACTED-1")
    var use = draft("<p>\(token)</p>", "text/html")
    use.interaction.request.target = Array("/x?access_token=\(token)&t=\(token)".utf8)
    use.interaction.request.fields.append("Authorization", "Bearer \(token)")
    use.interaction.request.fields.append("X-Other", "a \(token) b")
    use.interaction.request.fields.append("Content-Length", "1")
    use.requestBody = .bytes(Array("t=\(token)".utf8))
    _ = redactor.redact(&use)
    #expect(
      use.interaction.request.target == Array("/x?access_token=REDACTED-1&t=REDACTED-1".utf8))
    #expect(
      String(decoding: use.interaction.request.fields.bytes, as: UTF8.self)
        == "Authorization: Bearer REDACTED-1\r\nX-Other: a REDACTED-1 b\r\nContent-Length: 12\r\n")
    #expect(use.requestBody == .bytes(Array("t=REDACTED-1".utf8)))
    #expect(use.responseBody == .bytes(Array("<p>REDACTED-1</p>".utf8)))
    #expect(redactor.count == 1)
  }

  @Test func `the password of Basic credentials is a secret too`() {
    var redactor = redactor([])
    var draft = draft(#"{"echo":"hunter2000"}"#, "application/json")
    draft.interaction.request.fields.append("Authorization", "Basic bWU6aHVudGVyMjAwMA==")
    _ = redactor.redact(&draft)
    #expect(draft.responseBody == .bytes(Array(#"{"echo":"REDACTED-2"}"#.utf8)))
  }

  @Test(arguments: [
    ("Cookie", "lang=en-US-x-extended; theme=dark", false),
    ("Cookie", "tz=America/Los_Angeles", false),
    ("Cookie", "sid=6f1ed002ab5595859014ebf0", true),
    ("X-Api-Key", "6f1ed002", true),
    ("X-Api-Key", "short1", false),
    ("Authorization", "Bearer abcdefgh", false),
  ])
  func `only what is distinctive is looked for elsewhere`(
    _ name: String, _ value: String, _ isLookedFor: Bool
  ) throws {
    let secret = try #require(value.split { $0 == "=" || $0 == " " || $0 == ";" }.last)
    let first = value.split { $0 == "=" || $0 == " " || $0 == ";" }.dropFirst().first ?? secret
    for secret in [secret, first] {
      var redactor = redactor([])
      var draft = draft("{\"x\":\"\(secret)\"}", "application/json")
      draft.interaction.request.fields.append(
        name: Array(name.utf8), value: Array(value.utf8))
      _ = redactor.redact(&draft)
      let isFound = draft.responseBody != .bytes(Array("{\"x\":\"\(secret)\"}".utf8))
      #expect(isFound == isLookedFor)
    }
  }

  @Test func `a text that was given is replaced anywhere, a number by a number`() throws {
    let source = TextSource.environment("PIN")
    var redactor = Redactor(
      rules: RedactionRules(), count: 4,
      texts: [TextSecrets(source: source, secrets: [Array("12345678".utf8)])])
    #expect(redactor.textNumbers == ["text:env:PIN": [5]])
    var draft = draft(#"{"a":12345678,"b":"12345678","12345678":-123456789.5}"#, "application/json")
    draft.interaction.request.target = Array("/12345678?a".utf8)
    draft.interaction.request.fields.append("Content-Length", "12345678")
    _ = redactor.redact(&draft)
    #expect(draft.responseBody == .bytes(Array(#"{"a":0,"b":"REDACTED-5","REDACTED-5":0}"#.utf8)))
    #expect(draft.interaction.request.target == Array("/REDACTED-5?a".utf8))
    #expect(draft.interaction.request.fields.first(.contentLength)?.count == 8)
    let later = Redactor(
      rules: RedactionRules(), count: 9,
      texts: [
        TextSecrets(source: source, secrets: [Array("12345678".utf8), Array("abcdefgh".utf8)])
      ],
      textNumbers: redactor.textNumbers)
    #expect(later.textNumbers == ["text:env:PIN": [5, 10]])
  }

  @Test func `a secret that the end of a content cuts off goes too`() {
    var redactor = Redactor(
      rules: RedactionRules(), count: 0,
      texts: [TextSecrets(source: .environment("T"), secrets: [Array(Self.secret.utf8)])])
    var draft = draft("it is tok-SECRET/9", "text/plain")
    draft.interaction.outcome = .truncated
    _ = redactor.redact(&draft)
    #expect(draft.responseBody == .bytes(Array("it is REDACTED-1".utf8)))
  }

  @Test func `content that is no text and holds a secret is not stored`() {
    var redactor = Redactor(
      rules: RedactionRules(), count: 0,
      texts: [TextSecrets(source: .environment("T"), secrets: [Array(Self.secret.utf8)])])
    var draft = draft([0xFF, 0x00] + Array(Self.secret.utf8), "image/png")
    let exceptions = redactor.redact(&draft)
    #expect(exceptions == [Redactor.Exception(side: .response, omission: .opaque)])
    #expect(draft.responseBody == .absent)
  }

  @Test func `secrets that end alike are found by what is their own`() {
    var finder = SecretFinder()
    let secrets = (0..<3000).map { Array("tok\(100_000 + $0)abcdefgh".utf8) }
    for secret in secrets {
      let isAdded = finder.add(secret)
      #expect(isAdded)
    }
    let text = Array(secrets.joined(separator: [0x2C]))
    let matches = text.withUnsafeBytes { finder.matches(in: $0) }
    #expect(matches.map(\.secret) == Array(0..<3000))
  }

  @Test func `old secrets are forgotten before memory grows`() {
    var known = KnownSecrets()
    _ = known.addLasting(Array("lasting-secret".utf8))
    func secret(_ number: Int) -> String {
      String(StableHash.value(of: Array("\(number)".utf8)), radix: 16) + "-x"
    }
    for number in 0..<(KnownSecrets().secretsMax + 10) {
      _ = known.learn(Array(secret(number).utf8))
    }
    func isKnown(_ text: String) -> Bool {
      Array(text.utf8).withUnsafeBytes { !known.matches(in: $0).isEmpty }
    }
    #expect(isKnown("lasting-secret"))
    #expect(isKnown(secret(KnownSecrets().secretsMax)))
    #expect(!isKnown(secret(1)))
  }
}
