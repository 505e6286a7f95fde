import Foundation
import Testing

/// Links that name an upstream keep the client on our listeners; the cassette keeps the original.
@Suite struct LinkTests {
  /// A field as the upstream sends it and as the client gets it; `UP` stands for the upstream's
  /// address, `US` for the one in the client's `Host`.
  static let fields: [(sent: String, received: String)] = [
    ("Location: http://UP/next?x=http://UP/y", "Location: http://US/next?x=http://UP/y"),
    ("Location: https://other.test/next", "Location: https://other.test/next"),
    ("Location: /rel", "Location: /rel"), ("Location: ../rel", "Location: ../rel"),
    ("Location: //UP/s", "Location: //US/s"), ("Location: HTTP://UP", "Location: http://US"),
    ("Location: http://UP?q", "Location: http://US?q"),
    ("Location: http://UP#f", "Location: http://US#f"),
    // Another port that begins with the same digits, another name of the same host.
    ("Location: http://UP1/x", "Location: http://UP1/x"),
    ("Location: http://localhost/x", "Location: http://localhost/x"),
    ("Location: http://user@UP/x", "Location: http://user@US/x"),
    ("Location: https://UP/x", "Location: https://UP/x"),
    ("Location: http://UP\\@other.test/", "Location: http://UP\\@other.test/"),
    // What is no URL.
    ("Location: ", "Location: "), ("Location: //", "Location: //"),
    ("Location: http:/x", "Location: http:/x"), ("Location: http://", "Location: http://"),
    ("Content-Location: http://UP/c", "Content-Location: http://US/c"),
    ("Refresh: 5; url=http://UP/r", "Refresh: 5; url=http://US/r"),
    ("Refresh: 0;URL=\"http://UP/r\"", "Refresh: 0;URL=\"http://US/r\""),
    ("Refresh: 0, url = 'http://UP/r'", "Refresh: 0, url = 'http://US/r'"),
    ("Refresh: 0; http://UP/r", "Refresh: 0; http://US/r"),
    ("Refresh: 0 http://UP/r", "Refresh: 0 http://US/r"), ("Refresh: 5", "Refresh: 5"),
    (
      "Link: <http://UP/a>; rel=next; title=\"<http://UP/no>\", <http://UP/b>; rel=x, </c>",
      "Link: <http://US/a>; rel=next; title=\"<http://UP/no>\", <http://US/b>; rel=x, </c>"
    ),
    ("X-Location: http://UP/x", "X-Location: http://UP/x"),
  ]

  @Test func `links to the upstream lead to the client's address, in record and replay`() throws {
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let index = Int(text(ScriptedUpstream.target(of: request).dropFirst()))!
        let field = Self.fields[index].sent
          .replacingOccurrences(of: "UP", with: connection.address)
        connection.send("HTTP/1.1 302 Found\r\n\(field)\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let recording = try Recording()
    let expected = Self.fields.map { field in
      "HTTP/1.1 302 Found\r\n\(field.received)\r\nContent-Length: 0\r\n\r\n"
        .replacingOccurrences(of: "UP", with: "127.0.0.1:\(upstream.port)")
        .replacingOccurrences(of: "US", with: "localhost:9999")
    }
    let recorder = try recording.recorder(upstream)
    expectEqual(try Self.heads(port: recorder.port()), expected)
    #expect(recorder.stop().status == 0)
    upstream.stop()
    let replayer = try recording.replayer()
    expectEqual(try Self.heads(port: replayer.port()), expected)
    #expect(replayer.stop().status == 0)
    let dump = try Program.run(["dump", recording.cassette], in: recording.folder).output
    #expect(dump.contains("http://127.0.0.1:\(upstream.port)/next?x="))
    #expect(!dump.contains("http://localhost:9999"))
  }

  @Test(arguments: [[], ["--no-redact"]])
  func `links in content stay, and are counted at the end`(options: [String]) throws {
    let contents: [(type: String, text: String)] = [
      (
        "application/json",
        #"{"next":"UP/2","thumb":["https:\/\/img.test\/1","https://img.test/2"]}"#
      ),
      ("text/html", "<a href='https://img.test/3'>see</a> https://text.test/"),
      ("image/png", #"<x:xmpmeta about="https://img.test/"/>"#),
    ]
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let (type, text) = contents[Int(text(ScriptedUpstream.target(of: request).dropFirst()))!]
        let content = text.replacingOccurrences(of: "UP", with: "http://\(connection.address)")
        connection.send(
          "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n"
            + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)")
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream, options)
    let client = try Client(port: recorder.port())
    #expect(client.get("/0")?.text.contains(upstream.url) == true)
    for number in 1...2 { _ = client.get("/\(number)") }
    let ended = recorder.stop()
    let counted = ended.errors.split(separator: "\n").filter { $0.contains("in content") }
    #expect(
      counted.map { $0.prefix { $0 != "," } } == [
        "3 links in content lead to https://img.test: content stays as it is",
        "1 link in content leads to \(upstream.url): content stays as it is",
      ])
  }

