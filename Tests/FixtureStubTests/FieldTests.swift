import FixtureCoding
import FixtureStub
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Fields of requests and responses, and what URLSession does about some of them.
@Suite struct Fields {
  @Test func `a request is listed as it would be sent`() async throws {
    let fixture = try Fixture(.get("/b?q=a%20b&c=d+e", .text("")))
    var request = URLRequest(url: try url("/a/../b?q=a%20b&c=d+e#f"))
    request.setValue("1", forHTTPHeaderField: "x-one")
    _ = try await fixture.session.answer(request)
    let exchange = try #require(fixture.exchanges.first)
    #expect(exchange.head.hasPrefix("GET /b?q=a%20b&c=d+e HTTP/1.1\r\nHost: api.example.com\r\n"))
    let expected = [
      "Host", "Accept", "Accept-Encoding", "X-One", "Connection", "User-Agent", "Accept-Language",
    ]
    #expect(exchange.headers.map(\.name).filter { $0 != "Accept-Language" } == expected.dropLast())
    #expect(exchange.header("ACCEPT-encoding") == "deflate, gzip, br, zstd")
    #expect(exchange.query == ["q": "a b", "c": "d e"])
    #expect(exchange.path == "/b")
  }

  @Test func `fields of the configuration come too, also those set later`() async throws {
    let fixture = try Fixture(.get("/a", .text("")))
    let configuration = fixture.configuration
    configuration.httpAdditionalHeaders = ["X-Own": "configuration", "X-Both": "configuration"]
    var request = try request("GET", "/a")
    request.setValue("request", forHTTPHeaderField: "x-both")
    _ = try await URLSession(configuration: configuration).answer(request)
    #expect(fixture.exchanges[0].header("X-Own") == "configuration")
    #expect(fixture.exchanges[0].header("X-Both") == "request")
  }

  @Test func `repeated fields of a response are one`() async throws {
    let headers = [("X-A", "1"), ("x-a", "2"), ("ETag", "\"v\"")]
    let fixture = try Fixture(.get("/a", .text("", headers: headers)))
    let (_, response) = try await fixture.session.data(from: try url("/a"))
    let http = try #require(response as? HTTPURLResponse)
    #expect(http.value(forHTTPHeaderField: "x-a") == "1, 2")
    #expect(http.value(forHTTPHeaderField: "etag") == "\"v\"")
  }

  @Test func `content comes without its coding, the fields stay`() async throws {
    let text = String(repeating: "hello ", count: 1000)
    let coded = try ContentEncoder.encoded(Array(text.utf8), [.gzip])
    let fixture = try Fixture(
      .get(
        "/a",
        .data(Data(coded), type: "text/plain", headers: [("Content-Encoding", "gzip")])),
      scenario: "*: trickle 7B/1ms", clock: .immediate)
    let (data, response) = try await fixture.session.data(from: try url("/a"))
    #expect(String(decoding: data, as: UTF8.self) == text)
    let http = try #require(response as? HTTPURLResponse)
    #expect(http.value(forHTTPHeaderField: "Content-Encoding") == "gzip")
    #expect(http.expectedContentLength == Int64(coded.count))
    #expect(fixture.exchanges.map(\.bodyBytesSent) == [coded.count])
  }

  @Test func `broken codings are an error`() async throws {
    let headers = [("Content-Encoding", "gzip")]
    let fixture = try Fixture(.get("/a", .data(Data("no gzip".utf8), headers: headers)))
    #expect(try await fixture.session.failure("/a") == .cannotDecodeContentData)
  }

  @Test func `cookies are kept and sent, unless they are not wanted`() async throws {
    let headers = [("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; Path=/; HttpOnly")]
    let fixture = try Fixture(
      .get("/login", .text("", headers: headers)), .get("/a", .text("")))
    let session = fixture.session
    _ = try await session.answer("/login")
    _ = try await session.answer("/a")
    let cookies = fixture.exchanges.last?.header("Cookie") ?? ""
    #expect(cookies.split(separator: "; ").sorted() == ["a=1", "b=2"])

    let other = URLSession(configuration: fixture.configuration)
    _ = try await other.answer("/a")
    #expect(fixture.exchanges.last?.header("Cookie") == nil)

    let configuration = fixture.configuration
    configuration.httpCookieAcceptPolicy = .never
    let never = URLSession(configuration: configuration)
    _ = try await never.answer("/login")
    _ = try await never.answer("/a")
    #expect(fixture.exchanges.last?.header("Cookie") == nil)
  }
}
