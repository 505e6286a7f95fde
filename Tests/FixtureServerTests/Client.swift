import Foundation
import FoundationNetworking
import Glibc
import Synchronization
import Testing

/// A client of its own for each test, so that none shares connections with another.
struct Client {
  let session: URLSession
  /// Never let go of: to end a session whose connections are open ends the process now and then,
  /// with URLSession of Swift 6.3 on Linux.
  private static let kept = Mutex<[URLSession]>([])

  init(connections: Int = 6, idleTimeout: TimeInterval = 10) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = connections
    configuration.timeoutIntervalForRequest = idleTimeout
    session = URLSession(configuration: configuration)
    let session = session
    Self.kept.withLock { $0.append(session) }
  }

  func get(_ url: URL) async throws -> (status: Int, body: Data, response: HTTPURLResponse) {
    let (body, response) = try await session.data(from: url)
    let http = try #require(response as? HTTPURLResponse)
    return (http.statusCode, body, http)
  }

  /// The code of the error that a request ends with.
  func failure(_ url: URL) async -> URLError.Code? {
    do {
      _ = try await session.data(from: url)
      return nil
    } catch {
      return (error as? URLError)?.code
    }
  }
}

/// A TCP connection without any HTTP of its own.
final class RawConnection {
  let descriptor: Int32

  init(to url: URL) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(try #require(url.port)).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    try #require(result == 0, "connect: \(String(cString: strerror(errno)))")
    var timeout = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  func send(_ text: String) { Self.send(text, on: descriptor) }

  static func send(_ text: String, on descriptor: Int32) {
    _ = text.withCString { Glibc.send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
  }

  /// What one read gives; nil at the end, or after an error.
  func read() async -> String? {
    await offPool { [descriptor] in Self.read(descriptor).text }
  }

  /// Reads until the connection ends.
  /// - Returns: everything, and the error number of its end, 0 after a FIN.
  func readAll() async -> (text: String, errno: Int32) {
    await offPool { [descriptor] in Self.readAll(descriptor) }
  }

  /// Reads until the text ends like this.
  func read(through end: String) async -> String {
    await offPool { [descriptor] in
      var text = ""
      while !text.hasSuffix(end), let more = Self.read(descriptor).text { text += more }
      return text
    }
  }

  /// What single reads give until the connection ends, and when.
  func pieces() async -> [(text: String, instant: ContinuousClock.Instant)] {
    await offPool { [descriptor] in
      var pieces: [(text: String, instant: ContinuousClock.Instant)] = []
      while let text = Self.read(descriptor).text { pieces.append((text, ContinuousClock.now)) }
      return pieces
    }
  }

  private static func read(_ descriptor: Int32) -> (text: String?, errno: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { return (String(decoding: buffer[..<count], as: UTF8.self), 0) }
    return (nil, count == 0 ? 0 : errno)
  }

  static func readAll(_ descriptor: Int32) -> (text: String, errno: Int32) {
    var text = ""
    while true {
      let (more, error) = read(descriptor)
      guard let more else { return (text, error) }
      text += more
    }
  }
}

/// Runs what blocks, or measures time, on a thread of its own: the few that tests run on are
/// needed by others, and may be taken by them.
func offPool<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(returning: body()) }
  }
}

extension Duration {
  /// For comparisons with figures.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

/// Waits until a condition holds; loose, for what another thread does soon.
func eventually(_ condition: () -> Bool) async throws -> Bool {
  for _ in 0..<1_000 {
    if condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return condition()
}
