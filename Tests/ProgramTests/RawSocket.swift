import Glibc

/// A blocking TCP socket without any idea of HTTP: it sends and receives what the test says.
final class RawSocket: @unchecked Sendable {
  // @unchecked: used by one thread at a time; a test hands it over, it does not share it.
  private var descriptor: Int32

  /// How a receive ended.
  enum End: Equatable {
    /// FIN.
    case finished
    /// RST.
    case reset
    /// The time was up, the connection is open.
    case open
  }

  init(descriptor: Int32) {
    self.descriptor = descriptor
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
  }

  /// Connects to a loopback port.
  /// - Parameter receiveBuffer: bytes the kernel takes while nobody reads; nil for the usual.
  init(port: UInt16, receiveBuffer: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4) }
    var address = Self.loopback(port)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw SocketError(call: "connect", errno: errno) }
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
  }

  deinit { close() }

  /// What became of an attempt to connect.
  enum Attempt {
    case connected(RawSocket)
    case failed(errno: Int32)
    /// Neither in the time that was given.
    case open

    var socket: RawSocket? { if case .connected(let socket) = self { socket } else { nil } }
    var errno: Int32? { if case .failed(let errno) = self { errno } else { nil } }
    var isOpen: Bool { if case .open = self { true } else { false } }
  }

  /// Tries to connect to a loopback port, without a wait for longer than this.
  static func attempt(port: UInt16, within timeout: Duration) -> Attempt {
    let descriptor = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    let socket = RawSocket(descriptor: descriptor)
    var address = loopback(port)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 || errno == EINPROGRESS else { return .failed(errno: errno) }
    guard socket.waits(timeout, for: Int16(POLLOUT)) else { return .open }
    var error: Int32 = 0
    var length = socklen_t(4)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
    guard error == 0 else { return .failed(errno: error) }
    _ = fcntl(descriptor, F_SETFL, 0)
    return .connected(socket)
  }

  static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// A loopback port that nobody listens on.
  static func unusedPort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(descriptor) }
    var address = loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard bound else { throw SocketError(call: "bind", errno: errno) }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Sends everything.
  /// - Returns: false when the peer is gone.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0 { return false }
      sent += count
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Receives until `isWhole` says so, the peer ends, or the time is up.
  func receive(
    within timeout: Duration = .seconds(10), until isWhole: ([UInt8]) -> Bool = { _ in false }
  ) -> (bytes: [UInt8], end: End) {
    let deadline = ContinuousClock.now + timeout
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while !isWhole(received) {
      let left = deadline - ContinuousClock.now
      guard left > .zero, waits(left) else { return (received, .open) }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0 { return (received, .reset) }
      if count == 0 { return (received, .finished) }
      received += buffer[..<count]
    }
    return (received, .open)
  }

  /// Waits for something to come, then receives until the peer ends or nothing more comes for a
  /// while.
  func receiveAnswer() -> (bytes: [UInt8], end: End) {
    var (received, end) = receive { !$0.isEmpty }
    while end == .open, !received.isEmpty {
      // What takes many writes may pause between them on a busy machine.
      let quiet = Duration.milliseconds(received.count > 1 << 16 ? 1500 : 200)
      let more = receive(within: quiet) { !$0.isEmpty }
      end = more.end
      if more.bytes.isEmpty { break }
      received += more.bytes
    }
    return (received, end)
  }

  private func waits(_ left: Duration, for events: Int16 = Int16(POLLIN)) -> Bool {
    var entry = pollfd(fd: descriptor, events: events, revents: 0)
    let (seconds, attoseconds) = left.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    return poll(&entry, 1, Int32(max(1, milliseconds))) > 0
  }

  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// RST instead of FIN.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }
}

/// A system call that failed.
struct SocketError: Error {
  let call: String
  let errno: Int32
}
