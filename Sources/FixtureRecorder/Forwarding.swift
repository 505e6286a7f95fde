import FixtureCassette
import FixtureExchange
import FixtureHTTP
import FixtureHTTP1
import FixtureReplay
import FixtureServing

/// One exchange passed through: what the client sends goes to the upstream as it arrives, what the
/// upstream sends goes to the client as it arrives, and the tap sees both.
///
/// What completes the response waits until the interaction is in the cassette, so that a kill loses
/// nothing that a client has fully received.
final class Forwarding: UpstreamUser {
  private let record: RecordLoop
  private let route: Int
  private let request: RequestHead
  private let upstreamRequest: UpstreamRequest
  private let client: ClientFacts
  private unowned let connection: ServedConnection
  private var tap: RecordingTap
  private var upstream: UpstreamConnection?
  /// Of the tap, as far as it is accounted for.
  private var heldBytes = 0
  private var contentBegan = false
  private var requestEnded = false
  private var requestTrailers = FieldSection()
  /// What was sent of the content, framed, while it is small enough to be sent again.
  private var resendable: [UInt8]? = []
  /// What waits for a connection.
  private var waiting: [UInt8] = []
  private var encoder: ResponseEncoder?
  private var output: [UInt8] = []
  private var responseTrailers: FieldSection?
  private var state = State.underWay

  private enum State {
    case underWay
    /// The response is whole, or its failure known; waits for the cassette.
    case committing
    case over
  }

  init(
    _ request: RequestHead, framing: BodyFraming, client: ClientFacts,
    route: Int, record: RecordLoop, connection: ServedConnection
  ) {
    self.record = record
    self.route = route
    self.client = client
    self.connection = connection
    self.request = request
    let origin = record.upstream(route)
    upstreamRequest = UpstreamRequest(
      for: request, framing: framing, upstream: origin.url, preservesHost: record.preservesHost)
    tap = RecordingTap(
      id: record.nextID(), startedAt_us: record.date_us, upstream: origin.name,
      origin: origin.url, authority: upstreamRequest.authority, request: request,
      hasContent: framing != .none,
      rule: record.contentRule)
    record.exchangeBegan()
  }

  func start() {
    if let idle = record.pool(route).take(for: request.method) { use(idle) } else { connect() }
  }

  private func connect() {
    record.pool(route).connect { [weak self] result in
      guard let self, self.state == .underWay else {
        if case .success(let unused) = result { unused.close() }
        return
      }
      switch result {
      case .success(let connection): self.use(connection)
      case .failure(let failure): self.failed(failure, answerBegun: false)
      }
    }
  }

  /// Sends the request, as far as it has come, on this connection.
  private func use(_ connection: UpstreamConnection) {
    upstream = connection
    tap.sent(on: connection.number)
    connection.begin(self, answering: request.method)
    var bytes: [UInt8] = []
    upstreamRequest.head(to: &bytes)
    bytes.append(contentsOf: waiting)
    waiting = []
    connection.send(bytes)
    relieveClient()
  }

  // MARK: The request

  func requestContent(_ bytes: UnsafeRawBufferPointer) {
    guard state == .underWay else { return }
    contentBegan = true
    if let piece = tap.requestContent(bytes) {
      record.append(piece, to: tap.requestToken, of: tap.interaction)
    }
    accountForHeld()
    var framed: [UInt8] = []
    upstreamRequest.content(bytes, to: &framed)
    send(framed)
    let congested = upstream.map(\.isCongested) ?? (waiting.count > Self.waitingBytesMax)
    if congested || isDiskBehind(then: { $0.relieveClient() }) { connection.pauseReading() }
  }

  /// Whether the disk is behind, in which case `then` is called once it no longer is.
  private func isDiskBehind(then: @escaping (Forwarding) -> Void) -> Bool {
    record.isCongested { [weak self] in
      if let self { then(self) }
    }
  }

  func requestEnded(trailers: FieldSection) {
    requestEnded = true
    guard state == .underWay else { return }
    tap.requestEnded(trailers: trailers, at: record.now_ns)
    var bytes: [UInt8] = []
    upstreamRequest.end(trailers: trailers, to: &bytes)
    if !bytes.isEmpty { send(bytes) }
    record.expectAnswer(route)
  }

  private func send(_ bytes: [UInt8]) {
    if let held = resendable?.count, held + bytes.count <= Self.resendableBytesMax {
      resendable?.append(contentsOf: bytes)
    } else {
      resendable = nil
    }
    if let upstream { upstream.send(bytes) } else { waiting.append(contentsOf: bytes) }
  }

  func upstreamDrained() { relieveClient() }

  /// A client that expects a 100 may wait for the upstream before it sends content.
  var waitsForClient: Bool { !requestEnded && (contentBegan || !client.expectsContinue) }

  private func relieveClient() {
    guard state == .underWay, !(upstream?.isCongested ?? false),
      !isDiskBehind(then: { $0.relieveClient() })
    else { return }
    connection.resumeReading()
  }

  // MARK: The response

  func received(_ event: ResponseEvent, content: UnsafeRawBufferPointer) {
    guard state == .underWay else { return }
    switch event {
    case .needMore: break
    case .interim(let head):
      tap.interim(head, at: record.now_ns)
      ResponseEncoder(client: client, recorded: .none, keepsAlive: true)
        .interim(onWire(head), to: &output)
    case .head(let head, let framing, bothFramings: let both):
      tap.responseHead(head, framing: framing, bothFramings: both, at: record.now_ns)
      if both { record.pool(route).report("a response had both framings; read by its chunks") }
      begin(head, framing)
    case .content(let range):
      let bytes = UnsafeRawBufferPointer(rebasing: content[range])
      if let piece = tap.responseContent(bytes, at: record.now_ns) {
        record.append(piece, to: tap.responseToken, of: tap.interaction)
      }
      accountForHeld()
      encoder?.beforeContent(count: Int64(bytes.count), to: &output)
      output.append(contentsOf: bytes)
      encoder?.afterContent(to: &output)
    case .end(let trailers):
      tap.responseEnded(trailers: trailers)
      encoder?.end(trailers: trailers, to: &output)
      responseTrailers = trailers
    }
  }

