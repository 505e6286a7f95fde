import Testing

/// Bodies are sent in several ways, by their size; what arrives must not depend on it.
@Suite struct BodySizeTests {
  /// Around the bounds of what is kept whole, shared with sockets, and streamed.
  static let sizes = [
    0, 1, 47 << 10, 48 << 10, (48 << 10) + 1, 64 << 10, (1 << 20) - 1, 1 << 20, (1 << 20) + 1,
    3 << 20,
  ]

  /// Bytes that tell where in the body they are.
  static func content(_ size: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      for index in 0..<size { buffer[index] = UInt8(truncatingIfNeeded: index ^ index >> 8) }
      count = size
    }
  }

  static func answer(_ size: Int) -> [UInt8] {
    bytes("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n") + content(size)
  }

  static func request(_ size: Int, version: String = "1.1") -> [UInt8] {
    bytes("GET /\(size) HTTP/\(version)\r\nHost: a.test\r\n\r\n")
  }

  @Test func `a body of any size arrives as it was, again and again`() throws {
    let upstream = try ScriptedUpstream { connection in
      while let head = connection.request() {
        let target = head.split(separator: 0x20)[1].dropFirst()
        connection.send(Self.answer(Int(String(decoding: target, as: UTF8.self)) ?? 0))
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    for size in Self.sizes {
      let client = try RawSocket(port: recorder.port())
      client.send(Self.request(size))
      let expected = Self.answer(size)
      let isSame = client.receive { $0.count >= expected.count }.bytes == expected
      #expect(isSame, "\(size) bytes while recording")
    }
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer()
    try checkPipelined(port: replayer.port())
    try checkOneByOne(port: replayer.port())
    #expect(replayer.stop().status == 0)
  }

  /// Equal bodies are kept once, behind one of their heads at a time.
  @Test(arguments: [64 << 10, 1 << 20])
  func `a body behind several heads arrives behind each of them`(size: Int) throws {
    @Sendable func answer(_ name: String) -> [UInt8] {
      bytes("HTTP/1.1 200 OK\r\nName: \(name)\r\nContent-Length: \(size)\r\n\r\n")
        + Self.content(size)
    }
    let upstream = try ScriptedUpstream { connection in
      while let head = connection.request() {
        let target = head.split(separator: 0x20)[1].dropFirst()
        connection.send(answer(String(decoding: target, as: UTF8.self)))
      }
    }
    func ask(_ names: [String], _ port: UInt16) throws -> Bool {
      let client = try RawSocket(port: port)
      return names.allSatisfy { name in
        client.send("GET /\(name) HTTP/1.1\r\nHost: a.test\r\n\r\n")
        let expected = answer(name)
        return client.receive { $0.count >= expected.count }.bytes == expected
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    #expect(try ask(["a", "bcd"], recorder.port()))
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer()
    // Often enough for the body to be moved to another head, and for all of the room to be used.
    let names = (0..<6).flatMap { _ in [String](repeating: "a", count: 20) + ["bcd", "a", "bcd"] }
    #expect(try ask(names, replayer.port()))
    #expect(try ask([String](repeating: "bcd", count: 40), replayer.port()))
    #expect(replayer.stop().status == 0)
  }

  /// All sizes on one connection, asked for at once and read late, so that sockets are full.
  private func checkPipelined(port: UInt16) throws {
    let client = try RawSocket(port: port)
    let sizes = Self.sizes + Self.sizes.reversed()
    client.send(Array(sizes.map { Self.request($0) }.joined()))
    ScriptedUpstream.wait(milliseconds: 200)
    let expected = Array(sizes.map { Self.answer($0) }.joined())
    let isSame = client.receive { $0.count >= expected.count }.bytes == expected
    #expect(isSame, "all sizes on one connection")
  }

  /// A client that can't keep the connection gets the same by the long way.
  private func checkOneByOne(port: UInt16) throws {
    for size in Self.sizes {
      let client = try RawSocket(port: port)
      client.send(Self.request(size, version: "1.0"))
      let (received, end) = client.receive()
      let isSame = received.suffix(size).elementsEqual(Self.content(size))
      #expect(isSame && end == .finished, "\(size) bytes for HTTP/1.0")
    }
  }

  /// What is sent behind one head is not sent behind another one.
  @Test func `a body that several answers share comes behind the head of each`() throws {
    let size = 64 << 10
    @Sendable func answer(_ name: String) -> [UInt8] {
      bytes("HTTP/1.1 200 OK\r\nX-Name: \(name)\r\nContent-Length: \(size)\r\n\r\n")
        + Self.content(size)
    }
    func request(_ name: String) -> [UInt8] {
      bytes("GET /\(name) HTTP/1.1\r\nHost: a.test\r\n\r\n")
    }
    let upstream = try ScriptedUpstream { connection in
      while let head = connection.request() {
        let name = head.split(separator: 0x20)[1].dropFirst()
        connection.send(answer(String(decoding: name, as: UTF8.self)))
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    for name in ["a", "b", "longer"] {
      let client = try RawSocket(port: recorder.port())
      client.send(request(name))
      _ = client.receive { $0.count >= answer(name).count }
    }
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer()
    let client = try RawSocket(port: replayer.port())
    let names = ["a", "b", "longer", "a", "a", "longer", "b"]
    client.send(Array(names.map(request).joined()))
    let expected = Array(names.map(answer).joined())
    let isSame = client.receive { $0.count >= expected.count }.bytes == expected
    #expect(isSame)
  }

  @Test func `answers that were asked for once do not stay in memory`() throws {
    let (size, count) = (47 << 10, 1200)
    let upstream = try ScriptedUpstream { connection in
      while connection.request() != nil { connection.send(Self.answer(size)) }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let answerSize = Self.answer(size).count
    func askAll(port: UInt16) throws {
      let client = try RawSocket(port: port)
      for number in 0..<count {
        client.send(bytes("GET /\(number) HTTP/1.1\r\nHost: a.test\r\n\r\n"))
        #expect(client.receive { $0.count >= answerSize }.bytes.count == answerSize)
      }
    }
    try askAll(port: recorder.port())
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer()
    try askAll(port: replayer.port())
    // 56 MB were sent; 24 MB of answers may be kept.
    #expect(try replayer.privateMemory() < 45 << 20)
  }
}
