import Glibc
import Testing

@testable import FixtureEventLoop

@Suite struct AcceptorTests {
  @Test func `every connection is accepted, more than one readiness brings`() throws {
    let loop = try EventLoop()
    let listener = try TCPListener(host: "127.0.0.1", port: 0)
    var accepted: [Int32] = []
    let acceptor = Acceptor(listener, on: loop) { descriptor in
      accepted.append(descriptor)
      if accepted.count == 40 { loop.stop() }
    } failed: { error in
      Issue.record(error)
    }
    try acceptor.start()
    let clients = try (0..<40).map { _ in try Socket.connect(to: listener.address) }
    runToStop(loop)
    acceptor.stop()
    #expect(accepted.count == 40)
    for descriptor in accepted + clients { Socket.close(descriptor) }
  }

  @Test func `a stopped acceptor leaves connections waiting for its next start`() throws {
    let loop = try EventLoop()
    let listener = try TCPListener(host: "127.0.0.1", port: 0)
    var accepted: [Int32] = []
    var acceptor: Acceptor?
    acceptor = Acceptor(listener, on: loop) { descriptor in
      accepted.append(descriptor)
      acceptor?.stop()
      let again = acceptor.map { LoopReference($0, on: loop) }
      loop.handle.post {
        #expect(throws: Never.self) { try again?.object?.start() }
      }
      if accepted.count == 3 { loop.stop() }
    } failed: { error in
      Issue.record(error)
    }
    let clients = try (0..<3).map { _ in try Socket.connect(to: listener.address) }
    try acceptor?.start()
    runToStop(loop)
    acceptor?.stop()
    #expect(accepted.count == 3)
    for descriptor in accepted + clients { Socket.close(descriptor) }
  }

  // The limit is the process's, so another process has to run into it.
  @Test func `without descriptors accepting pauses, and goes on when some are free`() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      let listener = try TCPListener(host: "127.0.0.1", port: 0)
      let clients = try (0..<6).map { _ in try Socket.connect(to: listener.address) }
      limitDescriptors(to: 3)

      var accepted: [Int32] = []
      var paused_ns: [Int64] = []
      var acceptor: Acceptor?
      acceptor = Acceptor(listener, on: loop) { descriptor in
        accepted.append(descriptor)
        if accepted.count == 6 { loop.stop() }
      } failed: { error in
        #expect(error.descriptorsExhausted && error.call == "accept4")
        paused_ns.append(MonotonicClock.now_ns())
        guard paused_ns.count == 3 else { return }
        // About three: the test library opens and closes some of its own.
        #expect(accepted.count < 6)
        for client in clients { Socket.close(client) }
      }
      try acceptor?.start()
      runToStop(loop)
      acceptor?.stop()
      // Two pauses less what a busy machine takes away; a loop that spins would be back at once.
      #expect(paused_ns[2] - paused_ns[0] >= Acceptor.pause_ns)
      #expect(accepted.count == 6)
    }
  }
}

/// Leaves the process room for at most this many more descriptors.
private func limitDescriptors(to room: Int32) {
  let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  let next = dup(0)
  Socket.close(next)
  var limit = rlimit()
  getrlimit(resource, &limit)
  limit.rlim_cur = rlim_t(next + room)
  setrlimit(resource, &limit)
}
