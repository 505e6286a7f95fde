import FixtureServer
import Foundation
import FoundationNetworking
import Testing

/// Where `URLSession` is led, and what it takes along.
@Suite(.ownThreads) struct RedirectTests {
  private typealias Response = FixtureServer.Response

  /// Leads from `/STATUS/FORM` to `/final`.
  private func server() async throws -> FixtureServer {
    try await FixtureServer.start { request in
      let parts = request.path.split(separator: "/")
      guard parts.count == 2, let status = Int(parts[0]) else {
        return request.path == "/final" ? .text(request.method) : .text("nothing", status: 404)
      }
      let port = request.header("Host")?.split(separator: ":").last ?? ""
      let location =
        switch parts[1] {
        case "relative": "../final"
        case "absolute": "/final"
        case "host": "http://localhost:\(port)/final"
        default: request.target
        }
      return Response(status: status, headers: [("Location", location)])
    }
  }

  @Test(
    arguments: [301, 302, 303, 307, 308], ["relative", "absolute", "host"])
  func `each hop is in the list, with its method`(status: Int, form: String) async throws {
    let server = try await server()
    defer { server.stop() }
    let client = Client()
    let url = server.baseURL.appending(path: "\(status)/\(form)")
    #expect(try await client.get(url).status == 200)
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data("x".utf8)
    let (data, response) = try await client.session.data(for: request)
    // A client may keep the method but for a 303, and must for a 307 and 308 (RFC 9110 §15.4).
    let method = String(decoding: data, as: UTF8.self)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(response.url?.lastPathComponent == "final")
    if status == 303 { #expect(method == "GET") }
    if status >= 307 { #expect(method == "POST") }
    #expect(server.exchanges.map(\.method) == ["GET", "GET", "POST", method])
    #expect(server.exchanges.map(\.path) == [url.path(), "/final", url.path(), "/final"])
    #expect(server.exchanges.map(\.status) == [status, 200, status, 200])
    let host = form == "host" ? "localhost" : "127.0.0.1"
    #expect(server.exchanges.last?.header("Host")?.hasPrefix(host + ":") == true)
  }

  @Test func `a loop ends with an error after 21 requests`() async throws {
    let server = try await server()
    defer { server.stop() }
    let code = await Client().failure(server.baseURL.appending(path: "302/loop"))
    #expect(code == .httpTooManyRedirects)
    #expect(server.exchanges.map(\.path) == Array(repeating: "/302/loop", count: 21))
  }

  /// What the client does is its own; what it did is seen at the second host, and judged by that.
  @Test(arguments: ["absolute", "host"])
  func `what goes to the other host is seen there, and judged`(form: String) async throws {
    let server = try await server()
    defer { server.stop() }
    var request = URLRequest(url: server.baseURL.appending(path: "302/\(form)"))
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    _ = try await Client().session.data(for: request)
    await server.waitUntilSettled()
    let sent = server.exchanges.map { $0.header("Authorization") }
    #expect(sent.first == "Bearer secret")
    let isTold = form == "host" && sent.last == "Bearer secret"
    #expect(server.verdict().failed == (isTold ? [.credentialsElsewhere] : []))
  }

  @Test(arguments: [true, false])
  func `a client that carries its token along is told, another is not`(leaks: Bool) async throws {
    let server = try await server()
    defer { server.stop() }
    let token = "Authorization: Bearer secret\r\n"
    let port = try #require(server.baseURL.port)
    for (target, host, fields) in [
      ("/307/host", "127.0.0.1", token), ("/final", "localhost", leaks ? token : ""),
    ] {
      let connection = try RawConnection(to: server.baseURL)
      connection.send(
        "GET \(target) HTTP/1.1\r\nHost: \(host):\(port)\r\n\(fields)Connection: close\r\n\r\n")
      _ = await connection.readAll()
    }
    let told = server.verdict().findings(of: .credentialsElsewhere)
    #expect(told.map(\.exchanges) == (leaks ? [[1, 2]] : []))
  }
}
