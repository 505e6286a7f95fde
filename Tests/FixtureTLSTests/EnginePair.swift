import FixtureTLS

/// A client's and a server's engine wired back to back, ciphertext moved in pieces of a given size.
final class EnginePair {
  let client: TLSEngine
  let server: TLSEngine
  /// The most bytes that one `receive` gets.
  let pieceSize: Int

  init(
    clients: TLSContext, servers: TLSContext, host: String, pieceSize: Int = 65_536
  ) throws(TLSError) {
    client = try TLSEngine(context: clients, serverName: host)
    server = try TLSEngine(accepting: servers)
    self.pieceSize = pieceSize
  }

  convenience init(
    host: String = "api.test", identity: TestCertificates.Identity = TestCertificates.shared.api,
    authorities: String? = TestCertificates.shared.root.certificate, verify: Bool = true,
    offered: [String] = ["http/1.1"], accepted: [String] = ["http/1.1"], pieceSize: Int = 65_536
  ) throws(TLSError) {
    let clients = try TLSContext(
      certificateAuthorityFile: authorities, verify: verify, applicationProtocols: offered)
    let servers = try TLSContext(
      certificateChainFile: identity.certificate, keyFile: identity.key,
      applicationProtocols: accepted)
    try self.init(clients: clients, servers: servers, host: host, pieceSize: pieceSize)
  }

  /// Starts both and moves ciphertext until both are silent.
  func handshake() throws(TLSError) {
    try server.start()
    try client.start()
    try settle()
  }

  /// Moves ciphertext both ways until neither side has any; at most twenty rounds.
  func settle() throws(TLSError) {
    for _ in 0..<20 {
      if !client.hasCiphertext && !server.hasCiphertext { return }
      try move(from: client, to: server)
      try move(from: server, to: client)
    }
  }

  /// Moves what one engine has to send to the other and returns it.
  @discardableResult
  func move(from sender: TLSEngine, to receiver: TLSEngine) throws(TLSError) -> [UInt8] {
    var bytes: [UInt8] = []
    try sender.takeCiphertext(into: &bytes)
    var start = 0
    while start < bytes.count {
      let end = min(start + pieceSize, bytes.count)
      try receiver.receive(bytes[start..<end])
      start = end
    }
    return bytes
  }

  /// Sends all the bytes from one engine to the other and returns what that one read.
  func transfer(
    _ bytes: [UInt8], from sender: TLSEngine, to receiver: TLSEngine
  ) throws(TLSError) -> [UInt8] {
    var arrived: [UInt8] = []
    var sent = 0
    while sent < bytes.count {
      sent += try sender.write(bytes[sent...])
      try move(from: sender, to: receiver)
      arrived += try receiver.readAll().bytes
    }
    return arrived
  }
}

extension EnginePair {
  /// Whether a client of the shared context and a new server complete a handshake.
  static func establishes(_ clients: TLSContext, _ identity: TestCertificates.Identity) -> Bool {
    do {
      let servers = try TLSContext(
        certificateChainFile: identity.certificate, keyFile: identity.key,
        applicationProtocols: ["http/1.1"])
      let pair = try EnginePair(clients: clients, servers: servers, host: "api.test")
      try pair.handshake()
      return pair.client.isEstablished && pair.server.isEstablished
    } catch {
      return false
    }
  }
}

extension TLSEngine {
  func receive(_ bytes: ArraySlice<UInt8>) throws(TLSError) {
    try bytes.withUnsafeBufferPointer { buffer throws(TLSError) in
      try receive(ciphertext: UnsafeRawBufferPointer(buffer))
    }
  }

  func write(_ bytes: ArraySlice<UInt8>) throws(TLSError) -> Int {
    try bytes.withUnsafeBufferPointer { buffer throws(TLSError) in
      try write(UnsafeRawBufferPointer(buffer))
    }
  }

  func write(_ text: String) throws(TLSError) -> Int { try write(Array(text.utf8)[...]) }

  /// Reads until there is no more, and returns the bytes and why it stopped.
  func readAll() throws(TLSError) -> (bytes: [UInt8], end: ReadResult) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let result = try buffer.withUnsafeMutableBufferPointer { space throws(TLSError) in
        try read(into: UnsafeMutableRawBufferPointer(space))
      }
      guard case .bytes(let count) = result else { return (bytes, result) }
      bytes += buffer[..<count]
    }
  }
}

/// Bytes that repeat only after 251, so that a piece out of place is noticed.
func patternedBytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 251) } }

/// Runs the body and returns the TLS error that it threw.
func errorThrown(by body: () throws(TLSError) -> Void) -> TLSError? {
  do throws(TLSError) {
    try body()
    return nil
  } catch {
    return error
  }
}
