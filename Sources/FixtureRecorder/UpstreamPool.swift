import FixtureCassette
import FixtureEventLoop
import FixtureExchange
import FixtureHTTP
import FixtureServing
import FixtureTLS

/// The connections to one upstream: idle ones to use again, and the way to a new one. Confined to
/// its loop.
final class UpstreamPool {
  let upstream: BaseURL
  /// Whether this upstream's answers come soon enough to stay awake for.
  let answerVigil = Vigil()
  private let loop: EventLoop
  private let resolver: Resolver
  private let tls: TLSContext?
  private let timeouts: UpstreamConnection.Timeouts
  private let plaintext: UnsafeMutableRawBufferPointer
  private let nextNumber: () -> Int64
  private let listeners: Listeners
  private let makeRoom: () -> Void
  private let onReport: (String) -> Void
  /// And since when.
  private var idle: [(connection: UpstreamConnection, since_ns: Int64)] = []
  /// Who waits for the upstream's name to resolve.
  private var waiters: [ObjectIdentifier: Waiter] = [:]
  /// Every open connection, so that stopping ends them.
  private var open: [ObjectIdentifier: UpstreamConnection] = [:]

  /// - Parameters:
  ///   - tls: nil for an `http` upstream.
  ///   - nextNumber: numbers the connections of a recording.
  ///   - listeners: of the recorder, which no connection may lead to.
  ///   - makeRoom: called before a connection is opened.
  init(
    upstream: BaseURL, loop: EventLoop, resolver: Resolver, tls: TLSContext?,
    timeouts: UpstreamConnection.Timeouts, plaintext: UnsafeMutableRawBufferPointer,
    nextNumber: @escaping () -> Int64, listeners: Listeners, makeRoom: @escaping () -> Void,
    onReport: @escaping (String) -> Void
  ) {
    self.upstream = upstream
    self.loop = loop
    self.resolver = resolver
    self.tls = tls
    self.timeouts = timeouts
    self.plaintext = plaintext
    self.nextNumber = nextNumber
    self.listeners = listeners
    self.makeRoom = makeRoom
    self.onReport = onReport
  }

  /// The idle connection used last that still looks alive; nil when there is none that may carry
  /// a request with this method. Dead ones are closed on the way.
  func take(for method: Method) -> UpstreamConnection? {
    while let (connection, since_ns) = idle.last,
      RetryRule.mayReuse(method: method, idle_ns: loop.now_ns - since_ns)
    {
      idle.removeLast()
      if connection.looksAlive { return connection }
      connection.close()
    }
    return nil
  }

  func add(_ connection: UpstreamConnection) {
    guard idle.count < Self.idleMax else { return connection.close() }
    idle.append((connection, loop.now_ns))
  }

  func remove(_ connection: UpstreamConnection) {
    idle.removeAll { $0.connection === connection }
    open[ObjectIdentifier(connection)] = nil
  }

  /// Connections that are open or being opened.
  var count: Int { open.count + dialing }
  var hasIdle: Bool { !idle.isEmpty }
  private var dialing = 0

  /// Closes the connection that was idle longest.
  func closeIdle() { idle.first?.connection.close() }

  func report(_ message: String) { onReport("\(upstream.description): \(message)") }

  func closeAll() {
    for connection in Array(open.values) { connection.close() }
  }

  /// Opens a new connection: resolves the name, then tries its addresses in order until one
  /// accepts.
  /// - Parameter completion: gets the connection once its connect is under way and its socket
  ///   exists; later failures come through the connection's user.
  func connect(
    _ completion: @escaping (Result<UpstreamConnection, UpstreamFailure>) -> Void
  ) {
    makeRoom()
    dialing += 1
    let waiter = Waiter(pool: self) { [unowned self] result in
      dialing -= 1
      completion(result)
    }
    waiters[ObjectIdentifier(waiter)] = waiter
    let reference = LoopReference(waiter, on: loop)
    resolver.resolve(upstream.host, port: upstream.port, on: loop.handle) { answer in
      reference.object?.resolved(answer)
    }
  }

  /// Waits for the resolver's answer.
  private final class Waiter {
    private unowned let pool: UpstreamPool
    private let completion: (Result<UpstreamConnection, UpstreamFailure>) -> Void

