import FixtureEventLoop
import FixtureHTTP
import FixtureHTTP1

/// How a connection goes to the session that a request names.
extension ServedConnection {
  /// Hands the connection to the session of this request if that is another one; its head was read,
  /// nothing was done for it.
  /// - Parameter rest: what was read behind the head.
  /// - Returns: whether somebody else answers it, or it was refused.
  func passes(
    _ head: RequestHead, _ framing: BodyFraming, rest: UnsafeRawBufferPointer
  ) -> Bool {
    guard let router = context.router, let entrance else { return false }
    let named = head.fields.first(.fixturedSession)
    if let named {
      guard !named.elementsEqual(context.sessionID.utf8) else { return false }
    } else if entrance.session == context.sessionID {
      return false
    }
    let id = named.map { String(decoding: $0, as: UTF8.self) } ?? entrance.session
    guard let server = router.server(id) else {
      refusePassing(
        head,
        "there is no session \(id.debugDescription), or its lease has ended: POST"
          + " /v1/sessions at the control API makes one, or leave out Fixtured-Session")
      return true
    }
    guard server.listeners.indices.contains(entrance.route) else {
      refusePassing(
        head,
        "the cassette of session \(id) has no upstream for this port: use the urls of the"
          + " session")
      return true
    }
    server.take(
      PassedConnection(
        socket: PassedSocket(release()), entrance: entrance, head: head, framing: framing,
        parser: parser,
        rest: Array(rest)))
    return true
  }

  /// Goes on where another session read the head of a request.
  func resume(_ passed: PassedConnection) {
    if context.isTimed { loop.refreshNow() }
    parser = passed.parser
    pendingInput = passed.rest
    isParsing = true
    requestBegan(passed.head, passed.framing)
    isParsing = false
    parsePending()
  }

  /// Refuses a request that no session takes; the journal of none has it.
  private func refusePassing(_ head: RequestHead, _ detail: String) {
    headWasRead()
    refuse(status: 404, detail: detail, isHead: head.method == .head)
  }

  /// Leaves the connection to who takes its descriptor. No exchange is open.
  private func release() -> Int32 {
    state = .closed
    disarmTimers()
    loop.remove(descriptor)
    context.closed(self)
    return descriptor
  }
}
