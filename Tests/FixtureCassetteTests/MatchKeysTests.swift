import FixtureHTTP
import Testing

@testable import FixtureCassette

@Suite struct `Match keys` {
  @Test(arguments: [
    ("/s?x=1&y=2", "/s?y=2&x=1"),
    ("/s?a=1&b=2&a=3", "/s?b=2&a=1&a=3"),
    ("/s?fq=a;b&fq=c", "/s?fq=a%3Bb&fq=c"),
    ("/s?a[]=1", "/s?a%5b%5D=1"),
    ("/s?q=a+b", "/s?q=a%20b"),
    ("/s?q=%e2%9c%93", "/s?q=%E2%9C%93"),
    ("/s?a", "/s?a="),
    ("/s?&a=1&&b=2&", "/s?a=1&b=2"),
    ("/s?", "/s?&"),
    ("/s?a=%zz", "/s?a=%25zz"),
    ("http://a.test/s?x=1", "/s?x=1"),
    ("https://u:p@b.test:8443/s", "/s"),
    ("http://a.test", "/"),
    ("http://a.test?x=1", "/?x=1"),
    // Redacted places by presence.
    ("/s?token=live", "/s?token=REDACTED-1"),
    ("/s?token=", "/s?token=REDACTED-1"),
    ("/s?a=1&access_token=x", "/s?access_token=y&a=1"),
    ("/s?user[password]=x", "/s?user[password]=y"),
    ("/s?key=AIzaSyA0123456789012345678901234567890a", "/s?key=REDACTED-3"),
    ("/s?next=%2Fcb%3Fcode%3Dlive", "/s?next=/cb?code=REDACTED-2"),
  ])
  func `the same question has the same key`(_ left: String, _ right: String) {
    #expect(key(left) == key(right))
  }

  @Test(arguments: [
    ("/q", "/q?"),
    ("/q?", "/q?a"),
    ("/a%2Fb", "/a/b"),
    ("/%7euser", "/~user"),
    ("/a//b", "/a/b"),
    ("/a/./b", "/a/b"),
    ("/a%2520b", "/a%20b"),
    ("/a+b", "/a%20b"),
    ("/A", "/a"),
    ("/s?acc=1&acc=2", "/s?acc=2&acc=1"),
    ("/s?acc=1", "/s?acc=1&acc=1"),
    ("/s?fq=a&fq=b&fq=c", "/s?fq=a;b&fq=c"),
    ("/s?q=a+b", "/s?q=a%2Bb"),
    ("/s?q=a", "/s?Q=a"),
    ("/s?ab=c", "/s?a=bc"),
    ("/s?a=b%26c=d", "/s?a=b&c=d"),
    ("/s?a=b%3Dc", "/s?a%3Db=c"),
    ("/s?=a", "/s?a="),
    ("/a?b", "/a%3Fb"),
    ("//a.test/s", "/s"),
    ("/s?token=x", "/s"),
    ("/s?token=x", "/s?token=x&token=x"),
    ("/s?token=x", "/s?secret=x"),
    ("/s?key=users", "/s?key=orders"),
    ("/s?filter[code]=DE", "/s?filter[code]=FR"),
    ("/s?next=/cb?code=x%26n=1", "/s?next=/cb?code=x%26n=2"),
  ])
  func `a different question has a different key`(_ left: String, _ right: String) {
    #expect(key(left) != key(right))
  }

  @Test func `method and upstream are part of the key`() {
    let keys = [
      key("/", .get), key("/", .head), key("/", .other(Array("QUERY".utf8))),
      key("/", .other(Array("QUER".utf8))), key("/", .get, ""), key("/", .get, "a"),
      key("/", .get, "b"),
    ]
    #expect(Set(keys).count == keys.count)
  }

  @Test func `an empty path means the asterisk for options alone`() {
    #expect(key("http://a.test", .options) == key("*", .options))
    #expect(key("http://a.test?x", .options) == key("/?x", .options))
    #expect(key("http://a.test", .get) == key("/", .get))
  }

  @Test func `a key is appended to what is there`() {
    var bytes: [UInt8] = [1, 2, 3]
    MatchKeys(description: CassetteDescription()).appendKey(
      method: .get, target: Array("/s?b=1&a=2".utf8), upstream: nil, to: &bytes)
    #expect(bytes == [1, 2, 3] + key("/s?a=2&b=1"))
  }

  @Test func `many pairs are ordered too`() {
    let pairs = (0..<2000).map { "p\($0 * 7919 % 2000)=\($0)" }
    let reversed = pairs.reversed().joined(separator: "&")
    #expect(key("/s?" + pairs.joined(separator: "&")) == key("/s?" + reversed))
  }

