import FixtureCassette
import FixtureHTTP
import FixtureReplay
import FixtureStore
import Testing

@testable import fixtured

@Suite struct CommandLineRecordTests {
  private func options(_ line: String) throws -> RecordOptions {
    guard case .record(let options) = try command("record " + line) else {
      throw UsageError(.commandMissing)
    }
    return options
  }

  @Test func `one upstream is enough`() throws {
    let options = try options("--upstream https://api.example.com/v1")
    let url = try BaseURL(parsing: "https://api.example.com/v1")
    #expect(
      options
        == RecordOptions(
          upstreams: [RecordOptions.Upstream(name: nil, url: url)],
          cassette: "cassettes/api.example.com.db", cassetteIsStandard: true,
          redactions: try RedactionRules(adding: [])))
  }

  @Test func `every option`() throws {
    let line = """
      --upstream=api=http://a --upstream img=http://b/x=y out.db --listen [::1]:9000 --mode all \
      --preserve-host --cacert ca.pem --redact query:session --durability power \
      --rewrite-cookies --connect-timeout 1.5s --idle-timeout 500ms --pace x0.5 \
      --exhausted cycle --date recorded --derive off --quiet
      """
    var expected = RecordOptions(
      upstreams: [
        RecordOptions.Upstream(name: "api", url: try BaseURL(parsing: "http://a")),
        RecordOptions.Upstream(name: "img", url: try BaseURL(parsing: "http://b/x=y")),
      ],
      cassette: "out.db", cassetteIsStandard: false,
      redactions: try RedactionRules(adding: ["query:session"]))
    expected.listen = ListenAddress(host: "::1", port: 9000)
    expected.mode = .all
    expected.preservesHost = true
    expected.certificateAuthorityFile = "ca.pem"
    expected.durability = .power
    expected.rewritesCookies = true
    expected.connectTimeout = .milliseconds(1500)
    expected.idleTimeout = .milliseconds(500)
    expected.pacing = .scaled(0.5)
    expected.exhausted = .cycle
    expected.dates = .recorded
    expected.derives = false
    expected.isQuiet = true
    #expect(try options(line) == expected)
  }

  @Test func `verification and redaction can be turned off`() throws {
    let options = try options("--upstream http://a --insecure --no-redact")
    #expect(!options.verifiesCertificates)
    #expect(options.redactions == nil)
  }

  @Test func `options that contradict each other are refused`() {
    #expect(
      problem("record --upstream http://a --redact query:a --no-redact")
        == .excluded(.redact, .noRedact))
    #expect(
      problem("record --upstream http://a --cacert f --insecure")
        == .excluded(.cacert, .insecure))
  }

  @Test func `several upstreams need different names`() {
    #expect(problem("record out.db") == .optionMissing(.upstream))
    #expect(
      problem("record --upstream a=http://a --upstream a=http://b") == .upstreamNameTaken("a"))
    #expect(
      problem("record --upstream a=http://a --upstream http://b") == .upstreamNameMissing)
  }

  @Test(arguments: ["=http://a", "a.b=http://a", "a%20b=http://a", "é=http://a"])
  func `an upstream's name holds letters, digits, hyphens and underscores`(word: String) {
    guard case .valueRefused(.upstream, _)? = problem("record --upstream \(word)") else {
      Issue.record("\(word) was taken")
      return
    }
  }

  @Test func `a password in an upstream's URL is refused and not printed`() throws {
    do {
      _ = try command("record --upstream https://me:hunter2@a")
      Issue.record("the URL was taken")
    } catch {
      #expect(!error.description.contains("hunter2"))
    }
  }

  @Test func `several upstreams need as many ports`() throws {
    let upstreams = "--upstream a=http://a --upstream b=http://b"
    #expect(problem("record \(upstreams) --listen localhost:65534") == nil)
    #expect(problem("record \(upstreams) --listen localhost:0") == nil)
    #expect(
      problem("record \(upstreams) --listen localhost:65535")
        == .portsExhausted(first: 65535, count: 2))
  }

  @Test func `the mode follows from the option and the file`() throws {
    func resolve(_ given: RecordMode?, _ exists: Bool) throws(UsageError) -> RecordMode {
      try RecordMode.resolve(given, cassette: "a.db", exists: exists)
    }
    #expect(try resolve(nil, false) == .once)
    #expect(try resolve(.all, false) == .all)
    #expect(try resolve(.newEpisodes, true) == .newEpisodes)
    #expect(throws: UsageError(.modeMissing(cassette: "a.db"), in: .record)) {
      try resolve(nil, true)
    }
    #expect(throws: UsageError(.cassetteMissing(cassette: "a.db"), in: .record)) {
      try resolve(RecordMode.none, false)
    }
  }
}
