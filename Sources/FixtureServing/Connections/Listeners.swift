import FixtureEventLoop

/// One listening socket for each upstream: on PORT, PORT + 1, … in the order given, or each on a
/// free port.
package struct Listeners: Sendable {
  package let addresses: [ListenerAddress]
  let sockets: [TCPListener]

  /// - Parameters:
  ///   - names: of the upstreams, nil for the only, unnamed one.
  ///   - port: the first one's; 0 picks a free one for each.
  /// - Throws: `.listen` for the first address that can't be had; none is left open.
  package static func open(
    names: [String?], host: String, port: UInt16
  ) throws(ServerError) -> Listeners {
    var wanted: [(name: String?, port: UInt16)] = []
    for (index, name) in names.enumerated() {
      let (own, overflow) = port.addingReportingOverflow(port == 0 ? 0 : UInt16(index))
      guard !overflow else {
        throw .listen(
          host: host, port: own, SystemError(call: "bind", errno: 22, subject: "\(host):65536"))
      }
      wanted.append((name, own))
    }
    return try open(wanted, host: host)
  }

  /// Each on the first port of these that nobody has.
  /// - Throws: `.sessionPortsTaken` when there are not enough; none is left open.
  package static func open(
    names: [String?], host: String, ports: SessionPorts
  ) throws(ServerError) -> Listeners {
    var sockets: [TCPListener] = []
    for port in ports.range where sockets.count < names.count {
      do throws(SystemError) {
        sockets.append(try TCPListener(host: host, port: port))
      } catch  where error.isAddressInUse {
        continue
      } catch {
        for socket in sockets { socket.close() }
        throw .listen(host: host, port: port, error)
      }
    }
    guard sockets.count == names.count else {
      for socket in sockets { socket.close() }
      throw .sessionPortsTaken(ports)
    }
    let addresses = zip(names, sockets).map { name, socket in
      ListenerAddress(name: name, host: socket.address.host, port: socket.port)
    }
    return Listeners(addresses: addresses, sockets: sockets)
  }

  /// The same addresses again, after they were closed.
  package static func reopen(_ addresses: [ListenerAddress]) throws(ServerError) -> Listeners {
    try open(addresses.map { ($0.name, $0.port) }, host: addresses.first?.host ?? "")
  }

  private static func open(
    _ wanted: [(name: String?, port: UInt16)], host: String
  ) throws(ServerError) -> Listeners {
    var sockets: [TCPListener] = []
    var addresses: [ListenerAddress] = []
    for (name, port) in wanted {
      do throws(SystemError) {
        let socket = try TCPListener(host: host, port: port)
        sockets.append(socket)
        addresses.append(
          ListenerAddress(name: name, host: socket.address.host, port: socket.port))
      } catch {
        for socket in sockets { socket.close() }
        throw .listen(host: host, port: port, error)
      }
    }
    return Listeners(addresses: addresses, sockets: sockets)
  }

  package func close() {
    for socket in sockets { socket.close() }
  }

  /// Whether a connected socket of ours leads to one of them.
  package func includesPeer(of descriptor: Int32) -> Bool {
    sockets.contains { $0.isPeer(of: descriptor) }
  }

  private static let reportInterval_ns: Int64 = 10_000_000_000

  /// Accepts on a loop.
  /// - Parameter accepted: owns the descriptor, and gets the listener's place in the order.
  /// - Returns: the acceptors, to be stopped before `close`.
  package func accept(
    on loop: EventLoop, _ accepted: @escaping (_ descriptor: Int32, _ route: Int) -> Void,
    onError: @escaping (String) -> Void
  ) throws(SystemError) -> [Acceptor] {
    var acceptors: [Acceptor] = []
    var reportAfter_ns = Int64.min
    // It pauses and tries again many times a second; once in a while is often enough to say so.
    let report = { [unowned loop] (error: SystemError) in
      guard loop.now_ns >= reportAfter_ns else { return }
      reportAfter_ns = loop.now_ns + Self.reportInterval_ns
      onError("connections wait to be accepted: \(error)")
    }
    for (route, socket) in sockets.enumerated() {
      let acceptor = Acceptor(
        socket, on: loop, accepted: { accepted($0, route) }, failed: report)
      try acceptor.start()
      acceptors.append(acceptor)
    }
    return acceptors
  }
}