  @Test func `without redaction every value counts`() {
    #expect(key("/s?token=a", redactions: nil) != key("/s?token=b", redactions: nil))
    #expect(key("/s?token=a", redactions: nil) == key("/s?token=a", redactions: nil))
  }

  @Test func `an added rule makes a place`() {
    #expect(key("/s?t=a", redactions: ["query:T"]) == key("/s?t=b", redactions: ["query:T"]))
    #expect(key("/s?u=a", redactions: ["query:T"]) != key("/s?u=b", redactions: ["query:T"]))
  }

  @Test(arguments: [
    ("/s", "/s", true),
    ("/s?token=live", "/s?token=REDACTED-1", true),
    ("/s?token=REDACTED-1", "/s?token=REDACTED-1", true),
    ("/s?token=REDACTED-2", "/s?token=REDACTED-1", false),
    ("/s?token=REDACTED%2D1", "/s?token=REDACTED-1", true),
    ("/s?token=REDACTED-1", "/s?token=plain", false),
    ("/s?secret=live&token=REDACTED-2", "/s?token=REDACTED-2&secret=REDACTED-1", true),
    ("/s?secret=live&token=REDACTED-1", "/s?token=REDACTED-2&secret=REDACTED-1", false),
    ("/s?token=a&token=REDACTED-2", "/s?token=REDACTED-1&token=REDACTED-2", true),
    ("/s?token=a&token=REDACTED-1", "/s?token=REDACTED-1&token=REDACTED-2", false),
    // Where no rule names a place.
    ("/s?q=REDACTED-1", "/s?q=REDACTED-2", false),
    ("/s?q=REDACTED", "/s?q=REDACTED-2", true),
    ("/x/REDACTED-1?q=a%20REDACTED-2", "/x/REDACTED-1?q=a+REDACTED-2", true),
    ("/x/REDACTED-1?q=a%20REDACTED-2", "/x/REDACTED-1?q=a+REDACTED-1", false),
    ("/s?REDACTED-2&a=REDACTED-1", "/s?a=REDACTED-1&REDACTED-2", true),
  ])
  func `a placeholder narrows to recordings that hold the same`(
    _ live: String, _ recorded: String, _ agrees: Bool
  ) {
    let keys = MatchKeys(description: CassetteDescription())
    let asked = keys.placeholders(in: Array(live.utf8))
    let held = keys.placeholders(in: Array(recorded.utf8))
    #expect(MatchKeys.placeholders(asked, agreeWith: held) == agrees)
  }

  @Test(arguments: [
    ("/s?a=1&token=s3cret&b=%20", "/s?a=1&token=REDACTED&b=%20"),
    ("/s?token=REDACTED-4", "/s?token=REDACTED-4"),
    ("http://u:p@a.test/", "http://REDACTED@a.test/"),
    ("/s?a=1", "/s?a=1"),
  ])
  func `a target can be shown without its secrets`(_ target: String, _ shown: String) {
    let keys = MatchKeys(description: CassetteDescription())
    #expect(keys.concealingSecrets(in: Array(target.utf8)) == Array(shown.utf8))
  }

  /// Recorded and live requests must meet whatever was redacted.
  @Test(arguments: [
    "/s?token=a&q=1", "/s?q=%7e&sig=a%2Fb&sig=c", "/cb?next=https%3A%2F%2Fu%40b%2F%3Fcode%3D1%23x",
    "/s?user[password][]=x", "/s?key=AIzaSyA0123456789012345678901234567890a", "/s?password=&a=1",
    "http://u:p@a.test/s?token=a", "/s?token", "/s?u=%2F%2Fa:b@c", "/s?u=/x?token=a%26b%3D+%252B",
  ])
  func `a redacted request has the key of the original`(_ target: String) {
    var redactor = Redactor(rules: RedactionRules(), count: 0)
    var interaction = Interaction(
      id: 1, startedAt_us: 0, scheme: "http", authority: "a.test",
      request: RequestHead(method: .get, target: Array(target.utf8)))
    redactor.redact(&interaction)
    #expect(key(String(decoding: interaction.request.target, as: UTF8.self)) == key(target))
  }

  private func key(
    _ target: String, _ method: Method = .get, _ upstream: String? = nil,
    redactions: [String]? = []
  ) -> [UInt8] {
    var key: [UInt8] = []
    MatchKeys(description: CassetteDescription(redactions: redactions)).appendKey(
      method: method, target: Array(target.utf8), upstream: upstream, to: &key)
    return key
  }
}
