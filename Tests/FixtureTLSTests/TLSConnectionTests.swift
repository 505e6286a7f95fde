import FixtureTLS
import Testing

@Suite struct `a TLS connection` {
  @Test(arguments: [1, 7, 65_536])
  func `is established from ciphertext in pieces of any size`(pieceSize: Int) throws {
    let pair = try EnginePair(pieceSize: pieceSize)
    #expect(!pair.client.isEstablished)
    try pair.handshake()
    #expect(pair.client.isEstablished)
    #expect(pair.server.isEstablished)
  }

  @Test(arguments: [1, 65_536])
  func `carries a request and its response`(pieceSize: Int) throws {
    let pair = try EnginePair(pieceSize: pieceSize)
    try pair.handshake()
    let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)
    #expect(try pair.transfer(request, from: pair.client, to: pair.server) == request)
    let response = Array("HTTP/1.1 204 \r\n\r\n".utf8)
    #expect(try pair.transfer(response, from: pair.server, to: pair.client) == response)
  }

  @Test func `carries several megabytes both ways unchanged`() throws {
    let pair = try EnginePair(pieceSize: 9_973)
    try pair.handshake()
    let bytes = patternedBytes(5_000_003)
    #expect(try pair.transfer(bytes, from: pair.client, to: pair.server) == bytes)
    #expect(try pair.transfer(bytes, from: pair.server, to: pair.client) == bytes)
  }

  @Test func `accepts no more plaintext while a bounded amount of ciphertext waits`() throws {
    let pair = try EnginePair()
    try pair.handshake()
    let bytes = patternedBytes(1_000_000)
    let accepted = try pair.client.write(bytes[...])
    #expect(accepted >= TLSLimits.pendingCiphertextMax - 16_384)
    #expect(accepted <= TLSLimits.pendingCiphertextMax + 16_384)
    #expect(try pair.client.write(bytes[accepted...]) == 0)
    try pair.move(from: pair.client, to: pair.server)
    #expect(try pair.server.readAll().bytes == Array(bytes[..<accepted]))
    #expect(try pair.client.write(bytes[accepted...]) > 0)
  }

  @Test func `takes no plaintext and gives none before the handshake is complete`() throws {
    let pair = try EnginePair()
    try pair.client.start()
    #expect(try pair.client.write("early") == 0)
    let read = try pair.client.readAll()
    #expect(read.bytes.isEmpty)
    #expect(read.end == .wantsMore)
  }

  @Test func `is closed after the peer's close_notify and still writes`() throws {
    let pair = try EnginePair()
    try pair.handshake()
    #expect(try pair.server.write("last words") == 10)
    try pair.server.shutdown()
    try pair.move(from: pair.server, to: pair.client)
    try pair.client.receivedEOF()
    let read = try pair.client.readAll()
    #expect(String(decoding: read.bytes, as: UTF8.self) == "last words")
    #expect(read.end == .closed)
    let answer = Array("thanks".utf8)
    #expect(try pair.transfer(answer, from: pair.client, to: pair.server) == answer)
  }

  @Test func `is truncated when the transport ends without close_notify`() throws {
    let pair = try EnginePair()
    try pair.handshake()
    #expect(try pair.server.write("half of it") == 10)
    try pair.move(from: pair.server, to: pair.client)
    try pair.client.receivedEOF()
    let read = try pair.client.readAll()
    #expect(String(decoding: read.bytes, as: UTF8.self) == "half of it")
    #expect(read.end == .truncated)
  }

  @Test func `is truncated when the transport ends inside a record`() throws {
    let pair = try EnginePair()
    try pair.handshake()
    _ = try pair.client.readAll()
    #expect(try pair.server.write("half of it") == 10)
    var record: [UInt8] = []
    try pair.server.takeCiphertext(into: &record)
    try pair.client.receive(record.dropLast())
    try pair.client.receivedEOF()
    let read = try pair.client.readAll()
    #expect(read.bytes.isEmpty)
    #expect(read.end == .truncated)
  }

  @Test func `fails with the peer's name when the transport ends in the handshake`() throws {
    let pair = try EnginePair()
    try pair.client.start()
    let error = errorThrown { () throws(TLSError) in try pair.client.receivedEOF() }
    #expect(error == .endedInHandshake(host: "api.test"))
  }

  @Test func `fails for good when a record was changed on its way`() throws {
    let pair = try EnginePair()
    try pair.handshake()
    #expect(try pair.server.write("secret") == 6)
    var record: [UInt8] = []
    try pair.server.takeCiphertext(into: &record)
    record[record.count - 1] ^= 1
    try pair.client.receive(record[...])
    let expected = TLSError.protocolViolated(
      host: "api.test", reasons: ["decryption failed or bad record mac"])
    for _ in 0..<2 {
      #expect(errorThrown { () throws(TLSError) in _ = try pair.client.readAll() } == expected)
    }
    #expect(errorThrown { () throws(TLSError) in _ = try pair.client.write("x") } == expected)
    #expect(pair.client.hasCiphertext, "the alert for the peer")
  }

  @Test func `is refused when the peer does not speak TLS`() throws {
    let pair = try EnginePair()
    try pair.client.start()
    let answer = Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8)
    let error = errorThrown { () throws(TLSError) in try pair.client.receive(answer[...]) }
    #expect(error == .notTLS(host: "api.test"))
    #expect(
      error?.description
        == "api.test did not answer in TLS: check the port, or use http:// for it")
  }

  @Test func `agrees on HTTP/1.1 when both know it`() throws {
    let pair = try EnginePair(offered: ["http/1.1"], accepted: ["h2", "http/1.1"])
    #expect(pair.client.negotiatedProtocol == nil)
    try pair.handshake()
    #expect(pair.client.negotiatedProtocol == "http/1.1")
    #expect(pair.server.negotiatedProtocol == "http/1.1")
  }

  @Test func `agrees on no protocol when the server takes no part in the choice`() throws {
    let pair = try EnginePair(accepted: [])
    try pair.handshake()
    #expect(pair.client.isEstablished)
    #expect(pair.client.negotiatedProtocol == nil)
  }

  @Test func `is refused by a server that speaks only HTTP/2`() throws {
    let pair = try EnginePair(offered: ["http/1.1"], accepted: ["h2"])
    try pair.server.start()
    try pair.client.start()
    #expect(
      errorThrown { () throws(TLSError) in try pair.move(from: pair.client, to: pair.server) }
        != nil)
    let error = errorThrown { () throws(TLSError) in
      try pair.move(from: pair.server, to: pair.client)
    }
    #expect(
      error == .alertReceived(host: "api.test", code: 120, name: "no application protocol"))
  }

  @Test func `does nothing for a shutdown before the handshake and a second one`() throws {
    let pair = try EnginePair()
    try pair.client.shutdown()
    #expect(!pair.client.hasCiphertext)
    try pair.handshake()
    try pair.client.shutdown()
    #expect(try !pair.move(from: pair.client, to: pair.server).isEmpty)
    try pair.client.shutdown()
    #expect(!pair.client.hasCiphertext)
  }

  @Test func `shares its context with connections on other threads`() async throws {
    let certificates = TestCertificates.shared
    let clients = try TLSContext(
      certificateAuthorityFile: certificates.root.certificate, verify: true,
      applicationProtocols: ["http/1.1"])
    let established = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 {
        group.addTask { EnginePair.establishes(clients, certificates.api) }
      }
      return await group.reduce(into: 0) { count, done in count += done ? 1 : 0 }
    }
    #expect(established == 16)
  }
}
