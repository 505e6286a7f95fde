import FixtureCassette
import FixtureEventLoop
import FixtureExchange
import FixtureHTTP
import FixtureReplay
import FixtureStore

/// What the connections of one loop need to replay: reader, planner, prepared answers. Confined to
/// its loop.
package final class ReplayLoop {
  let heads: HeadRewriter
  let clock: SessionClock
  private var planning: ReplayPlanning<CassetteReader>
  private let names: [String?]
  /// Whole answers in wire form for HTTP/1.1 clients that keep the connection, by interaction.
  private var images = AnswerImages()
  private var repeatedImages = RepeatedKeys()
  private let known = KnownRequests()
  /// Called after each request that was planned by rules, before it is answered: they may have
  /// raised or cleared flags.
  var onFlagsTouched: (() -> Void)?

  package init(
    planning: ReplayPlanning<CassetteReader>, heads: HeadRewriter, names: [String?],
    clock: SessionClock
  ) {
    self.planning = planning
    self.heads = heads
    self.names = names
    self.clock = clock
  }

  /// Rules from the next request on, and nothing that was prepared without them.
  func change(scenario: ScenarioSession?) {
    planning.scenario = scenario
    known.removeAll()
  }

  /// Whether the request is one for the upstream whose listener it came by, as the recorder decided
  /// it. One that is not counts as a miss.
  func decide(
    _ request: RequestHead, route: Int, _ heads: HeadRewriter
  ) -> TargetPolicy.Decision {
    guard heads.links.routes.indices.contains(route) else { return .take(target: request.target) }
    let own = heads.links.routes[route]
    let decision = TargetPolicy.decide(request, upstream: own.upstream, port: own.port)
    if case .refuse(_, let detail) = decision { planning.refused(detail) }
    return decision
  }

  /// - Parameters:
  ///   - route: the upstream whose listener the request came by.
  ///   - exchange: which request of its connection it is, from 1.
  ///   - now_ns: asked for by the rules of a scenario.
  ///   - begun: what `begin` decided.
  package func plan(
    _ request: RequestHead, route: Int, content: ContentIdentity, exchange: Int64 = 1,
    begun: BegunRequest? = nil, now_ns: @autoclosure () -> Int64 = 0
  ) throws(StoreError) -> Plan {
    let plan = try planning.plan(
      request, upstream: names[route], content: content, exchange: exchange, begun: begun,
      now_ns: now_ns(), date: clock.now)
    if planning.scenario != nil { onFlagsTouched?() }
    return plan
  }

  /// Decides what can be of a request whose content is still to come, before it is planned.
  /// - Returns: nil when no rule says how to read it.
  func begin(_ request: RequestHead, route: Int, now_ns: Int64) -> BegunRequest? {
    planning.begin(request, upstream: names[route], now_ns: now_ns)
  }

  /// The answer to a request by its bytes alone, and how long its head is; counted as a play.
  /// - Parameter isGuest: the connection came by the port of another session, which has the
  ///   requests that don't name this one.
  func knownAnswer(
    to input: UnsafeRawBufferPointer, route: Int, isGuest: Bool
  ) -> (image: AnswerImage, request: KnownRequest, headCount: Int)? {
    guard let (request, headCount) = known.request(in: input, route: route),
      !isGuest || request.namesSession
    else { return nil }
    planning.session.played()
    return (request.answer.image(at: clock), request, headCount)
  }

  /// What a journal says of the head of an answer whose image was asked for just now.
  func head(of answer: KeptAnswer, _ play: PreparedPlay) -> AnsweredHead {
    answer.head { planning.dates.moved(play, now: $0).head }
  }

  /// Keeps the answer of a play to a request without content, when each such request will get it.
  func keep(_ answer: KeptAnswer, of play: Play, to request: RequestHead, route: Int) {
    guard planning.scenario == nil, play.isSettled, TargetPolicy.isOrdinary(request) else { return }
    known.insert(answer, of: play, to: request, route: route)
  }

  /// The script of a play as the answer to this request: with the dates of now, and what follows
  /// from its conditions and its range.
  package func script(
    of play: Play, for request: RequestHead, route: Int
  ) throws(StoreError) -> Script {
    try planning.script(of: play, for: request, upstream: names[route], date: clock.now)
  }

  /// A whole answer, and where it is kept if it is.
  enum WholeAnswer {
    case once(AnswerImage, AnsweredHead)
    case kept(KeptAnswer)
  }

  /// The whole answer of a play, when it has no timing and no ending of its own and the request
  /// asks for nothing else; it is the same for every HTTP/1.1 client that keeps the connection, but
  /// for its dates.
  func image(
    _ play: Play, for request: RequestHead, bodies: BodySource
  ) throws(StoreError) -> WholeAnswer? {
    let presence = Preconditions.Presence(request.fields)
    let prepared = play.prepared
    let method = prepared.interaction.request.method
    if planning.derives, Derivation.concerns(request, presence, recorded: method) {
      return nil
    }
    if let answer = images[play.id] { return .kept(answer) }
    guard prepared.script.isImmediate, !heads.mayChange(prepared.script) else { return nil }
    // A play answers its own method.
    let client = ClientFacts(RequestHead(method: method, target: [], version: .http11))
    var sink = WireSink(client: client, framing: prepared.script.framing, keepsAlive: true)
    var output = OutputQueue()
    var headCount: Int64 = 0
    let date = clock.now
    let script = planning.dates.moved(prepared, now: date)
    for step in script.steps {
      let ending = sink.perform(step.action, output: &output)
      if step.action.isOfHead { headCount = output.count }
      guard case .complete(keepsAlive: true)? = ending, let response = script.head else { continue }
      let head = AnsweredHead(response, byteCount: headCount)
      let isSmall = output.count <= Int64(AnswerImages.imageBytesMax)
      let image: AnswerImage = isSmall ? .bytes(try bodies.bytes(of: output)) : .queue(output)
      guard repeatedImages.meet(UInt64(bitPattern: play.id)) else { return .once(image, head) }
      let marks = planning.dates.marks(
        in: image.head, of: prepared.script, moved: script, prepared.interaction, now: date)
      let answer = KeptAnswer(image, head, marks: marks, date: date)
      if !images.insert(answer, of: play.id) { known.removeAll() }
      return .kept(answer)
    }
    return nil
  }

  /// The script as this client gets it.
  package func rewritten(_ script: Script, request: RequestHead, route: Int) -> Script {
    heads.rewrite(script, current: route, clientHost: request.fields.first(.host))
  }
}
