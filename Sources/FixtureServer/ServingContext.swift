import FixtureEventLoop

/// What the connections of one loop share. Confined to that loop.
package final class ServingContext {
  package let loop: EventLoop
  package let bodies: BodySource
  /// How long a client that closed its side before the response began is given; see
  /// `ServedConnection`.
  let halfCloseGrace_ns: Int64
  private var connections: [Int32: ServedConnection] = [:]
  private let onError: (String) -> Void

  package init(
    loop: EventLoop, bodies: BodySource, halfCloseGrace_ns: Int64,
    onError: @escaping (String) -> Void
  ) {
    self.loop = loop
    self.bodies = bodies
    self.halfCloseGrace_ns = halfCloseGrace_ns
    self.onError = onError
  }

  /// Serves an accepted socket; closes it when the loop can't watch it.
  package func serve(fd: Int32, responder: any Responder) {
    let connection = ServedConnection(fd: fd, context: self, responder: responder)
    do {
      try connection.start()
    } catch {
      report("a connection was dropped: \(error)")
      Socket.close(fd)
    }
  }

  /// Ends every connection, also in the middle of an exchange.
  package func abortAll() {
    for connection in Array(connections.values) { connection.abort() }
  }

  func opened(_ connection: ServedConnection) { connections[connection.fd] = connection }
  func closed(_ connection: ServedConnection) { connections[connection.fd] = nil }

  /// An error that concerns no single client.
  package func report(_ message: String) { onError(message) }
}
