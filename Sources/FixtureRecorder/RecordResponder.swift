import FixtureCassette
import FixtureEventLoop
import FixtureExchange
import FixtureHTTP
import FixtureReplay
import FixtureServing

/// Answers the requests of one connection to a recorder: each is refused by name, played from what
/// the cassette already has, or forwarded to its upstream.
final class RecordResponder: Responder {
  private let record: RecordLoop
  private let route: Int
  private let port: UInt16
  private var forwarding: Forwarding?
  private var undecided: Undecided?

  /// A request that may be in the cassette, which only its content can tell.
  private struct Undecided {
    let request: RequestHead
    let framing: BodyFraming
    let client: ClientFacts
    var content: [UInt8] = []
  }

  init(record: RecordLoop, route: Int, port: UInt16) {
    self.record = record
    self.route = route
    self.port = port
  }

  func requestBegan(
    _ request: RequestHead, framing: BodyFraming, on connection: ServedConnection
  ) {
    let client = ClientFacts(request)
    var request = request
    switch TargetPolicy.decide(request, upstream: record.upstream(route).url, port: port) {
    case .take(let target): request.target = target
    case .refuse(let status, let detail):
      return connection.refuse(status: status, detail: detail, isHead: client.isHead)
    }
    guard record.replay != nil else {
      return forward(request, framing, client, on: connection)
    }
    let pending = ContentIdentity.pending(expectsContinue: client.expectsContinue)
    let content = framing == .none ? ContentIdentity.absent : pending
    if framing == .none {
      undecided = Undecided(
        request: request, framing: framing, client: client)
    } else if let script = planned(request, content, on: connection) {
      decidedEarly(script, request, framing, client, on: connection)
    }
  }

  func requestContent(_ bytes: UnsafeRawBufferPointer, on connection: ServedConnection) {
    if let forwarding { return forwarding.requestContent(bytes) }
    guard var held = undecided else { return }
    undecided = nil
    held.content.append(contentsOf: bytes)
    guard held.content.count > Self.heldBytesMax else {
      undecided = held
      return
    }
    // Longer than what is held to compare: taken as new.
    forwardHeld(held, on: connection)
  }

  func requestEnded(trailers: FieldSection, on connection: ServedConnection) {
    if let held = undecided {
      undecided = nil
      decide(held, on: connection)
    }
    forwarding?.requestEnded(trailers: trailers)
  }

  func outputDrained(on connection: ServedConnection) {
    forwarding?.clientDrained()
  }

  func exchangeAborted(on connection: ServedConnection) {
    undecided = nil
    forwarding?.abort(
      record.isStopping
        ? "the recorder was stopped before the response was whole"
        : "the client left before the response was whole")
    forwarding = nil
  }

  // MARK: Playing what is there

  private enum Early {
    case needsContent
    case miss
    case play(Script)
  }

  /// nil when the cassette can't be read: the connection is gone.
  private func planned(
    _ request: RequestHead, _ content: ContentIdentity, on connection: ServedConnection
  ) -> Early? {
    guard let replay = record.replay else { return .miss }
    do {
      switch try replay.plan(request, route: route, content: content) {
      case .needsContent: return .needsContent
      case .miss: return .miss
      case .play(let play):
        return .play(try replay.script(of: play, for: request, route: route))
      case .ruled(let answer): return .play(answer.script)
      }
    } catch {
      connection.context.report(error.description)
      connection.abort(reset: true)
      return nil
    }
  }

  private func decidedEarly(
    _ early: Early, _ request: RequestHead, _ framing: BodyFraming,
    _ client: ClientFacts, on connection: ServedConnection
  ) {
    switch early {
    case .play(let script): play(script, request, client, on: connection)
    case .miss: forward(request, framing, client, on: connection)
    case .needsContent:
      undecided = Undecided(
        request: request, framing: framing, client: client)
      if client.expectsContinue { connection.sendContinue() }
    }
  }

  private func decide(_ held: Undecided, on connection: ServedConnection) {
    let content: ContentIdentity =
      held.framing == .none
      ? .absent
      : .known(
        size: Int64(held.content.count), digest: SHA256.digest(of: held.content),
        held: held.content)
    switch planned(held.request, content, on: connection) {
    case .play(let script)?: play(script, held.request, held.client, on: connection)
    case .miss?, .needsContent?: forwardHeld(held, on: connection)
    case nil: break
    }
  }

  private func play(
    _ script: Script, _ request: RequestHead, _ client: ClientFacts,
    on connection: ServedConnection
  ) {
    record.played()
    let script = record.replay?.rewritten(script, request: request, route: route) ?? script
    connection.play(script, client: client, requestEnd_ns: record.now_ns)
  }

  // MARK: Forwarding

  private func forward(
    _ request: RequestHead, _ framing: BodyFraming,
    _ client: ClientFacts, on connection: ServedConnection
  ) {
    let forwarding = Forwarding(
      request, framing: framing, client: client, route: route,
      record: record, connection: connection)
    self.forwarding = forwarding
    forwarding.start()
  }

  private func forwardHeld(_ held: Undecided, on connection: ServedConnection) {
    forward(held.request, held.framing, held.client, on: connection)
    held.content.withUnsafeBytes { bytes in
      if !bytes.isEmpty { forwarding?.requestContent(bytes) }
    }
  }

  private static let heldBytesMax = ContentKeys.contentBytesMax
}
