import FixtureHTTP
import Testing

@testable import fixtured

@Suite struct RequestPatternTests {
  private func matches(_ pattern: String, _ target: String, _ method: Method = .get) throws -> Bool
  {
    let pattern = try #require(RequestPattern(parsing: pattern))
    return pattern.matches(RequestHead(method: method, target: Array(target.utf8)))
  }

  @Test func `a star stays in its segment, two cross`() throws {
    #expect(try matches("/a", "/a"))
    #expect(try !matches("/a", "/ab"))
    #expect(try matches("/a/*", "/a/b"))
    #expect(try matches("/a/*", "/a/"))
    #expect(try !matches("/a/*", "/a/b/c"))
    #expect(try matches("/a/**", "/a/b/c"))
    #expect(try matches("/**/c", "/a/b/c"))
    #expect(try matches("/*b*/c", "/abba/c"))
    #expect(try !matches("/*b*/c", "/a/c"))
    #expect(try matches("**", "/any/thing"))
  }

  @Test func `the query counts when the pattern has one`() throws {
    #expect(try matches("/a", "/a?b=1"))
    #expect(try matches("/a?b=*", "/a?b=1"))
    #expect(try !matches("/a?b=*", "/a"))
  }

  @Test func `a method may stand before`() throws {
    #expect(try matches("HEAD /a", "/a", .head))
    #expect(try !matches("HEAD /a", "/a"))
  }

  @Test(arguments: ["", "a", " /a", "GET  /a", "GET", "/a b"])
  func `anything else is no pattern`(text: String) {
    #expect(RequestPattern(parsing: text) == nil)
  }

  @Test func `many stars take no time`() throws {
    let pattern = String(repeating: "/**a", count: 100)
    #expect(try !matches(pattern, String(repeating: "/a", count: 5000) + "b"))
  }
}

@Suite struct SuppliedSecretTests {
  @Test func `where a secret is and what it is for`() {
    let field = SuppliedSecret(parsing: "X-Key: env:KEY")
    #expect(field?.place == .field("x-key") && field?.source == .environment("KEY"))
    let query = SuppliedSecret(parsing: "query:api_key:@/run/key")
    #expect(query?.place == .query("api_key") && query?.source == .file("/run/key"))
  }

  @Test(arguments: [
    "", "X", "X:", "X: y", "X: env:", "X: @", ": env:Y", "a b: env:Y", "query:: env:Y",
  ])
  func `anything else is refused`(text: String) {
    #expect(SuppliedSecret(parsing: text) == nil)
  }
}
