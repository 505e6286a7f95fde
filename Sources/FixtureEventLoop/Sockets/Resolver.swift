import Glibc
import Synchronization

/// Looks up host names (getaddrinfo) on threads of its own, so that no loop waits for them.
///
/// Lookups in progress each have a thread; further ones wait for one of those. Nothing is cached:
/// that is the system's.
package final class Resolver: Sendable {
  package typealias Answer = Result<[SocketAddress], ResolveError>

  /// How many lookups are in progress at once: more than a recording has upstreams to connect to.
  package static let threadsMax = 8
  /// How many lookups may wait for their turn.
  package static let waitingMax = 1024

  private struct State {
    var threads = 0
    var waiting: [@Sendable () -> Void] = []
  }

  private enum Turn { case now, later, never }

  private let state = Mutex(State())

  package init() {}

  /// Looks up `host` and calls `completion` on `loop` with its addresses in the order to try them,
  /// at least one. An address literal is answered without a lookup, but not before this returns.
  ///
  /// When the loop has gone meanwhile, `completion` isn't called.
  package func resolve(
    _ host: String, port: UInt16, on loop: LoopHandle,
    completion: @escaping @Sendable (Answer) -> Void
  ) {
    if let address = SocketAddress(literal: host, port: port) {
      loop.post { completion(.success([address])) }
      return
    }
    enqueue {
      let answer = Self.lookUp(host, port: port)
      loop.post { completion(answer) }
    } refused: { reason in
      loop.post { completion(.failure(ResolveError(host: host, message: reason))) }
    }
  }

  private func enqueue(_ lookup: @escaping @Sendable () -> Void, refused: (String) -> Void) {
    let turn: Turn = state.withLock { state in
      if state.threads < Self.threadsMax {
        state.threads += 1
        return .now
      }
      guard state.waiting.count < Self.waitingMax else { return .never }
      state.waiting.append(lookup)
      return .later
    }
    switch turn {
    case .now: startThread(lookup, refused: refused)
    case .later: break
    case .never: refused("\(Self.waitingMax) lookups are waiting already")
    }
  }

  private func startThread(_ lookup: @escaping @Sendable () -> Void, refused: (String) -> Void) {
    do throws(SystemError) {
      let thread = try SystemThread.start(name: "resolver") { [self] in
        lookup()
        while let next = nextLookup() { next() }
      }
      pthread_detach(thread)
    } catch {
      state.withLock { $0.threads -= 1 }
      refused("\(error)")
    }
  }

  /// What waits longest; without any, the thread that asks is counted out.
  private func nextLookup() -> (@Sendable () -> Void)? {
    state.withLock { state in
      if state.waiting.isEmpty {
        state.threads -= 1
        return nil
      }
      return state.waiting.removeFirst()
    }
  }

  /// Looks up `host` on the calling thread, for as long as it takes.
  package static func lookUp(_ host: String, port: UInt16) -> Answer {
    // getaddrinfo takes an empty name for a missing one and a NUL for the end.
    guard !host.isEmpty, !host.utf8.contains(0) else {
      return .failure(ResolveError(host: host, message: "not a host name"))
    }
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(host, "\(port)", &hints, &list)
    guard result == 0 else {
      let reason = result == EAI_SYSTEM ? UnsafePointer(strerror(errno)) : gai_strerror(result)
      return .failure(ResolveError(host: host, message: String(cString: reason!)))
    }
    defer { freeaddrinfo(list) }
    let found = addresses(list)
    return found.isEmpty
      ? .failure(ResolveError(host: host, message: "no IPv4 or IPv6 address"))
      : .success(found)
  }

  private static func addresses(_ list: UnsafeMutablePointer<addrinfo>?) -> [SocketAddress] {
    var found: [SocketAddress] = []
    var next = list
    while let item = next?.pointee {
      if let address = item.ai_addr.flatMap({ SocketAddress($0) }), !found.contains(address) {
        found.append(address)
      }
      next = item.ai_next
    }
    return found
  }
}
