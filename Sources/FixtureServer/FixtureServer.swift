import FixtureReplay
import FixtureServing
@_exported public import FixtureSetup
import FoundationEssentials
import Synchronization

/// An HTTP server inside a test's process, on 127.0.0.1 and a free port of its own. It answers with
/// what a handler returns, or from a cassette.
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
///     let replay = try await FixtureServer.start(
///       replaying: try Cassette(named: "feed"), scenario: "GET /feed: first 2, status 503")
///
/// It stops when it is released, too. Any number can run at once.
public final class FixtureServer: Sendable {
  /// A request's content beyond this is refused with status 413.
  public static let contentBytesMax = 64 << 20

  /// `http://127.0.0.1:PORT`, without a path; the same after a restart. Of a cassette with several
  /// upstreams it is the first one's.
  public let baseURL: URL
  /// Where the upstreams of a cassette are served, by their names; empty when they have none.
  public let baseURLs: [String: URL]
  let engine: ServingEngine
  private let journal: Journal
  private let running: Mutex<ServingEngine.Running?>

  /// Why a server does not run.
  public enum Failure: Error, Equatable, CustomStringConvertible {
    /// Somebody else listens on the port meanwhile.
    case portTaken(Int)
    /// The system refused a port, a thread or a descriptor; what it said.
    case system(String)
    /// The cassette, the scenario or an option can't be followed.
    case setup(FixtureFailure)

    /// What, where, and what to do.
    public var description: String {
      switch self {
      case .portTaken(let port):
        "127.0.0.1:\(port) is taken meanwhile: stop who has it, or start another server"
      case .system(let said): "a server can't be started: \(said): stop some that run"
      case .setup(let failure): failure.description
      }
    }

    init(_ error: ServerError) {
      switch error {
      case .listen(_, let port, let error) where error.isAddressInUse:
        self = .portTaken(Int(port))
      case .store, .upstreamInvalid: self = .setup(.cassetteRefused(error.description))
      case .wordUnperformed, .connectionRulesFixed, .tagsTooMany:
        self = .setup(.scenarioInvalid(error.description))
      case .listen, .system, .controlTokenMissing, .controlTokenInvalid,
        .sessionPortsTaken:
        self = .system(error.description)
      }
    }
  }

  private init(_ engine: ServingEngine) throws(Failure) {
    let server: ServingEngine.Running
    do throws(ServerError) {
      server = try engine.start()
    } catch {
      throw Failure(error)
    }
    self.engine = engine
    journal = engine.journal
    let addresses = server.addresses
    baseURL = Self.url(addresses[0])
    baseURLs = Dictionary(
      addresses.compactMap { address in address.name.map { ($0, Self.url(address)) } }
    ) { first, _ in first }
    running = Mutex(server)
  }

  private static func url(_ address: ListenerAddress) -> URL {
    guard let url = URL(string: address.url) else {
      preconditionFailure("\(address.url) is no URL")
    }
    return url
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
    try FixtureServer(ServingEngine(.handler(handler)))
  }

  /// Starts a server that answers from a cassette, as `fixtured replay` does.
  ///
  /// - Parameters:
  ///   - scenario: the rules in force; nil for none.
  ///   - options: as those of the command.
  /// - Throws: `Failure.setup` when one of them can't be followed; another when the system has no
  ///   port or thread left.
  public static func start(
    replaying cassette: Cassette, scenario: FixtureScenario? = nil,
    options: FixtureOptions = FixtureOptions()
  ) async throws(Failure) -> FixtureServer {
    let setup: ReplaySetup
    do {
      setup = try ReplaySetup(cassette, scenario: scenario, options: options)
    } catch {
      throw .setup(error)
    }
    return try FixtureServer(ServingEngine(.replay(setup)))
  }

  /// Ends every connection and listens no more: who connects is refused. `exchanges` and counts
  /// stay, and the places in a cassette's sequences. Does nothing when it is stopped already.
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
        running = try engine.start()
      } catch {
        throw Failure(error)
      }
    }
  }

  /// In the order in which request heads were read: also those that are not answered yet, that
  /// failed, or that their client left. Beyond 100,000 of them, or 256 MiB of contents, the oldest
  /// are forgotten.
  public var exchanges: [Exchange] { journal.entries.map { Exchange($0) } }

  /// Bytes of all responses, heads and bodies, that were sent so far.
  public var bytesSent: Int { Int(journal.totals.bytesSent) }

  /// Of those, the bytes of bodies.
  public var bodyBytesSent: Int { Int(journal.totals.bodyBytesSent) }

  /// How many exchanges the client left before it had been sent everything.
  public var aborted: Int { journal.totals.aborted }

  /// What of a cassette's requests had no recording: once for each different one, what was asked,
  /// the nearest recordings and what to do.
  public var misses: [String] { engine.remarks.misses }

  /// What else whoever wrote the scenario or recorded the cassette should know, once each: rules
  /// that can do nothing to an answer, answers that the client may not be able to read.
  public var warnings: [String] { engine.remarks.warnings }

  /// The recordings that no request was answered from so far.
  ///
  /// Empty when the cassette can't be read any more: `warnings` say so.
  public var unusedRecordings: [FixtureRecording] { engine.unusedRecordings }

  /// Where plays wait whose rule says `hold NAME`, until the test releases them.
  public func gate(_ name: String) -> FixtureGate { engine.gate(name) }

  /// What the scenario draws from; nil without one.
  public var seed: UInt64? { engine.seed }

  /// Returns once no exchange is open: then nothing that `exchanges` says changes any more, unless
  /// another request comes.
  public func waitUntilSettled() async {
    await withCheckedContinuation { continuation in
      journal.whenSettled { continuation.resume() }
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

/// Runs `body` with a server that answers from a cassette, which has stopped when this returns.
public func withFixtureServer<Value>(
  replaying cassette: Cassette, scenario: FixtureScenario? = nil,
  options: FixtureOptions = FixtureOptions(), body: (FixtureServer) async throws -> Value
) async throws -> Value {
  let server = try await FixtureServer.start(
    replaying: cassette, scenario: scenario, options: options)
  defer { server.stop() }
  return try await body(server)
}