  private static func heads(port: UInt16) throws -> [String] {
    let client = try Client(port: port)
    return fields.indices.map { index in
      client.exchange(bytes("GET /\(index) HTTP/1.1\r\nHost: localhost:9999\r\n\r\n"))?.head ?? ""
    }
  }

  /// Of `api`, whose base path is `/v1`: what is asked, the `Location` it sends and what comes.
  static let routes: [(sent: String, received: String)] = [
    ("http://API/v1/next", "http://localhost:7/next"), ("http://API/v1", "http://localhost:7/"),
    ("http://API/v1?q", "http://localhost:7/?q"), ("http://API/v2/x", "http://API/v2/x"),
    ("http://API/v12/x", "http://API/v12/x"), ("/v1/absolute", "/absolute"),
    ("/v1", "/"), ("/other", "/other"), ("/v1//host/x", "http://localhost:7//host/x"),
    ("http://IMG/img/x", "http://localhost:PORT/x"), ("//IMG/img/y", "//localhost:PORT/y"),
    ("http://IMG/x", "http://IMG/x"),
  ]

  @Test func `several upstreams and their base paths keep to their own ports`() throws {
    let script: @Sendable (ScriptedUpstream.Connection) -> Void = { connection in
      while let request = connection.request() {
        let location = text(request[request.firstRange(of: bytes("X-Send: "))!.upperBound...])
          .split(separator: "\r\n")[0]
        connection.send("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let (api, img) = (try ScriptedUpstream(script), try ScriptedUpstream(script))
    let folder = try Folder()
    let recorder = try Program(
      [
        "record", "--upstream", "api=\(api.url)/v1", "--upstream", "img=\(img.url)/img/",
        "--listen", "127.0.0.1:0", "x.db",
      ], in: folder)
    let named: (String, [UInt16]) -> String = { text, ports in
      text.replacingOccurrences(of: "API", with: "127.0.0.1:\(api.port)")
        .replacingOccurrences(of: "IMG", with: "127.0.0.1:\(img.port)")
        .replacingOccurrences(of: "PORT", with: "\(ports[1])")
    }
    let heads: ([UInt16]) throws -> [String] = { ports in
      let client = try Client(port: ports[0])
      return Self.routes.indices.map { index in
        let send = named(Self.routes[index].sent, ports)
        let request = "GET /\(index) HTTP/1.1\r\nHost: localhost:7\r\nX-Send: \(send)\r\n\r\n"
        return client.exchange(bytes(request))?.head ?? ""
      }
    }
    let expected: ([UInt16]) -> [String] = { ports in
      Self.routes.map { route in
        let location = named(route.received, ports)
        return "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
      }
    }
    let recordPorts = try recorder.ports(2)
    expectEqual(try heads(recordPorts), expected(recordPorts))
    #expect(recorder.stop().status == 0)
    #expect(
      api.requests.map { text(ScriptedUpstream.target(of: $0)) }
        == Self.routes.indices.map { "/v1/\($0)" })
    let replayer = try Program(["replay", "--listen", "127.0.0.1:0", "x.db"], in: folder)
    let replayPorts = try replayer.ports(2)
    expectEqual(try heads(replayPorts), expected(replayPorts))
  }

  /// One by one: a list of heads is too long to read.
  private func expectEqual(_ heads: [String], _ expected: [String]) {
    for (head, expected) in zip(heads, expected) { #expect(head == expected) }
  }
}
