import FixtureEventLoop
import FixtureReplay

/// What the connections of one loop share. Confined to that loop.
package final class ServingContext {
  package let loop: EventLoop
  package let bodies: BodySource
  /// How long a client that closed its side may still read (RFC 9112 §9.6) before it counts as
  /// gone: within the half second in which one that has left must be noticed, long enough for an
  /// answer without delay.
  package static let halfCloseGraceStandard_ns: Int64 = 400_000_000
  /// The same before the response began.
  let halfCloseGrace_ns: Int64
  /// The rates that connections share.
  let links: SharedLinks
  /// Whether answers may be due at a time after their request: then what comes is met with the
  /// clock of its own instant, not with that of the round it is read in.
  package var isTimed = false
  private var connections: [Int32: ServedConnection] = [:]
  /// Set while connections end with their exchanges; called when none is left.
  private var drained: (() -> Void)?
  private let onError: (String) -> Void
  /// Called when the cassette can't be read any more, beside the report of it.
  package var onDamage: () -> Void = {}
  /// Where the exchanges are written down; nil for nowhere.
  package var journal: Journal?
  /// Which session its connections belong to, and the way to others; nil where there are none.
  var sessionID = SessionTable.mainID
  var router: SessionRouter?
  /// Brings a play to a gate; see `ReplayConfiguration`.
  var enterGate: ReplayConfiguration.EnterGate?
  /// Called when a connection has ended.
  package var onClosed: () -> Void = {}
  /// The wall clock against the loop's, and until when it is taken to be so far off.
  private var ahead_us: Int64 = 0
  private var aheadUntil_ns: Int64 = .min
  /// What a scenario does to all connections.
  private var listening = Admission.Listening.accepting
  // Kept as flags because they are asked for several times a request, and comparing values of an
  // enum of another module took 150 instructions of each.
  /// Whether requests are read.
  private(set) var readsRequests = true
  private var isRefusing = false

  init(
    loop: EventLoop, bodies: BodySource,
    halfCloseGrace_ns: Int64 = ServingContext.halfCloseGraceStandard_ns, links: SharedLinks,
    onError: @escaping (String) -> Void
  ) {
    self.loop = loop
    self.bodies = bodies
    self.links = links
    self.halfCloseGrace_ns = halfCloseGrace_ns
    self.onError = onError
  }

  /// For connections that share nothing.
  package convenience init(
    loop: EventLoop, bodies: BodySource,
    halfCloseGrace_ns: Int64 = ServingContext.halfCloseGraceStandard_ns,
    onError: @escaping (String) -> Void
  ) {
    self.init(
      loop: loop, bodies: bodies, halfCloseGrace_ns: halfCloseGrace_ns, links: SharedLinks(),
      onError: onError)
  }

  /// Serves an accepted socket; closes it when the loop can't watch it.
  package func serve(descriptor: Int32, responder: any Responder) {
    serve(ServedConnection(descriptor: descriptor, context: self, responder: responder)) {}
  }

  /// Serves a socket that was accepted at this entrance.
  /// - Parameter passed: the request that it came with from another session; nil: none was read.
  func serve(
    descriptor: Int32, from entrance: PassedConnection.Entrance, with passed: PassedConnection?,
    responder: any Responder
  ) {
    let connection = ServedConnection(descriptor: descriptor, context: self, responder: responder)
    connection.entrance = entrance
    serve(connection) { if let passed { connection.resume(passed) } }
  }

  private func serve(_ connection: ServedConnection, then begin: () -> Void) {
    let descriptor = connection.descriptor
    // Accepted on another loop before that heard of it.
    if isRefusing {
      Socket.reset(descriptor)
      return onClosed()
    }
    do {
      try connection.start()
      begin()
    } catch {
      report("a connection was dropped: \(error)")
      Socket.close(descriptor)
      onClosed()
    }
  }

  /// When nothing listens any more, every connection ends with its exchange, and idle ones at once.
  /// While nothing answers, no request is read.
  func bring(to listening: Admission.Listening) {
    guard listening != self.listening else { return }
    self.listening = listening
    isRefusing = listening == .refusing
    readsRequests = listening != .silent
    for connection in Array(connections.values) {
      if isRefusing { connection.endIfIdle() } else { connection.listeningChanged() }
    }
  }

  /// Ends every connection, also in the middle of an exchange.
  package func abortAll() {
    isStopping = true
    for connection in Array(connections.values) { connection.abort() }
  }

  /// Ends every connection as soon as no exchange is open on it.
  /// - Parameter then: called once, when the last one has ended, perhaps before this returns.
  package func drain(_ then: @escaping () -> Void) {
    drained = then
    for connection in Array(connections.values) { connection.endIfIdle() }
    tellIfDrained()
  }

  /// The date of this round, µs since 1970. The wall clock is read once a second.
  var date_us: Int64 {
    if loop.now_ns >= aheadUntil_ns {
      ahead_us = WallClock.now_us() - loop.now_ns / 1000
      aheadUntil_ns = loop.now_ns + 1_000_000_000
    }
    return loop.now_ns / 1000 + ahead_us
  }

  package var connectionCount: Int { connections.count }
  package var isDraining: Bool { drained != nil }
  /// Whether connections end with their exchanges.
  var isEnding: Bool { isDraining || isRefusing }
  /// Whether connections end because the server does.
  private(set) var isStopping = false

  private func tellIfDrained() {
    guard connections.isEmpty, let then = drained else { return }
    drained = {}
    then()
  }

  func opened(_ connection: ServedConnection) { connections[connection.descriptor] = connection }

  func closed(_ connection: ServedConnection) {
    connections[connection.descriptor] = nil
    onClosed()
    tellIfDrained()
  }

  /// An error that concerns no single client.
  package func report(_ message: String) { onError(message) }

  /// The cassette could not be read for somebody's answer.
  package func reportDamage(_ message: String) {
    onError(message)
    onDamage()
  }
}
