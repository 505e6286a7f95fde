import FixtureEventLoop
import FixtureReplay
import FixtureServing

/// Serves a handler on loopback: one listener, one loop.
final class HandlerServer: Sendable {
  private let server: LoopServer<HandlerWorker>

  /// - Parameter addresses: those of a server that was stopped; nil for a free one.
  init(
    addresses: [ListenerAddress]?, journal: Journal, handler: @escaping HandlerResponder.Handler
  ) throws(ServerError) {
    let listeners =
      if let addresses {
        try Listeners.reopen(addresses)
      } else {
        try Listeners.open(names: [nil], host: "127.0.0.1", port: 0)
      }
    server = try LoopServer("fixture-server", listeners) {
      (listeners, loop) throws(SystemError) in
      try HandlerWorker(listeners, journal, handler, on: loop)
    } end: {
      $0.end()
    }
  }

  var addresses: [ListenerAddress] { server.addresses }

  func stop() { server.stop() }
}

/// The loop's part of it. Confined to the loop.
final class HandlerWorker {
  private let context: ServingContext
  private var acceptors: [Acceptor] = []

  fileprivate init(
    _ listeners: Listeners, _ journal: Journal, _ handler: @escaping HandlerResponder.Handler,
    on loop: EventLoop
  ) throws(SystemError) {
    context = ServingContext(
      loop: loop, bodies: BodySource(reader: nil),
      // A connection that can't be watched is closed, which its client sees.
      onError: { _ in })
    context.journal = journal
    context.isTimed = true
    let context = context
    let executor = HandlerExecutor()
    acceptors = try listeners.accept(on: loop) { descriptor, _ in
      context.serve(descriptor: descriptor, responder: HandlerResponder(handler, on: executor))
    } onError: { _ in
      // What can't be accepted waits, and is accepted once there are descriptors again.
    }
  }

  fileprivate func end() {
    for acceptor in acceptors { acceptor.stop() }
    acceptors = []
    context.abortAll()
  }
}
