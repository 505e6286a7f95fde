import FixtureServing
import FoundationEssentials
import Synchronization

/// An HTTP server inside a test's process, on 127.0.0.1 and a free port of its own. It answers with
/// what a handler returns.
///
///     let server = try await FixtureServer.start { request in
///       switch request.path {
///       case "/slow": .text("at last", delay: .seconds(1))
///       default: .text("not found", status: 404)
///       }
///     }
///     defer { server.stop() }
///     let url = server.baseURL.appending(path: "slow")
///
/// It stops when it is released, too. Any number can run at once.
public final class FixtureServer: Sendable {
  /// A request's content beyond this is refused with status 413.
  public static let contentBytesMax = 64 << 20

  /// `http://127.0.0.1:PORT`, without a path; the same after a restart.
  public let baseURL: URL
  private let port: UInt16
  private let log: ExchangeLog
  private let handler: HandlerResponder.Handler
  private let running: Mutex<HandlerServer?>

  /// Why a server does not run.
  public enum Failure: Error, Equatable, CustomStringConvertible {
    /// Somebody else listens on the port meanwhile.
    case portTaken(Int)
    /// The system refused a port, a thread or a descriptor; what it said.
    case system(String)

    /// What, where, and what to do.
    public var description: String {
      switch self {
      case .portTaken(let port):
        "127.0.0.1:\(port) is taken meanwhile: stop who has it, or start another server"
      case .system(let said): "a server can't be started: \(said): stop some that run"
      }
    }

    init(_ error: ServerError) {
      if case .listen(_, let port, let error) = error, error.isAddressInUse {
        self = .portTaken(Int(port))
      } else {
        self = .system(error.description)
      }
    }
  }

  private init(_ handler: @escaping HandlerResponder.Handler) throws(Failure) {
    let log = ExchangeLog()
    let server: HandlerServer
    do throws(ServerError) {
      server = try HandlerServer(port: 0, log: log, handler: handler)
    } catch {
      throw Failure(error)
    }
    self.log = log
    self.handler = handler
    port = server.port
    running = Mutex(server)
    guard let url = URL(string: "http://127.0.0.1:\(server.port)") else {
      preconditionFailure("http://127.0.0.1:\(server.port) is no URL")
    }
    baseURL = url
  }

  deinit { stop() }

  /// Starts a server whose requests are answered by a handler.
  ///
  /// - Parameter handler: called for each request once it was read to its end, concurrently for
  ///   different connections. Its task is cancelled when the client leaves. What it throws becomes
  ///   the content of a 500.
  /// - Throws: `Failure`, when the system has no port or thread left.
  public static func start(
    _ handler: @escaping @Sendable (Request) async throws -> Response
  ) async throws(Failure) -> FixtureServer {
    try FixtureServer(handler)
  }

  /// Ends every connection and listens no more: who connects is refused. `exchanges` and counts
  /// stay. Does nothing when it is stopped already.
  public func stop() {
    let server = running.withLock { running in
      defer { running = nil }
      return running
    }
    server?.stop()
  }

  /// Listens again, on the same port, with the exchanges of before. Does nothing while it runs.
  /// - Throws: `Failure`, when somebody else has the port meanwhile.
  public func restart() throws(Failure) {
    try running.withLock { running throws(Failure) in
      guard running == nil else { return }
      do throws(ServerError) {
        running = try HandlerServer(port: port, log: log, handler: handler)
      } catch {
        throw Failure(error)
      }
    }
  }

  /// In the order in which request heads were read: also those that are not answered yet, that
  /// failed, or that their client left. Beyond 100,000 of them, or 256 MiB of contents, the oldest
  /// are forgotten.
  public var exchanges: [Exchange] { log.entries.map { Exchange($0) } }

  /// Bytes of all responses, heads and bodies, that were sent so far.
  public var bytesSent: Int { Int(log.totals.bytesSent) }

  /// Of those, the bytes of bodies.
  public var bodyBytesSent: Int { Int(log.totals.bodyBytesSent) }

  /// How many exchanges the client left before it had been sent everything.
  public var aborted: Int { log.totals.aborted }

  /// Returns once no exchange is open: then nothing that `exchanges` says changes any more, unless
  /// another request comes.
  public func waitUntilSettled() async {
    await withCheckedContinuation { continuation in
      log.whenSettled { continuation.resume() }
    }
  }
}

/// Runs `body` with a server of its own, which has stopped when this returns.
public func withFixtureServer<Value>(
  _ handler: @escaping @Sendable (FixtureServer.Request) async throws -> FixtureServer.Response,
  body: (FixtureServer) async throws -> Value
) async throws -> Value {
  let server = try await FixtureServer.start(handler)
  defer { server.stop() }
  return try await body(server)
}
