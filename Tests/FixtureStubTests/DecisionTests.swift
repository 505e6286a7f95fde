import FixtureHTTP
import Foundation
import Testing

@testable import FixtureStub

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct RedirectDecisions {
  private func next(
    _ status: Int, _ location: String?, _ method: String = "POST"
  ) -> (request: URLRequest, keepsContent: Bool)? {
    guard let url = URL(string: "https://a.example/x/y?q=1") else { return nil }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = method == "POST" ? Data("content".utf8) : nil
    for name in ["Authorization", "Cookie", "Content-Type", "X-Other"] {
      request.setValue("v", forHTTPHeaderField: name)
    }
    return Redirection.next(after: request, status: status, location: location)
  }

  @Test(arguments: [
    ("/z", "https://a.example/z"), ("z", "https://a.example/x/z"),
    ("?r=2", "https://a.example/x/y?r=2"), ("//b.example/z", "https://b.example/z"),
    ("http://a.example/z", "http://a.example/z"),
  ])
  func `a reference is resolved`(location: String, expected: String) {
    #expect(next(302, location)?.request.url?.absoluteString == expected)
  }

  @Test(arguments: [
    (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
    (308, "POST", "POST"), (302, "PUT", "PUT"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
    (301, "HEAD", "HEAD"),
  ])
  func `the method changes where it should`(status: Int, method: String, expected: String) {
    let found = next(status, "/z", method)
    #expect(found?.request.httpMethod == expected)
    #expect(found?.keepsContent == (method == expected))
    let type = found?.request.value(forHTTPHeaderField: "Content-Type")
    #expect((type == nil) == (method != expected))
  }

  @Test(arguments: [
    ("https://b.example/", nil), ("http://a.example/", nil), ("https://a.example:8443/", nil),
    ("https://A.example:443/", "v"), ("/z", "v"),
  ])
  func `credentials stay with their origin`(location: String, kept: String?) {
    let request = next(302, location)?.request
    #expect(request?.value(forHTTPHeaderField: "Authorization") == kept)
    #expect(request?.value(forHTTPHeaderField: "Cookie") == kept)
    #expect(request?.value(forHTTPHeaderField: "X-Other") == "v")
  }

  @Test(
    arguments: [
      (302, nil), (302, "ftp://a/"), (302, "https:///"), (300, "/z"), (304, "/z"), (200, "/z"),
      (305, "/z"),
    ] as [(Int, String?)])
  func `what leads nowhere is not followed`(status: Int, location: String?) {
    #expect(next(status, location) == nil)
  }
}

@Suite struct BasicChallenges {
  private func realm(_ values: String...) -> String? {
    var fields = FieldSection()
    for value in values { fields.append("WWW-Authenticate", value) }
    return BasicChallenge(fields).map { $0.realm ?? "none" }
  }

  @Test func `the realm of a Basic challenge, wherever it stands`() {
    #expect(realm("Basic realm=\"a, \\\"b\\\"\"") == "a, \"b\"")
    #expect(realm("basic REALM=a") == "a")
    #expect(realm("Basic") == "none")
    #expect(realm("Basic charset=\"UTF-8\", realm=\"a\"") == "a")
    #expect(realm("Bearer realm=\"x\", Basic realm=\"a\", Digest realm=\"y\"") == "a")
    #expect(realm("Bearer", "Basic realm=\"a\"") == "a")
    #expect(realm("Basic charset=\"UTF-8\", Digest realm=\"y\"") == "none")
  }

  @Test func `no Basic challenge is none`() {
    #expect(realm() == nil)
    #expect(realm("Bearer realm=\"Basic realm=x\"") == nil)
    #expect(realm("Digest realm=\"x\", nonce=\"Basic\"") == nil)
    #expect(realm("") == nil)
  }
}

@Suite struct LiveRequests {
  private func head(
    _ method: String = "GET", _ content: LiveRequest.Content = .absent,
    to url: String = "https://a.example/x", fields: [(name: String, value: String)] = [],
    additional: [(name: String, value: String)] = []
  ) throws -> [String] {
    let request = LiveRequest(
      method: method, url: try #require(LiveURL(url)), fields: fields, additional: additional,
      content: content, sender: .init(userAgent: "agent", language: "en"))
    return String(decoding: request.head.fields.bytes, as: UTF8.self)
      .split(separator: "\r\n").map(String.init)
  }

  private let last = ["Connection: keep-alive", "User-Agent: agent", "Accept-Language: en"]
  private let first = [
    "Host: a.example", "Accept: */*", "Accept-Encoding: deflate, gzip, br, zstd",
  ]

  @Test func `what URLSession adds, in its order`() throws {
    #expect(try head() == first + last)
    #expect(
      try head(fields: [("X-One", "1")], additional: [("X-Two", "2"), ("x-one", "3")])
        == first + ["X-Two: 2", "X-One: 1"] + last)
  }

  @Test func `what is given is not added`() throws {
    #expect(
      try head(fields: [("accept", "a/b"), ("HOST", "h"), ("user-agent", "me")])
        == [
          "Accept-Encoding: deflate, gzip, br, zstd", "accept: a/b", "HOST: h", "user-agent: me",
          "Connection: keep-alive", "Accept-Language: en",
        ])
  }

  @Test func `content has its length, or comes in chunks`() throws {
    let form = "Content-Type: application/x-www-form-urlencoded"
    #expect(
      try head("POST", .bytes(5, ofRequest: true)) == first + last + [form, "Content-Length: 5"])
    #expect(
      try head("POST", .bytes(5, ofRequest: false)) == first + last + ["Content-Length: 5"])
    #expect(try head("PUT", .stream) == first + ["Transfer-Encoding: chunked"] + last)
    #expect(try head("DELETE") == first + last + ["Content-Length: 0"])
    #expect(try head("HEAD") == first + last)
  }

  @Test func `a user name in the URL becomes credentials`() throws {
    #expect(
      try head(to: "https://us%40er:pa%20ss@a.example/x")
        == [
          "Host: a.example", "Authorization: Basic dXNAZXI6cGEgc3M=", "Accept: */*",
          "Accept-Encoding: deflate, gzip, br, zstd",
        ] + last)
  }

  @Test func `a value never becomes another line`() throws {
    #expect(try head(fields: [("X-A", "1\r\nX-B: 2")]) == first + ["X-A: 1X-B: 2"] + last)
  }
}
