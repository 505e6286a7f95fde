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
  /// What changes in heads on their way to a client that came by ports of another session.
  private let ownHeads: HeadRewriter?
  private var pending = Pending.nothing

  private enum Pending {
    case nothing
    /// Decided; given once the request was read to its end.
    case answer(Answer)
    /// Depends on content that is being read.
    case content(Content)
  }

  private enum Answer {
    /// What a journal says of its head; nil when there is none.
    case image(AnswerImage, AnsweredHead?)
    case script(Script, ClientFacts)
  }

  private final class Content {
    let head: RequestHead
    let client: ClientFacts
    let begun: BegunRequest?
    private var size: Int64 = 0
    private var hash = SHA256()
    /// nil when there are more bytes than are held.
    private var held: [UInt8]? = []
    private let heldBytesMax: Int

    init(
      _ head: RequestHead, _ client: ClientFacts, _ begun: BegunRequest?, heldBytesMax: Int
    ) {
      self.head = head
      self.client = client
      self.begun = begun
      self.heldBytesMax = heldBytesMax
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
      size += Int64(bytes.count)
      hash.update(bytes)
      guard held != nil else { return }
      if size > Int64(heldBytesMax) {
        held = nil
      } else {
        held?.append(contentsOf: bytes)
      }
    }

    var identity: ContentIdentity { .known(size: size, digest: hash.finalize(), held: held) }
  }

  package init(replay: ReplayLoop, route: Int, heads: HeadRewriter? = nil) {
    self.replay = replay
    self.route = route
    ownHeads = heads
  }

  private var heads: HeadRewriter { ownHeads ?? replay.heads }

  package func knownAnswer(
    to input: UnsafeRawBufferPointer
  ) -> (image: AnswerImage, request: KnownRequest, headCount: Int)? {
    replay.knownAnswer(to: input, route: route, isGuest: ownHeads != nil)
  }

  package func head(of request: KnownRequest) -> AnsweredHead? {
    replay.head(of: request.answer, request.play)
  }

  package func requestBegan(
    _ head: RequestHead, framing: BodyFraming, on connection: ServedConnection
  ) {
    if TargetPolicy.isOrdinary(head) { return taken(head, framing, on: connection) }
    switch replay.decide(head, route: route, heads) {
    case .take(let target):
      var head = head
      head.target = target
      taken(head, framing, on: connection)
    case .refuse(let status, let detail):
      connection.refuse(status: status, detail: detail, isHead: head.method == .head)
    }
  }

  private func taken(
    _ head: RequestHead, _ framing: BodyFraming, on connection: ServedConnection
  ) {
    let client = ClientFacts(head)
    guard framing != .none else {
      // Its end comes at once.
      if let answer = answer(head, client, .absent, on: connection) { pending = .answer(answer) }
      return
    }
    plan(head, client, on: connection)
  }

  /// Plans a request whose content is still to come.
  private func plan(_ head: RequestHead, _ client: ClientFacts, on connection: ServedConnection) {
    let pending = ContentIdentity.pending(expectsContinue: client.expectsContinue)
    let begun = replay.begin(head, route: route, now_ns: connection.loop.now_ns)
    if let begun { connection.read(as: begun.reading) }
    switch planned(head, pending, begun, on: connection) {
    case .needsContent(let heldBytesMax)?:
      let content = Content(head, client, begun, heldBytesMax: heldBytesMax)
      self.pending = .content(content)
      if client.expectsContinue { connection.giveLeave(begun?.reading.leave) }
    case .play(let play)?:
      if let script = script(of: play, head, on: connection) {
        decide(rewritten(script, head, client), client, on: connection)
      }
    case .ruled(let ruled)?: decide(ruled.script, head, client, on: connection)
    case .miss(let miss)?: decide(rewritten(miss.script, head, client), client, on: connection)
    case nil: break
    }
  }

  /// A script of rules may begin before the request was read to its end.
  private func decide(
    _ script: Script, _ head: RequestHead, _ client: ClientFacts, on connection: ServedConnection
  ) {
    let answer = rewritten(script, head, client)
    guard script.steps.first?.anchor == .requestHead else {
      return decide(answer, client, on: connection)
    }
    pending = .nothing
    give(answer, on: connection, requestEnd_ns: nil)
  }

  /// An answer that does not depend on the content: given at once to a client that waits for leave
  /// to send it (RFC 9110 §10.1.1), else after the request.
  private func decide(
    _ answer: Answer, _ client: ClientFacts, on connection: ServedConnection
  ) {
    if client.expectsContinue {
      pending = .nothing
      give(answer, on: connection, requestEnd_ns: connection.loop.now_ns)
    } else {
      pending = .answer(answer)
    }
  }

  package func requestContent(
    _ bytes: UnsafeRawBufferPointer, on connection: ServedConnection
  ) {
    guard case .content(let content) = pending else { return }
    content.append(bytes)
  }

  package func requestEnded(trailers: FieldSection, on connection: ServedConnection) {
    let pending = self.pending
    self.pending = .nothing
    switch pending {
    case .nothing: break
    case .answer(let answer): give(answer, on: connection, requestEnd_ns: connection.loop.now_ns)
    case .content(let content):
      if let answer = answer(
        content.head, content.client, content.identity, content.begun, on: connection)
      {
        give(answer, on: connection, requestEnd_ns: connection.loop.now_ns)
      }
    }
  }

  /// nil when the cassette can't be read: the connection is gone.
  private func answer(
    _ head: RequestHead, _ client: ClientFacts, _ content: ContentIdentity,
    _ begun: BegunRequest? = nil, on connection: ServedConnection
  ) -> Answer? {
    switch planned(head, content, begun, on: connection) {
    case .play(let play)?:
      switch image(of: play, head, client, on: connection) {
      case .once(let image, let head)?: return .image(image, head)
      case .kept(let answer)?:
        if content == .absent { replay.keep(answer, of: play, to: head, route: route) }
        let image = answer.image(at: replay.clock)
        let isJournaled = connection.context.journal != nil
        return .image(image, isJournaled ? replay.head(of: answer, play.prepared) : nil)
      case nil: break
      }
      return script(of: play, head, on: connection).map { rewritten($0, head, client) }
    case .ruled(let ruled)?: return rewritten(ruled.script, head, client)
    case .miss(let miss)?: return rewritten(miss.script, head, client)
    case .needsContent?, nil: return nil
    }
  }

  private func image(
    of play: Play, _ head: RequestHead, _ client: ClientFacts, on connection: ServedConnection
  ) -> ReplayLoop.WholeAnswer? {
    // No head of those is rewritten, whichever port the client came by.
    guard client.keepsAlive, client.version >= .http11, !connection.context.isEnding else {
      return nil
    }
    do {
      return try replay.image(play, for: head, bodies: connection.context.bodies)
    } catch {
      fail(error, on: connection)
      return nil
    }
  }

  private func script(
    of play: Play, _ head: RequestHead, on connection: ServedConnection
  ) -> Script? {
    do {
      return try replay.script(of: play, for: head, route: route)
    } catch {
      fail(error, on: connection)
      return nil
    }
  }

  private func rewritten(_ script: Script, _ head: RequestHead, _ client: ClientFacts) -> Answer {
    .script(
      heads.rewrite(script, current: route, clientHost: head.fields.first(.host)), client)
  }

  /// - Parameter requestEnd_ns: nil while the request is still being read.
  private func give(
    _ answer: Answer, on connection: ServedConnection, requestEnd_ns: Int64?
  ) {
    switch answer {
    case .image(let image, let head): connection.answer(image, head)
    case .script(let script, let client):
      connection.play(script, client: client, requestEnd_ns: requestEnd_ns)
    }
  }

  private func planned(
    _ head: RequestHead, _ content: ContentIdentity, _ begun: BegunRequest?,
    on connection: ServedConnection
  ) -> Plan? {
    do {
      let plan = try replay.plan(
        head, route: route, content: content, exchange: connection.exchangeCount, begun: begun,
        now_ns: connection.loop.now_ns)
      connection.note(plan: plan)
      return plan
    } catch {
      fail(error, on: connection)
      return nil
    }
  }

  /// The cassette can't be read any more: nothing true can be answered.
  private func fail(_ error: StoreError, on connection: ServedConnection) {
    connection.context.reportDamage(error.description)
    connection.abort(reset: true)
  }

  package func outputDrained(on connection: ServedConnection) {}
  package func exchangeAborted(on connection: ServedConnection) { pending = .nothing }
}
