import Foundation
import Glibc
import Synchronization

/// An origin server that does exactly what a test says, on a raw socket: one call of the script for
/// each connection, on a thread of its own.
final class ScriptedUpstream: Sendable {
  let port: UInt16
  private let listener: Int32
  private let log = Mutex<[[UInt8]]>([])

  /// One accepted connection in the script's hands.
  final class Connection {
    let socket: RawSocket
    /// Which connection of this upstream it is, from 0.
    let number: Int
    private let upstream: ScriptedUpstream
    private var pending: [UInt8] = []

    init(socket: RawSocket, number: Int, upstream: ScriptedUpstream) {
      self.socket = socket
      self.number = number
      self.upstream = upstream
    }

    /// Whether it has carried more than one request.
    private(set) var isReused = false
    private var isUsed = false

    /// Reads one request with its body as its own framing says.
    /// - Returns: nil when the client ended first.
    func request() -> [UInt8]? {
      isReused = isUsed
      isUsed = true
      guard let head = take(upTo: "\r\n\r\n") else { return nil }
      var request = head
      let text = String(decoding: head, as: UTF8.self).lowercased()
      if let range = text.range(of: "content-length:") {
        let digits = text[range.upperBound...].drop { $0 == " " }.prefix { $0.isNumber }
        request += take(count: Int(digits) ?? 0) ?? []
      } else if text.contains("transfer-encoding: chunked") {
        request += take(upTo: "0\r\n\r\n") ?? []
      }
      upstream.log.withLock { $0.append(request) }
      return request
    }

    /// Only the head of a request.
    func head() -> [UInt8]? {
      let head = take(upTo: "\r\n\r\n")
      if let head { upstream.log.withLock { $0.append(head) } }
      return head
    }

    /// Host and port that this connection came to.
    var address: String { "127.0.0.1:\(upstream.port)" }

    func send(_ bytes: [UInt8]) { socket.send(bytes) }
    func send(_ text: String) { socket.send(text) }
    func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }

    func take(upTo end: String) -> [UInt8]? {
      let end = Array(end.utf8)
      while true {
        if let found = pending.firstRange(of: end) {
          defer { pending.removeSubrange(..<found.upperBound) }
          return Array(pending[..<found.upperBound])
        }
        guard fill() else { return nil }
      }
    }

    func take(count: Int) -> [UInt8]? {
      while pending.count < count { guard fill() else { return nil } }
      defer { pending.removeSubrange(..<count) }
      return Array(pending[..<count])
    }

    private func fill() -> Bool {
      let (bytes, _) = socket.receive(within: .seconds(30)) { !$0.isEmpty }
      pending += bytes
      return !bytes.isEmpty
    }
  }

  /// - Parameters:
  ///   - receiveBuffer: bytes the kernel takes for it while it does not read; nil for the usual.
  ///   - script: ends the connection by returning (FIN), or by `socket.reset()`.
  init(
    receiveBuffer: Int32? = nil, _ script: @escaping @Sendable (Connection) -> Void
  ) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    if var receiveBuffer { setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4) }
    var address = RawSocket.loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 128) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard bound else { throw SocketError(call: "bind", errno: errno) }
    port = UInt16(bigEndian: address.sin_port)
    Worker.start { [self] in
      var number = 0
      while true {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        let current = number
        number += 1
        Worker.start {
          let connection = Connection(
            socket: RawSocket(descriptor: descriptor), number: current, upstream: self)
          script(connection)
          connection.socket.close()
        }
      }
    }
  }

  /// Answers every request on every connection with the same bytes and keeps it open.
  static func answering(_ answer: [UInt8]) throws -> ScriptedUpstream {
    try ScriptedUpstream { connection in
      while connection.request() != nil { connection.send(answer) }
    }
  }

  static func answering(_ answer: String) throws -> ScriptedUpstream {
    try answering(Array(answer.utf8))
  }

  static func wait(milliseconds: UInt32) { usleep(milliseconds * 1000) }

  /// The target of a request that was read.
  static func target(of request: [UInt8]) -> [UInt8] {
    Array(request.split(separator: 0x20, maxSplits: 2)[1])
  }

  /// Every request read so far, in the order of their ends.
  var requests: [[UInt8]] { log.withLock { $0 } }

  var url: String { "http://127.0.0.1:\(port)" }

  /// Accepts no more.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}

/// A detached thread.
enum Worker {
  static func start(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    pthread_detach(thread)
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
