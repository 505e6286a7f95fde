import FixtureEventLoop
import FixtureHTTP
import FixtureHTTP1
import Synchronization

/// Brings requests that name a session in the field `Fixtured-Session` to that session, whichever
/// port they came by: for clients that can be given a field, but no other address.
///
/// A connection goes as a whole to the session of its next request, with what was read of it. So
/// all that serves a request there is the session's own.
package final class SessionRouter: Sendable {
  private let servers = Mutex<[String: ReplayServer]>([:])

  package init() {}

  func server(_ id: String) -> ReplayServer? { servers.withLock { $0[id] } }

  func add(_ server: ReplayServer, as id: String) { servers.withLock { $0[id] = server } }

  func remove(_ id: String) { servers.withLock { $0[id] = nil } }
}

/// A connection on its way to another session, with the request that leads there.
struct PassedConnection: Sendable {
  let socket: PassedSocket
  /// The port that the client came by.
  let entrance: Entrance
  let head: RequestHead
  let framing: BodyFraming
  /// Behind the head.
  let parser: RequestParser
  /// What was read behind the head.
  let rest: [UInt8]

  /// Where a connection was accepted.
  struct Entrance: Sendable {
    /// The session of its requests that name none.
    let session: String
    /// Of the upstreams.
    let route: Int
    /// All ports of that session, in the order of its upstreams.
    let ports: [UInt16]
  }
}

/// A socket on its way from one loop to another. A loop that stops meanwhile drops what it was to
/// do, and this with it: then the socket is closed, so that its client does not wait for ever.
final class PassedSocket: Sendable {
  /// Of the socket, for nothing but to choose a loop.
  let number: Int32
  private let isTaken = Atomic<Bool>(false)

  init(_ descriptor: Int32) {
    number = descriptor
  }

  deinit {
    if !isTaken.load(ordering: .acquiring) { Socket.close(number) }
  }

  /// The descriptor, from now on the caller's. To be called once.
  func take() -> Int32 {
    isTaken.store(true, ordering: .releasing)
    return number
  }
}

extension FieldName {
  static let fixturedSession = FieldName("fixtured-session")
}
