import FixtureCassette
import FixtureExchange
import FixtureHTTP
import FixtureReplay
import FixtureStore

/// Answers the requests of one connection from a cassette, and can do nothing else: it knows no
/// upstream, opens no connection, resolves no name.
package final class ReplayResponder: Responder {
  private let replay: ReplayLoop
  private let route: Int
  private var request: Request?

  private struct Request {
    let head: RequestHead
    let client: ClientFacts
    var size: Int64 = 0
    var hash: SHA256?
    /// Decided before the content was read.
    var decided: Script?
  }

  package init(replay: ReplayLoop, route: Int) {
    self.replay = replay
    self.route = route
  }

  package func requestBegan(
    _ head: RequestHead, framing: BodyFraming, on connection: ServedConnection
  ) {
    var head = head
    switch replay.decide(head, route: route) {
    case .take(let target): head.target = target
    case .refuse(let status, let detail):
      return connection.refuse(status: status, detail: detail, isHead: head.method == .head)
    }
    var request = Request(head: head, client: ClientFacts(head))
    if framing != .none { plan(&request, on: connection) }
    self.request = request
  }

  /// Plans a request whose content is still to come.
  private func plan(_ request: inout Request, on connection: ServedConnection) {
    let content = ContentIdentity.pending(expectsContinue: request.client.expectsContinue)
    switch planned(request.head, content, on: connection) {
    case .needsContent?:
      request.hash = SHA256()
      if request.client.expectsContinue { connection.sendContinue() }
    case .play(let play)?: decide(play.script, &request, on: connection)
    case .miss(let miss)?: decide(miss.script, &request, on: connection)
    case nil: break
    }
  }

  /// An answer that does not depend on the content: given at once to a client that waits for leave
  /// to send it (RFC 9110 §10.1.1), else after the request.
  private func decide(
    _ script: Script, _ request: inout Request, on connection: ServedConnection
  ) {
    if request.client.expectsContinue {
      play(script, request, on: connection)
    } else {
      request.decided = script
    }
  }

  package func requestContent(
    _ bytes: UnsafeRawBufferPointer, on connection: ServedConnection
  ) {
    request?.size += Int64(bytes.count)
    request?.hash?.update(bytes)
  }

  package func requestEnded(trailers: FieldSection, on connection: ServedConnection) {
    guard let request = self.request else { return }
    self.request = nil
    if let script = request.decided { return play(script, request, on: connection) }
    let content: ContentIdentity
    if let hash = request.hash {
      content = .known(size: request.size, digest: hash.finalize())
    } else {
      content = .absent
    }
    switch planned(request.head, content, on: connection) {
    case .play(let play)?: answer(play, request, on: connection)
    case .miss(let miss)?: self.play(miss.script, request, on: connection)
    case .needsContent?, nil: break
    }
  }

  private func answer(_ play: Play, _ request: Request, on connection: ServedConnection) {
    if request.client.keepsAlive, request.client.version >= .http11 {
      do {
        let bodies = connection.context.bodies
        if let image = try replay.image(
          play, request: request.head, route: route, bodies: bodies)
        {
          return connection.answer(image: image)
        }
      } catch {
        return fail(error, on: connection)
      }
    }
    self.play(play.script, request, on: connection)
  }

  private func play(_ script: Script, _ request: Request, on connection: ServedConnection) {
    let script = replay.rewritten(script, request: request.head, route: route)
    self.request = nil
    connection.play(script, client: request.client, requestEnd_ns: connection.loop.now_ns)
  }

  private func planned(
    _ head: RequestHead, _ content: ContentIdentity, on connection: ServedConnection
  ) -> Plan? {
    do {
      return try replay.plan(head, route: route, content: content)
    } catch {
      fail(error, on: connection)
      return nil
    }
  }

  /// The cassette can't be read any more: nothing true can be answered.
  private func fail(_ error: StoreError, on connection: ServedConnection) {
    connection.context.report("\(error)")
    connection.abort(reset: true)
  }

  package func outputDrained(on connection: ServedConnection) {}
  package func exchangeAborted(on connection: ServedConnection) { request = nil }
}
