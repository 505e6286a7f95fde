import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct RulePatternTests {
  @Test(
    arguments: [
      ("/a", "/a", true), ("/a", "/a/", false), ("/a", "/a?x=1", true), ("/a", "/A", false),
      ("/thumb/*", "/thumb/1.jpg", true), ("/thumb/*", "/thumb/a/b", false),
      ("/thumb/*", "/thumb/", true), ("/thumb/*", "/thumb", false),
      ("/api/**", "/api/v1/me", true), ("/api/**", "/api/", true), ("/api/**", "/api", false),
      ("/**/me", "/api/v1/me", true), ("/**/me", "/me", false),
      ("/a*c*e", "/abcde", true), ("/a*c*e", "/abcd", false), ("/*/*/*", "/a/b", false),
      ("*", "*", true), ("*", "/any?q=1", true),
      ("/a%20b", "/a%20b", true), ("/a%20b", "/a+b", false), (#"/\*"#, "/*", true),
      (#"/\*"#, "/x", false), ("/a", "http://h.test/a", true), ("/", "http://h.test", true),
      ("/s?q=x", "/s?q=x", true), ("/s?q=x", "/s?a=b&q=x&c", true), ("/s?q=x", "/s?q=xy", false),
      ("/s?q=x", "/s", false), ("/s?q", "/s?q=1", true), ("/s?q", "/s?qq=1", false),
      ("/s?q=*", "/s?q=a/b", true), ("/s?q=a*&p=1", "/s?p=1&q=abc", true),
      ("/s?q=a*&p=1", "/s?p=2&q=abc", false),
    ] as [(RulePattern, String, Bool)])
  func `a target meets a pattern as sent`(
    _ pattern: RulePattern, _ target: String, _ meets: Bool
  ) {
    let request = RuleRequest(method: .get, target: Array(target.utf8))
    #expect(pattern.matches(request) == meets)
  }

  @Test func `methods and authorities must be among those named`() {
    var pattern: RulePattern = "//*.example.com/a"
    pattern.methods = [.get, .head]
    func meets(_ method: Method, _ authorities: String...) -> Bool {
      pattern.matches(
        RuleRequest(
          method: method, target: Array("/a".utf8),
          authorities: authorities.map { Array($0.utf8)[...] }))
    }
    #expect(meets(.get, "localhost:8377", "api.example.com"))
    #expect(meets(.head, "img.example.com"))
    #expect(!meets(.post, "api.example.com"))
    #expect(!meets(.get, "example.com"))
    #expect(!meets(.get))
  }

  @Test func `many stars cost no more than their product with the target`() {
    let pattern = RulePattern(
      path: WildcardText(
        [.literal([0x2F])]
          + [WildcardText.Part](repeating: .all, count: 60).flatMap {
            [$0, .literal([0x61])]
          }))
    let target = [0x2F] + [UInt8](repeating: 0x61, count: 4000) + [0x62]
    #expect(!pattern.matches(RuleRequest(method: .get, target: target)))
  }
}
