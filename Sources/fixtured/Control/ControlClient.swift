import FixtureEventLoop

/// Asks the control API of a replay, one request a connection, and waits for the answer.
struct ControlClient {
  let address: ListenAddress
  /// Of `FIXTURED_CONTROL_TOKEN`; nil for none.
  let token: String?

  /// How long nothing may come: the API answers at once, but its machine may be busy.
  private static let quietMax_ms: Int32 = 30_000
  /// Of an answer: a page of a journal has a thousand exchanges.
  private static let answerBytesMax = 256 << 20

  private static let version = Array("HTTP/1.1 ".utf8)

  /// What was answered.
  struct Answer {
    let status: Int
    let content: [UInt8]

    var isRefusal: Bool { !(200...299).contains(status) }
  }

  /// Why nothing was; one line.
  struct Failure: Error, Equatable {
    let description: String
  }

  /// - Parameter content: JSON; nil for none.
  func ask(
    _ method: String, _ target: String, _ content: [UInt8]?
  ) throws(Failure) -> Answer {
    var request = "\(method) \(target) HTTP/1.1\r\nHost: \(authority)\r\nConnection: close\r\n"
    if let token { request += "Authorization: Bearer \(token)\r\n" }
    if content != nil { request += "Content-Type: application/json\r\n" }
    request += "Content-Length: \(content?.count ?? 0)\r\n\r\n"
    let descriptor = try connect()
    defer { Socket.close(descriptor) }
    try send(Array(request.utf8) + (content ?? []), to: descriptor)
    return try answer(try receive(from: descriptor))
  }

  private var authority: String {
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    return "\(host):\(address.port)"
  }

  private func connect() throws(Failure) -> Int32 {
    let addresses: [SocketAddress]
    do throws(ResolveError) {
      addresses = try Resolver.lookUp(address.host, port: address.port).get()
    } catch {
      throw Failure(description: "\(error): name another --control HOST:PORT")
    }
    var reason = ""
    for address in addresses {
      do throws(SystemError) {
        let descriptor = try Socket.connect(to: address)
        let isDone = wait(descriptor, toWrite: true)
        let error = Socket.connectError(descriptor)
        if isDone, error == nil { return descriptor }
        Socket.close(descriptor)
        reason = error.map { "\($0)" } ?? "nobody answered"
      } catch {
        reason = "\(error)"
      }
    }
    throw Failure(
      description: "no control API at \(authority), \(reason): start fixtured replay with --control"
        + " \(authority), or name another here")
  }

  private func send(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
    var sent = 0
    while sent < bytes.count {
      let result = bytes.withUnsafeBytes {
        Socket.write(descriptor, UnsafeRawBufferPointer(rebasing: $0[sent...]))
      }
      switch result {
      case .bytes(let count): sent += count
      case .wouldBlock:
        guard wait(descriptor, toWrite: true) else { throw silent }
      // It may have been refused before it was sent whole: the answer tells.
      case .finished, .failed: return
      }
    }
  }

  private func receive(from descriptor: Int32) throws(Failure) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    var received: [UInt8] = []
    while received.count <= Self.answerBytesMax {
      switch Socket.read(descriptor, into: buffer) {
      case .bytes(let count):
        received += buffer[..<count]
        // Another program may wait for more from us.
        guard received.starts(with: Self.version.prefix(received.count)) else { return received }
      case .wouldBlock:
        guard wait(descriptor, toWrite: false) else { throw silent }
      case .finished: return received
      case .failed(let error):
        throw Failure(description: "the control API at \(authority) left: \(error)")
      }
    }
    throw Failure(
      description:
        "\(authority) sent more than \(Self.answerBytesMax >> 20) MiB, name the HOST:PORT"
        + " that a replay prints as \"control on\"")
  }

  private func answer(_ bytes: [UInt8]) throws(Failure) -> Answer {
    let head = bytes.prefix(16).split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)), head.count > 1,
      head[0] == "HTTP/1.1", let status = Int(head[1])
    else {
      throw Failure(
        description: "\(authority) sent no answer, name the HOST:PORT that a replay prints as"
          + " \"control on\"")
    }
    return Answer(status: status, content: Array(bytes[end.upperBound...]))
  }

  private var silent: Failure {
    Failure(
      description: "the control API at \(authority) has not answered for"
        + " \(Self.quietMax_ms / 1000) s: try again")
  }

  private func wait(_ descriptor: Int32, toWrite: Bool) -> Bool {
    Socket.wait(descriptor, toWrite: toWrite, timeout_ms: Self.quietMax_ms)
  }
}
