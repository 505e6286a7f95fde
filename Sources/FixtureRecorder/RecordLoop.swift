import FixtureCassette
import FixtureEventLoop
import FixtureExchange
import FixtureHTTP
import FixtureServing
import FixtureStore
import FixtureTLS

/// What all exchanges of a recording share: the cassette's writer, redaction, the upstreams'
/// connections, the order of requests. Confined to the recorder's one loop, so that order is true.
final class RecordLoop {
  let loop: EventLoop
  let preservesHost: Bool
  /// Plays what the cassette already has; nil when everything is forwarded.
  let replay: ReplayLoop?
  private var summary = RecordSummary()
  /// Connections that end from now on end because of us.
  var isStopping = false
  /// Called once, when the cassette can't be written any more.
  var onFailure: () -> Void = {}

  private let configuration: RecordConfiguration
  private let writer: CassetteWriter
  private let heads: HeadRewriter
  private lazy var redaction = Redaction(configuration, file, on: loop) { [unowned self] in
    redacted($0)
  }
  private let file: RecordFile.Opened
  /// Content that is held to be redacted.
  private var heldBytes = 0
  /// Of that, what is being redacted, by interaction.
  private var held: [Int64: Int] = [:]
  /// Contents that are being handed to the writer and may hold secrets.
  private var streams: [BodyToken: SearchedStream] = [:]
  private var pools: [UpstreamPool] = []
  /// Connections to all upstreams together, idle ones included.
  private let upstreamsMax: Int
  private var id: Int64
  private var connectionNumber: Int64 = 0
  private var hasFailed = false
  private let plaintext = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 64 << 10, alignment: 16)
  /// Completions of commits under way, by interaction; they touch objects of this loop.
  private var waiting: [Int64: () -> Void] = [:]
  /// What this round has to be stored, in order.
  private var drafts: [InteractionDraft] = []
  /// Exchanges with upstreams that are under way.
  private var exchangeCount = 0
  /// Whether clients ask again at once.
  private let requestVigil = Vigil()
  private var drainWaiters: [() -> Void] = []
  private var nextProgress_ns: Int64 = 0

  init(
    loop: EventLoop, configuration: RecordConfiguration, file: RecordFile.Opened,
    listeners: Listeners, heads: HeadRewriter, tls: TLSContext?, replay: ReplayLoop?,
    upstreamsMax: Int
  ) {
    self.loop = loop
    self.configuration = configuration
    self.file = file
    writer = file.writer
    self.heads = heads
    self.replay = replay
    self.upstreamsMax = upstreamsMax
    preservesHost = configuration.preservesHost
    id = file.writer.nextID
    let resolver = Resolver()
    let timeouts = UpstreamConnection.Timeouts(
      connect_ns: configuration.connectTimeout_ns, idle_ns: configuration.idleTimeout_ns)
    pools = configuration.upstreams.map { upstream in
      UpstreamPool(
        upstream: upstream.url, loop: loop, resolver: resolver,
        tls: upstream.url.scheme == .https ? tls : nil, timeouts: timeouts,
        plaintext: plaintext, nextNumber: { [unowned self] in nextConnectionNumber() },
        listeners: listeners, makeRoom: { [unowned self] in makeRoom() },
        onReport: configuration.onError)
    }
  }

  deinit {
    plaintext.deallocate()
  }

  var now_ns: Int64 { loop.now_ns }
  var date_us: Int64 { WallClock.now_us() }

  func upstream(_ route: Int) -> RecordConfiguration.Upstream { configuration.upstreams[route] }
  func pool(_ route: Int) -> UpstreamPool { pools[route] }

  func nextID() -> Int64 {
    defer { id += 1 }
    return id
  }

  func exchangeBegan() { exchangeCount += 1 }
  func exchangeEnded() { exchangeCount -= 1 }

  /// A request has gone out. With others under way there is enough to do until its answer comes.
  func expectAnswer(_ route: Int) {
    if exchangeCount == 1 { loop.expectEvent(pools[route].answerVigil) }
  }

  /// An answer has gone out: clients that ask for one thing after the other may ask again at once.
  func expectRequest() {
    if exchangeCount == 0 { loop.expectEvent(requestVigil) }
  }

  /// Closes an idle connection to some upstream if there are as many as there may be. One is idle
  /// then: each of the others has its own client.
  private func makeRoom() {
    guard pools.reduce(0, { $0 + $1.count }) >= upstreamsMax else { return }
    pools.first { $0.hasIdle }?.closeIdle()
  }

  private func nextConnectionNumber() -> Int64 {
    connectionNumber += 1
    return connectionNumber
  }

  /// The head as this client gets it: links and, if asked for, cookies kept on our listeners.
  func onWire(_ head: ResponseHead, route: Int, clientHost: ArraySlice<UInt8>?) -> ResponseHead {
    heads.rewrite(head, current: route, clientHost: clientHost) { elsewhere in
      switch elsewhere {
      case .link(let origin): count(origin, in: &summary.linksElsewhere)
      case .cookie(let reason): count(reason, in: &summary.cookiesElsewhere)
      }
    }
  }

  /// What was recorded, once all of it is in the file.
  func finishedSummary() -> RecordSummary {
    summary.linksInContent = redaction.contentLinks
    return summary
  }

  private func count(_ origin: String, in counts: inout [String: Int]) {
    guard counts[origin] != nil || counts.count < Self.originsMax else { return }
    counts[origin, default: 0] += 1
  }

  // MARK: The cassette

  /// Whether more waits for the disk than may, so that the source has to pause.
  ///
  /// One question and not two, since the writer's thread changes the answer at any moment.
  /// - Parameter then: called on this loop when the source may ask again; never if the answer is
  ///   false.
  func isCongested(then: @escaping () -> Void) -> Bool {
    guard writer.queuedBytes > Self.queuedBytesMax else { return false }
    drainWaiters.append(then)
    if drainWaiters.count == 1 { waitForDisk() }
    return true
  }

  private func waitForDisk() {
    let bound = LoopReference(self, on: loop)
    let handle = loop.handle
    writer.whenDrained(below: Self.queuedBytesMax / 2) {
      handle.post { bound.object?.drained() }
    }
  }

  private func drained() {
    let waiters = drainWaiters
    drainWaiters = []
    for waiter in waiters { waiter() }
  }

  /// Hands a part of a content to the writer, once no secret is found in it.
  /// - Parameter interaction: what is known of the content's interaction.
  func append(
    _ piece: [UInt8], to token: BodyToken, of interaction: @autoclosure () -> Interaction
  ) {
    guard !hasFailed else { return }
    guard contentRule == .held else { return writer.append(piece, to: token) }
    // Taken out, so that adding to it copies nothing.
    let known = streams.removeValue(forKey: token)
    if known == nil { redaction.learn(from: interaction()) }
    var stream = known ?? SearchedStream()
    let wasOmitted = stream.isOmitted
    let part = stream.append(piece) { redaction.holdsSecret($0) }
    if let part { writer.append(part, to: token) }
    if stream.isOmitted, !wasOmitted { writer.abandon(token) }
    streams[token] = stream
  }

  /// Hands the rest of streamed content to the writer; what holds a secret is left out.
  private func finishStreams(
    of draft: inout InteractionDraft, _ exceptions: inout [Redactor.Exception]
  ) {
    if case .streamed(let token) = draft.requestBody, finishStream(token) {
      draft.omitRequestContent()
      exceptions.append(Redactor.Exception(side: .request, omission: .opaque))
    }
    if case .streamed(let token) = draft.responseBody, finishStream(token) {
      draft.omitResponseContent()
      exceptions.append(Redactor.Exception(side: .response, omission: .opaque))
    }
  }

  /// - Returns: whether it is left out.
  private func finishStream(_ token: BodyToken) -> Bool {
    guard var stream = streams.removeValue(forKey: token), !hasFailed else { return false }
    if let rest = stream.finish() { writer.append(rest, to: token) }
    return stream.isOmitted
  }

  /// Stores an interaction, redacted; `then` runs on this loop once it is in the cassette, or once
  /// it is known that it can't be: the client gets its answer either way.
  func commit(
    _ draft: InteractionDraft, _ exceptions: [Redactor.Exception], heldBytes: Int,
    responseCount: Int64, then: @escaping () -> Void
  ) {
    if draft.interaction.outcome != .complete, !hasFailed {
      summary.incomplete[draft.interaction.outcome, default: 0] += 1
    }
    var (draft, exceptions) = (draft, exceptions)
    finishStreams(of: &draft, &exceptions)
    waiting[draft.interaction.id] = then
    if heldBytes > 0 { held[draft.interaction.id] = heldBytes }
    redaction.perform(draft, exceptions, responseCount: responseCount)
  }

  private func redacted(_ prepared: Redaction.Prepared) {
    let draft = prepared.draft
    // From now on it counts as what waits for the disk.
    heldBytes -= held.removeValue(forKey: draft.interaction.id) ?? 0
    guard !hasFailed else { return end([draft.interaction.id]) }
    if let description = prepared.description { writer.updateDescription(description) }
    drafts.append(draft)
    if drafts.count == 1 { loop.atEndOfRound { [unowned self] in handOver() } }
  }

  /// Gives the writer what this round has to be stored. With nobody else to be held up, in place.
  private func handOver() {
    var drafts: [InteractionDraft] = []
    swap(&drafts, &self.drafts)
    let keys = drafts.map(\.interaction.id)
    if drafts.count == 1, isOnlyOne, let result = writer.commitInPlace(drafts[0]) {
      switch result {
      case .success: return committed(keys, nil)
      case .failure(let error): return committed(keys, error)
      }
    }
    let bound = LoopReference(self, on: loop)
    let handle = loop.handle
    writer.commit(drafts) { error in
      handle.post { bound.object?.committed(keys, error) }
    }
  }

  /// Whether no other exchange is under way, nor a play that nobody counts.
  private var isOnlyOne: Bool { exchangeCount <= 1 && replay == nil }

  private func committed(_ keys: [Int64], _ error: StoreError?) {
    if let error { failed(error) } else { summary.recorded += keys.count }
    end(keys)
  }

  private func end(_ keys: [Int64]) {
    for key in keys { waiting.removeValue(forKey: key)?() }
    if waiting.isEmpty, let settled = self.settled {
      self.settled = nil
      settled()
    }
  }

  /// Calls `then` once every commit given so far has ended; one caller at a time.
  func whenSettled(_ then: @escaping () -> Void) {
    if waiting.isEmpty { then() } else { settled = then }
  }
  private var settled: (() -> Void)?

  private func failed(_ error: StoreError) {
    guard !hasFailed else { return }
    hasFailed = true
    configuration.onFailure(error)
    onFailure()
  }

  /// How content that may hold secrets is recorded.
  var contentRule: RecordedContent.Rule {
    if configuration.redactions == nil { return .streamed }
    return configuration.storesUnredacted ? .heldOrStreamed : .held
  }

  /// Takes account of content that is held to be redacted.
  /// - Parameter change: bytes more, or fewer, than before.
  /// - Returns: whether that may be.
  func hold(_ change: Int) -> Bool {
    heldBytes += change
    return change <= 0 || heldBytes <= Self.heldBytesMax
  }

  /// Tells how far a response has come that is long enough to be waited for.
  func progress(_ tap: RecordingTap) {
    guard let onProgress = configuration.onProgress, tap.responseCount >= Self.progressBytesMin,
      now_ns >= nextProgress_ns
    else { return }
    nextProgress_ns = now_ns + Self.progressInterval_ns
    if let line = redaction.progress(tap.interaction, responseCount: tap.responseCount) {
      onProgress(line)
    }
  }

  /// Forgets content that no interaction will name, as far as it was handed over.
  func abandon(_ token: BodyToken) {
    streams[token] = nil
    writer.abandon(token)
  }

  func report(_ message: String) { configuration.onError(message) }

  func played() { summary.played += 1 }

  func closeUpstreams() {
    for pool in pools { pool.closeAll() }
  }

  /// Four pieces of the largest size: enough for the disk to work while the network does.
  private static let queuedBytesMax = 8 << 20
  /// Eight times the largest content that is redacted, with room for small ones.
  private static let heldBytesMax = 192 << 20
  /// Shorter responses are over before a line about them is read.
  private static let progressBytesMin: Int64 = 1 << 20
  private static let progressInterval_ns: Int64 = 500_000_000
  /// Different origins counted in the summary.
  private static let originsMax = 1000
}
