import FixtureTLS
import Foundation
import Testing

@Suite struct `a connection to openssl s_server` {
  private let certificates = TestCertificates.shared

  private func client(
    of server: OpenSSLServer, host: String = "127.0.0.1", authorities: String? = nil
  ) throws -> SocketClient {
    let context = try TLSContext(
      certificateAuthorityFile: authorities, verify: true, applicationProtocols: ["http/1.1"])
    return try SocketClient(
      port: server.port, engine: TLSEngine(context: context, serverName: host))
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `carries a large file in both versions`(version: String) throws {
    let name = "content-\(version).bin"
    let content = patternedBytes(3_000_017)
    try Data(content).write(to: URL(fileURLWithPath: "\(certificates.directory)/\(name)"))
    let server = try OpenSSLServer(
      identity: certificates.api, directory: certificates.directory,
      [version, "-alpn", "http/1.1"])
    defer { server.stop() }
    let client = try client(of: server, authorities: certificates.root.certificate)
    try client.handshake()
    #expect(client.engine.negotiatedProtocol == "http/1.1")
    let answer = try client.exchange("GET /\(name) HTTP/1.0\r\n\r\n")
    let head = "HTTP/1.0 200 ok\r\nContent-type: text/plain\r\n\r\n"
    #expect(answer.bytes == Array(head.utf8) + content)
    #expect(answer.end == .closed)
  }

  @Test func `is refused when its authority is unknown`() throws {
    let server = try OpenSSLServer(
      identity: certificates.api, directory: certificates.directory, [])
    defer { server.stop() }
    let client = try client(of: server)
    #expect(throws: TLSError.issuerUnknown(host: "127.0.0.1", issuer: "Fixture Test Root")) {
      try client.handshake()
    }
  }

  @Test func `is refused when it speaks only TLS 1.1`() throws {
    let server = try OpenSSLServer(
      identity: certificates.api, directory: certificates.directory,
      ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
    defer { server.stop() }
    let client = try client(of: server, authorities: certificates.root.certificate)
    #expect(throws: TLSError.self) { try client.handshake() }
    #expect(!client.engine.isEstablished)
  }

  @Test func `is refused when it asks for a client certificate`() throws {
    let server = try OpenSSLServer(
      identity: certificates.api, directory: certificates.directory,
      ["-tls1_3", "-Verify", "1"])
    defer { server.stop() }
    let client = try client(of: server, authorities: certificates.root.certificate)
    // In TLS 1.3 the client's handshake is complete before the server has judged it.
    try client.handshake()
    #expect(
      throws: TLSError.alertReceived(host: "127.0.0.1", code: 116, name: "certificate required")
    ) {
      _ = try client.exchange("GET / HTTP/1.0\r\n\r\n")
    }
  }
}