  /// What is held to be redacted counts for all exchanges together.
  private func accountForHeld() {
    let change = tap.heldBytes - heldBytes
    guard change != 0 else { return }
    heldBytes += change
    guard !record.hold(change) else { return }
    for part in tap.release() { record.append(part.bytes, to: part.token, of: tap.interaction) }
    accountForHeld()
  }

  private func begin(_ head: ResponseHead, _ framing: BodyFraming) {
    var encoder = ResponseEncoder(
      client: client, recorded: RecordedFraming(framing),
      keepsAlive: requestEnded && !connection.context.isDraining)
    encoder.head(onWire(head), to: &output)
    self.encoder = encoder
  }

  private func onWire(_ head: ResponseHead) -> ResponseHead {
    record.onWire(head, route: route, clientHost: request.fields.first(.host))
  }

  func readEnded() {
    guard state == .underWay else { return }
    if responseTrailers != nil {
      if !requestEnded { upstream?.discard() }
      return commit(.complete, nil)
    }
    guard !output.isEmpty else { return }
    record.progress(tap)
    if let encoder { connection.finalResponseBegan(cut: encoder.ending(.cancelled)) }
    connection.send(takeOutput())
    connection.flush()
    guard state == .underWay else { return }
    if connection.isCongested || isDiskBehind(then: { $0.clientDrained() }) {
      upstream?.pauseReading()
    }
  }

  func clientDrained() {
    guard state == .underWay, !connection.isCongested,
      !isDiskBehind(then: { $0.clientDrained() })
    else { return }
    upstream?.resumeReading()
  }

  private func takeOutput() -> [UInt8] {
    defer { output = [] }
    return output
  }

  // MARK: Endings

  func failed(_ failure: UpstreamFailure, answerBegun: Bool) {
    guard state == .underWay else { return }
    let reused = upstream?.isReused ?? false
    upstream = nil
    if let content = resendable,
      RetryRule.mayRetry(
        method: request.method, reused: reused, answerBegun: answerBegun, contentIsWhole: true)
    {
      // A new connection, never another idle one: that may be as dead as this.
      waiting = content
      return connect()
    }
    failure.isOurs ? refuse(failure.detail) : commit(failure.outcome, failure.detail)
  }

  /// Nothing was learnt of the upstream, so nothing is recorded.
  private func refuse(_ detail: String) {
    end()
    record.report("\(detail); not recorded")
    record.abandon(tap.requestToken)
    _ = record.hold(-heldBytes)
    connection.refuse(status: 503, detail: detail, isHead: client.isHead)
  }

  /// The client left, or the recorder stops.
  func abort(_ detail: String) {
    guard state != .over else { return }
    let wasUnderWay = state == .underWay
    end()
    upstream?.close()
    upstream = nil
    if wasUnderWay { store(.cancelled, detail) {} }
  }

  private func end() {
    state = .over
    record.exchangeEnded()
  }

  private func commit(_ outcome: Outcome, _ detail: String?) {
    state = .committing
    upstream = nil
    store(outcome, detail) { [self] in
      guard state == .committing else { return }
      end()
      outcome == .complete ? release() : endBadly(outcome, detail)
    }
  }

  /// Hands the interaction to the cassette; `then` runs once it is in, or can't be.
  private func store(_ outcome: Outcome, _ detail: String?, then: @escaping () -> Void) {
    let (draft, requestRest, responseRest) = tap.finish(
      outcome: outcome, detail: detail, at: record.now_ns)
    if let requestRest {
      record.append(requestRest, to: tap.requestToken, of: draft.interaction)
    }
    if let responseRest {
      record.append(responseRest, to: tap.responseToken, of: draft.interaction)
    }
    record.commit(
      draft, tap.exceptions, heldBytes: heldBytes, responseCount: tap.responseCount, then: then)
  }

  private func release() {
    guard let encoder else { return connection.abort() }
    connection.finalResponseBegan(cut: encoder.ending(.cancelled))
    connection.send(takeOutput())
    connection.end(encoder.ending(.complete))
    connection.flush()
    record.expectRequest()
  }

  /// The client sees what the upstream did: what came, then an ending that is no complete response.
  private func endBadly(_ outcome: Outcome, _ detail: String?) {
    guard let encoder else { return answerFailure(outcome, detail) }
    connection.finalResponseBegan(cut: encoder.ending(.cancelled))
    connection.send(takeOutput())
    connection.end(encoder.ending(outcome))
    connection.flush()
  }

  private func answerFailure(_ outcome: Outcome, _ detail: String?) {
    let answer = GatewayAnswer(outcome, detail: detail)
    let (bytes, ending) = ResponseEncoder.answer(
      answer.head, answer.content, to: client, keepsAlive: requestEnded)
    connection.finalResponseBegan(cut: .close)
    // Interim responses that came in the same read.
    connection.send(takeOutput())
    connection.send(bytes)
    connection.end(ending)
    connection.flush()
  }

  /// A request up to this size is kept to be sent again when an idle connection turns out dead.
  private static let resendableBytesMax = 64 << 10
  private static let waitingBytesMax = 256 << 10
}
