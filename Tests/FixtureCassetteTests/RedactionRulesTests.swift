import FixtureHTTP
import Testing

@testable import FixtureCassette

@Suite struct `Redaction rules` {
  @Test func `added rules are kept as words in canonical order`() throws {
    let rules = try RedactionRules(
      adding: ["query:T", "header:X-B", "header:x-a", "query:t", "query:session id", "header:X-b"])
    #expect(rules.words == ["header:x-a", "header:x-b", "query:session id", "query:t"])
    #expect(RedactionRules(stored: rules.words) == rules)
  }

  @Test func `rules about content are kept after those`() throws {
    let given = [
      "text:@/run/Secret", "json:/b/0", "json:PIN", "form:b", "text:env:TOKEN", "json:/A~1",
      "form:A", "json:pin", "query:q", "text:env:TOKEN",
    ]
    let rules = try RedactionRules(adding: given)
    #expect(
      rules.words == [
        "query:q", "form:a", "form:b", "json:pin", "json:/A~1", "json:/b/0", "text:@/run/Secret",
        "text:env:TOKEN",
      ])
    #expect(RedactionRules(stored: rules.words) == rules)
    #expect(rules.texts == [.file("/run/Secret"), .environment("TOKEN")])
  }

  @Test func `what the defaults cover adds no word`() throws {
    let rules = try RedactionRules(
      adding: ["header:Cookie", "header:X-Api-Key", "query:TOKEN", "query:code", "form:Password"])
    #expect(rules == RedactionRules())
    #expect(rules.words == [])
  }

  @Test func `the whole of a reference field can be asked for`() throws {
    #expect(try RedactionRules(adding: ["header:Referer"]).words == ["header:referer"])
  }

  @Test func `stored words that are unknown are passed over`() {
    #expect(RedactionRules(stored: ["xml:x", "query:t", "what", ""]).words == ["query:t"])
  }

  @Test(
    arguments: [
      ("", .kindMissing),
      ("token", .kindMissing),
      ("field:x", .kindUnknown("field")),
      ("Header:x", .kindUnknown("Header")),
      ("form:", .nameMissing("form")),
      ("json:", .nameMissing("json")),
      ("json:/a~2", .pointerInvalid),
      ("text:secret", .textInvalid),
      ("text:env:", .textInvalid),
      ("text:env:A=b", .textInvalid),
      ("text:@", .textInvalid),
      ("header:", .fieldNameInvalid("")),
      ("header:a b", .fieldNameInvalid("a b")),
      ("header:a:b", .fieldNameInvalid("a:b")),
      ("query:", .nameMissing("query")),
      ("header:Content-Length", .fieldNeeded("content-length")),
      ("header:transfer-encoding", .fieldNeeded("transfer-encoding")),
      ("header:Host", .fieldNeeded("host")),
    ] as [(String, RedactionRuleError)])
  func `a rule that can't be followed has its own error`(
    _ rule: String, _ error: RedactionRuleError
  ) {
    #expect(throws: error) { try RedactionRules(adding: ["query:ok", rule]) }
  }

  /// Cassettes don't spell the defaults out, so the lists of this format version are fixed: a
  /// change needs a word of its own in the cassette.
  @Test func `the default lists never change`() {
    #expect(
      digest(RedactionRules.queryDefaults)
        == "1cdc9689026fd729435b4e0b9d6cb3a3c2803112c61d811b2169cc2d09f4315d")
    #expect(
      digest(Array(RedactionRules.fieldDefaults.keys))
        == "fb42a5ac7e392a9d60de8fe3b0a4f5cb3e432e0df25ca74436a72751f8207577")
  }

  private func digest(_ names: [[UInt8]]) -> String {
    let sorted = names.sorted { $0.lexicographicallyPrecedes($1) }
    return hex(SHA256.digest(of: Array(sorted.joined(separator: [0x0A]))))
  }
}

@Suite struct `Name set` {
  @Test func `names are found in any case, and nothing else`() {
    let set = NameSet(["sig", "key", "sig", "token"].map { Array($0.utf8) })
    for name in ["sig", "SIG", "Key", "tOKEN"] { #expect(contains(set, name)) }
    for name in ["", "si", "sigk", "sgi", "igk", "igs", "eyt", "tokens", "xtoken"] {
      #expect(!contains(set, name))
    }
  }

  @Test func `the order of insertion does not matter`() {
    let names = ["sig", "key", "abc", "token", "x"].map { Array($0.utf8) }
    #expect(NameSet(names) == NameSet(names.reversed()))
  }

  private func contains(_ set: NameSet, _ name: String) -> Bool {
    Array(name.utf8).withUnsafeBytes { set.contains($0) }
  }
}
