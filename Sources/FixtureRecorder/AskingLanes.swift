import FixtureEventLoop
import FixtureHTTP
import FixtureHTTP1

/// A recorded request that is to be asked again.
package struct AskedRequest: Equatable, Sendable {
  package var method: Method
  package var target: [UInt8]
  /// Without what belongs to the connection, the framing and `Host`, which are added.
  package var fields: FieldSection
  /// nil for none.
  package var content: [UInt8]?

  /// - Parameter recorded: a request head as a client of a recorder has sent it.
  package init(_ recorded: RequestHead, content: [UInt8]?) {
    method = recorded.method
    target = recorded.target
    fields = recorded.fields.removing(
      .connection, .keepAlive, .proxyConnection, .te, .upgrade, .expect, .host, .contentLength,
      .transferEncoding, .trailer)
    self.content = content
  }

  /// The request as it goes out, on a connection of its own.
  func bytes(host: String) -> [UInt8] {
    var head = RequestHead(method: method, target: target, fields: FieldSection())
    head.fields.append("Host", host)
    for index in fields.lines.indices {
      head.fields.append(name: fields.name(at: index), value: fields.value(at: index))
    }
    if let content { head.fields.append("Content-Length", String(content.count)) }
    head.fields.append("Connection", "close")
    var bytes: [UInt8] = []
    MessageEncoder.requestHead(head, to: &bytes)
    return bytes + (content ?? [])
  }
}

/// Sends requests to the listeners of a recorder and disregards the answers: the recorder has them.
/// A lane for each listener, one request at a time in each, so that the order in a lane is that of
/// its recordings.
package final class AskingLanes: Sendable {
  private let thread: LoopThread

  /// One listener and what it is asked.
  package struct Lane: Sendable {
    package var host: String
    package var port: UInt16
    package var requests: [AskedRequest]

    package init(host: String, port: UInt16, requests: [AskedRequest]) {
      (self.host, self.port, self.requests) = (host, port, requests)
    }
  }

  /// Starts to ask.
  /// - Parameter done: called once, on a thread of its own, when all have been asked.
  package init(
    _ lanes: [Lane], done: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    thread = try LoopThread.start(name: "asking") { loop in
      let group = AskingGroup(loop, lanes, done: done)
      group.start()
      loop.run()
      withExtendedLifetime(group) {}
    }
  }

  /// Asks no more; what is under way is broken off.
  package func stop() {
    thread.stop()
    thread.join()
  }
}

/// The lanes on their loop.
private final class AskingGroup {
  private var lanes: [AskingLane] = []
  private var underWay = 0
  private let done: () -> Void

  init(_ loop: EventLoop, _ lanes: [AskingLanes.Lane], done: @escaping () -> Void) {
    self.done = done
    self.lanes = lanes.map { lane in
      AskingLane(loop, lane) { [unowned self] in ended() }
    }
  }

  func start() {
    underWay = lanes.count
    for lane in lanes { lane.next() }
    if lanes.isEmpty { done() }
  }

  private func ended() {
    underWay -= 1
    if underWay == 0 { done() }
  }
}

/// One lane: a connection for each request, until the recorder closes it.
private final class AskingLane: Watcher {
  private let loop: EventLoop
  private let lane: AskingLanes.Lane
  private let ended: () -> Void
  private var place = 0
  private var descriptor: Int32?
  private var output: [UInt8] = []
  private var written = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

  init(_ loop: EventLoop, _ lane: AskingLanes.Lane, ended: @escaping () -> Void) {
    (self.loop, self.lane, self.ended) = (loop, lane, ended)
  }

  deinit {
    if let descriptor { Socket.close(descriptor) }
    buffer.deallocate()
  }

  func next() {
    while place < lane.requests.count {
      let request = lane.requests[place]
      place += 1
      guard let address = SocketAddress(literal: lane.host, port: lane.port) else { continue }
      do throws(SystemError) {
        let descriptor = try Socket.connect(to: address)
        output = request.bytes(host: "\(lane.host):\(lane.port)")
        written = 0
        self.descriptor = descriptor
        try loop.add(
          descriptor, interest: Interest(readable: true, writable: true, peerFinished: false),
          watcher: self)
        return
      } catch {
        // The recorder has no recording of it, which is what is told.
        if let descriptor { Socket.close(descriptor) }
        descriptor = nil
      }
    }
    ended()
  }

  func ready(_ readiness: Readiness) {
    guard let descriptor else { return }
    if written < output.count, !write(to: descriptor) { return finish() }
    while true {
      switch Socket.read(descriptor, into: buffer) {
      case .bytes: continue
      case .wouldBlock: return
      case .finished, .failed: return finish()
      }
    }
  }

  /// - Returns: false when the connection is over.
  private func write(to descriptor: Int32) -> Bool {
    let result = output.withUnsafeBytes { bytes in
      Socket.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[written...]))
    }
    switch result {
    case .bytes(let count):
      written += count
      if written == output.count {
        loop.modify(
          descriptor, interest: Interest(readable: true, writable: false, peerFinished: false))
      }
      return true
    case .wouldBlock: return true
    case .finished, .failed: return false
    }
  }

  private func finish() {
    guard let descriptor else { return }
    loop.remove(descriptor)
    Socket.close(descriptor)
    self.descriptor = nil
    next()
  }
}