    init(
      pool: UpstreamPool,
      completion: @escaping (Result<UpstreamConnection, UpstreamFailure>) -> Void
    ) {
      self.pool = pool
      self.completion = completion
    }

    func resolved(_ answer: Resolver.Answer) {
      pool.waiters[ObjectIdentifier(self)] = nil
      switch answer {
      case .failure(let error):
        completion(.failure(UpstreamFailure(outcome: .dns, detail: error.description)))
      case .success(let addresses):
        Dial(pool: pool, addresses: addresses, completion: completion).tryNext()
      }
    }
  }

  fileprivate func connection(descriptor: Int32) throws -> UpstreamConnection {
    if listeners.includesPeer(of: descriptor) { throw RecordError.upstreamIsOurs(upstream) }
    var engine: TLSEngine?
    if let tls { engine = try TLSEngine(context: tls, serverName: upstream.host) }
    let connection = try UpstreamConnection(
      descriptor: descriptor, number: nextNumber(), loop: loop, tls: engine, limits: timeouts,
      plaintext: plaintext, pool: self)
    open[ObjectIdentifier(connection)] = connection
    return connection
  }

  fileprivate var connectTimeout_ns: Int64 { timeouts.connect_ns }
  fileprivate var eventLoop: EventLoop { loop }

  /// As many as a browser opens to one host, with room for several clients.
  private static let idleMax = 64
}

/// Tries the addresses of one upstream one after another, each until it has accepted or failed.
private final class Dial: Watcher, TimerTarget {
  private let pool: UpstreamPool
  private var addresses: ArraySlice<SocketAddress>
  private let completion: (Result<UpstreamConnection, UpstreamFailure>) -> Void
  private var descriptor: Int32 = -1
  private var lastFailure = UpstreamFailure(
    outcome: .refused, detail: "the upstream's name has no address")
  private lazy var timer = LoopTimer(self)
  /// Keeps the dial alive while nobody but the loop knows of it.
  private var selfWhileWaiting: Dial?

  init(
    pool: UpstreamPool, addresses: [SocketAddress],
    completion: @escaping (Result<UpstreamConnection, UpstreamFailure>) -> Void
  ) {
    self.pool = pool
    self.addresses = addresses[...]
    self.completion = completion
  }

  func tryNext() {
    selfWhileWaiting = self
    while let address = addresses.popFirst() {
      do {
        descriptor = try Socket.connect(to: address)
        try pool.eventLoop.add(descriptor, interest: [.writable], watcher: self)
        let share_ns = pool.connectTimeout_ns / Int64(addresses.count + 1)
        return pool.eventLoop.arm(timer, at: pool.eventLoop.now_ns + share_ns)
      } catch {
        lastFailure = UpstreamFailure(
          outcome: .refused, detail: "no connection to \(address): \(error)",
          isOurs: error.descriptorsExhausted)
        if descriptor >= 0 { Socket.close(descriptor) }
        descriptor = -1
      }
    }
    selfWhileWaiting = nil
    completion(.failure(lastFailure))
  }

  func ready(_ readiness: Readiness) {
    pool.eventLoop.disarm(timer)
    pool.eventLoop.remove(descriptor)
    let descriptor = self.descriptor
    self.descriptor = -1
    if let error = Socket.connectError(descriptor) {
      Socket.close(descriptor)
      lastFailure = UpstreamFailure(
        outcome: .refused, detail: "no connection to the upstream: \(error)")
      return tryNext()
    }
    selfWhileWaiting = nil
    do {
      completion(.success(try pool.connection(descriptor: descriptor)))
    } catch {
      Socket.close(descriptor)
      let isTLS = error is TLSError
      // That a socket can't be watched, or leads to us, says nothing of the upstream.
      completion(
        .failure(
          UpstreamFailure(outcome: isTLS ? .tls : .refused, detail: "\(error)", isOurs: !isTLS)))
    }
  }

  func fired(_ timer: LoopTimer) {
    pool.eventLoop.remove(descriptor)
    Socket.close(descriptor)
    descriptor = -1
    lastFailure = UpstreamFailure(
      outcome: .timeout, detail: "the upstream did not accept the connection in time")
    tryNext()
  }
}
