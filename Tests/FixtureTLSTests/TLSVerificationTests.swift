import FixtureTLS
import Testing

@Suite struct `verifying a server's certificate` {
  private let certificates = TestCertificates.shared

  /// The client's error for a server with the identity, asked for by the name.
  private func refusal(
    of identity: TestCertificates.Identity, host: String = "api.test",
    authorities: String? = TestCertificates.shared.root.certificate
  ) throws -> TLSError? {
    let pair = try EnginePair(host: host, identity: identity, authorities: authorities)
    return errorThrown { () throws(TLSError) in try pair.handshake() }
  }

  @Test(arguments: ["api.test", "api.test.", "sub.wild.test", "127.0.0.1", "::1", "::1%lo"])
  func `accepts every name and address that it lists`(host: String) throws {
    #expect(try refusal(of: certificates.api, host: host) == nil)
  }

  @Test(arguments: ["other.test", "a.b.wild.test", "wild.test", "127.0.0.2", "::2"])
  func `refuses any other name and address`(host: String) throws {
    let error = try refusal(of: certificates.api, host: host)
    let names = ["api.test", "*.wild.test", "127.0.0.1", "0:0:0:0:0:0:0:1"]
    #expect(error == .hostMismatch(host: host, names: names))
  }

  @Test func `does not look at the common name`() throws {
    let error = try refusal(of: certificates.commonNameOnly)
    #expect(error == .hostMismatch(host: "api.test", names: []))
    #expect(
      error?.description == "the certificate of api.test is for no host: "
        + "use a name that it lists, or accept it with --insecure")
  }

  @Test func `refuses an expired certificate and says since when`() throws {
    let error = try refusal(of: certificates.expired)
    guard case .certificateExpired(host: "api.test", authority: nil, let until) = error else {
      Issue.record("refused with \(error.debugDescription)")
      return
    }
    #expect(until.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/) != nil)
  }

  @Test func `refuses an unknown authority and names the option that helps`() throws {
    let error = try refusal(of: certificates.api, authorities: nil)
    #expect(error == .issuerUnknown(host: "api.test", issuer: "Fixture Test Root"))
    #expect(
      error?.description == "the certificate of api.test was issued by an unknown authority "
        + "(Fixture Test Root): give the authority's certificate with --cacert FILE")
  }

  @Test func `refuses a self-signed certificate until it is given as an authority`() throws {
    let identity = certificates.selfSigned
    #expect(try refusal(of: identity) == .certificateSelfSigned(host: "api.test"))
    #expect(try refusal(of: identity, authorities: identity.certificate) == nil)
  }

  @Test func `trusts a server's own certificate when the file holds no more than that`() throws {
    #expect(
      try refusal(of: certificates.api, authorities: certificates.api.certificate) == nil)
  }

  @Test func `accepts anything when it is turned off`() throws {
    for identity in [certificates.expired, certificates.selfSigned, certificates.api] {
      let pair = try EnginePair(
        host: "other.test", identity: identity, authorities: nil, verify: false)
      try pair.handshake()
      #expect(pair.client.isEstablished)
      let bytes = patternedBytes(100)
      #expect(try pair.transfer(bytes, from: pair.client, to: pair.server) == bytes)
    }
  }

  @Test func `tells the server why it was refused`() throws {
    let pair = try EnginePair(host: "other.test")
    #expect(errorThrown { () throws(TLSError) in try pair.handshake() } != nil)
    let error = errorThrown { () throws(TLSError) in
      try pair.move(from: pair.client, to: pair.server)
      _ = try pair.server.readAll()
    }
    #expect(error == .alertReceived(host: "the client", code: 42, name: "bad certificate"))
  }

  @Test func `refuses a certificate that is not for servers and says so`() throws {
    let error = try refusal(of: certificates.clientOnly)
    #expect(
      error == .certificateRefused(host: "api.test", reason: "unsuitable certificate purpose"))
  }

  @Test func `leaves no error behind for the next connection of the thread`() throws {
    #expect(try refusal(of: certificates.expired) != nil)
    #expect(try refusal(of: certificates.api) == nil)
  }

  @Test(arguments: ["", "a\0b.test", String(repeating: "a", count: 254), "."])
  func `cannot be done for a name that no host has`(host: String) throws {
    let context = try TLSContext(
      certificateAuthorityFile: nil, verify: true, applicationProtocols: [])
    let error = errorThrown { () throws(TLSError) in
      _ = try TLSEngine(context: context, serverName: host)
    }
    #expect(error == .serverNameUnusable(host))
  }
}

@Suite struct `the files of a TLS context` {
  private func error(authorities path: String) -> TLSError? {
    errorThrown { () throws(TLSError) in
      _ = try TLSContext(
        certificateAuthorityFile: path, verify: true, applicationProtocols: ["http/1.1"])
    }
  }

  @Test func `are named when they do not exist`() {
    let path = "/nonexistent/authorities.pem"
    #expect(
      error(authorities: path)?.description
        == "cannot use /nonexistent/authorities.pem as certificate authorities "
        + "(No such file or directory): "
        + "--cacert needs a readable file of certificates in PEM form")
  }

  @Test func `are named when they hold no certificate`() throws {
    let path = TestCertificates.shared.api.key
    guard case .certificateAuthorityFileUnusable(path: path, _) = error(authorities: path) else {
      Issue.record("accepted a key as authorities")
      return
    }
  }

  @Test func `must hold a certificate and its own key`() {
    let certificates = TestCertificates.shared
    let error = errorThrown { () throws(TLSError) in
      _ = try TLSContext(
        certificateChainFile: certificates.api.certificate, keyFile: certificates.root.key,
        applicationProtocols: [])
    }
    #expect(
      error
        == .identityFileUnusable(path: certificates.root.key, reason: "key values mismatch"))
  }
}
