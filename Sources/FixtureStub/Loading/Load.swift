import Dispatch
import FixtureCoding
import FixtureHTTP
import FixtureReplay
import FixtureSetup
import FixtureStore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a task gets, from its first request to its end: over redirects and repeats with
/// credentials, each of them an exchange.
///
///     begin ─▶ reading ─▶ waiting ─▶ playing ─▶ asking ─▶ …playing ─▶ over
///              (content)  (at the    (the       (the
///                          doorway)   script)    delegate)
///
/// Everything happens on the task's queue. What comes from elsewhere comes by `bridge.perform`.
final class Load: @unchecked Sendable {
  // Confined to the task's queue, see above.

  enum Phase {
    case reading
    case waiting
    case playing
    /// The delegate was asked.
    case asking
    /// The request was sent to where it belongs, to be recorded.
    case forwarding
    case over
  }

  let fixture: Fixture
  let configuration: URLSessionConfiguration
  let bridge: TaskBridge
  /// Where time has passed; an answer that comes at once has no need of one.
  private var timeline: FixtureTimeline?
  private let began_ns: Int64
  private let onEnd: () -> Void
  var request: URLRequest
  /// The parts of the request's URL, when they are known.
  var live: LiveURL?
  var content = RequestContent.absent
  var phase = Phase.reading
  /// The exchange under way.
  var hop: Hop?
  /// The exchange whose answer is being recorded, and the request for it.
  var forwarded: (entry: JournalEntry, ticket: EpisodeRecorder.Ticket)?
  var redirects = 0
  var challenges = 0
  /// Content of the response, for a client that gets it at its end.
  var received = Data()
  private(set) lazy var isStreaming = bridge.reportsToDelegate
  private var ticket: Doorway.Ticket?
  private var isParked = false
  private(set) var isSuspended = false
  /// When the next step is due; nil when something else must happen first.
  private var due_ns: Int64?
  private var requestDeadline_ns = Int64.max
  private var resourceDeadline_ns = Int64.max
  private var gate: (gate: FixtureGate, token: FixtureGate.Token)?

  init(
    of fixture: Fixture, _ source: any ConfigurationSource, _ request: URLRequest,
    _ bridge: TaskBridge, onEnd: @escaping () -> Void
  ) {
    self.fixture = fixture
    self.request = request
    self.bridge = bridge
    self.onEnd = onEnd
    configuration = source.current
    began_ns = fixture.clock.now_ns
  }

  func begin() {
    guard !fixture.isFinished else { return straggle(wasOpen: false) }
    if let refusal = bridge.refusal { return fail(.unsupportedURL, refusal) }
    live = request.url.flatMap { LiveURL($0.absoluteString) }
    guard live != nil else {
      return fail(.unsupportedURL, "only http and https URLs with a host can be replayed")
    }
    readContent()
  }

  /// The task was suspended.
  func suspend() {
    isSuspended = true
    timeline?.cancel()
  }

  /// The task was resumed.
  func resume() {
    isSuspended = false
    bridge.resumed()
    if phase != .over { goOn() }
  }

  /// The session has told the client.
  func cancel() {
    bridge.cancelled()
    over(.aborted)
    fixture.clock.note(isEnd: true)
  }

  /// May be called from anywhere once the load was parked.
  func fixtureFinished() {
    bridge.perform { self.straggle(wasOpen: true) }
  }

  private func straggle(wasOpen: Bool) {
    guard phase != .over else { return }
    fixture.remarks.add(
      Fixture.Straggler(
        method: request.httpMethod ?? "GET", url: request.url?.absoluteString ?? "",
        wasOpen: wasOpen))
    over(.stopped)
    bridge.fail(fixture.finishedError(for: request.url))
    fixture.clock.note(isEnd: true)
  }

  // MARK: Time

  /// On the fixture's clock, or on its own where that is immediate.
  var now_ns: Int64 {
    if let timeline { return timeline.now_ns }
    return fixture.clock.kind == .immediate ? began_ns : fixture.clock.now_ns
  }

  /// Goes on when a step is due, unless a timeout comes first.
  func wait(until due_ns: Int64?) {
    self.due_ns = due_ns
    guard park() else { return }
    armTimer(orAt: min(requestDeadline_ns, resourceDeadline_ns))
  }

  /// As `wait`, for something that others decide; on an immediate clock no time passes meanwhile.
  func waitForOthers() {
    if fixture.clock.kind != .immediate { return wait(until: nil) }
    due_ns = nil
    _ = park()
  }

  /// As `wait`, for something that has a time of its own.
  func waitForLive() {
    timeline?.cancel()
    due_ns = nil
    _ = park()
  }

  private func armTimer(orAt deadline_ns: Int64) {
    let next_ns = min(due_ns ?? .max, deadline_ns)
    guard !isSuspended, next_ns < .max else {
      timeline?.cancel()
      return
    }
    let isOnQueue = bridge.queue != nil
    let timeline = timeline ?? FixtureTimeline(fixture.clock, at: began_ns)
    self.timeline = timeline
    timeline.wait(until: next_ns, on: bridge.queue) {
      if isOnQueue { self.woken() } else { self.bridge.perform { self.woken() } }
    }
  }

  private func woken() {
    guard phase != .over, !isSuspended else { return }
    let deadline_ns = min(requestDeadline_ns, resourceDeadline_ns)
    if now_ns >= deadline_ns, due_ns.map({ $0 > deadline_ns }) ?? true {
      return fail(.timedOut)
    }
    goOn()
  }

  func goOn() {
    switch phase {
    case .reading: wait(until: nil)
    case .asking, .forwarding: break
    case .waiting: knock()
    case .playing: advance()
    case .over: break
    }
  }

  /// Something came: what may be waited for it counts from now (the request timeout is one of being
  /// idle).
  func restartIdleTimer() {
    // 60 s is what a request says that says nothing.
    let own = request.timeoutInterval
    requestDeadline_ns = deadline(after: own == 60 ? configuration.timeoutIntervalForRequest : own)
  }

  private func deadline(after seconds: TimeInterval) -> Int64 {
    guard seconds > 0, seconds < 1e9 else { return .max }
    return now_ns.saturatingAdding(Int64(seconds * 1_000_000_000))
  }

  /// Whoever waits can be told that the fixture is finished.
  /// - Returns: false when it is.
  func park() -> Bool {
    guard !isParked else { return true }
    let whole = configuration.timeoutIntervalForResource
    resourceDeadline_ns = whole < 1e9 ? began_ns.saturatingAdding(Int64(whole * 1e9)) : .max
    if requestDeadline_ns == .max { restartIdleTimer() }
    // To be found out here: others may ask from elsewhere now.
    _ = bridge.queue
    guard fixture.park(self) else {
      straggle(wasOpen: true)
      return false
    }
    isParked = true
    return true
  }

  // MARK: The doorway

  func startHop() {
    guard fixture.doorway != nil else { return serve() }
    phase = .waiting
    knock()
  }

  private func knock() {
    guard let doorway = fixture.doorway else { return serve() }
    guard park() else { return }
    leaveDoorway()
    let (answer, ticket) = doorway.enter(at: now_ns) { answer in
      self.perform { self.told(answer) }
    }
    self.ticket = ticket
    met(answer)
  }

  private func told(_ answer: Doorway.Answer) {
    guard case .waiting = phase, !isSuspended else { return }
    if case .unanswered = answer { knock() } else { met(answer) }
  }

  private func met(_ answer: Doorway.Answer) {
    switch answer {
    case .served: serve()
    case .refused: fail(.refused)
    case .reset: fail(.reset)
    case .held: waitForOthers()
    case .stalled: wait(until: nil)
    case .unanswered(let until_ns): wait(until: until_ns)
    }
  }

  /// Does something on the task's queue. An advance of a manual clock goes on after it, where the
  /// queue is known. May be called from anywhere once the load was parked.
  private func perform(_ action: @escaping @Sendable () -> Void) {
    guard let queue = bridge.queue else { return bridge.perform(action) }
    fixture.clock.perform(on: queue, action)
  }

  func leaveDoorway() {
    if let ticket { fixture.doorway?.leave(ticket) }
    ticket = nil
  }

  // MARK: Gates

  func waitAt(_ gate: Gate) {
    if gate == .clientLeaves { return wait(until: nil) }
    guard park() else { return }
    let found = fixture.gate(gate.name)
    guard self.gate == nil else { return waitForOthers() }
    waitForOthers()
    self.gate = (
      found,
      found.enter {
        self.perform { self.opened(gate) }
      }
    )
    fixture.clock.note()
  }

  private func opened(_ gate: Gate) {
    guard phase == .playing else { return }
    self.gate = nil
    hop?.playhead.open(gate, at: now_ns)
    if !isSuspended { advance() }
  }

  // MARK: The end

  func fail(_ failure: TransportFailure) {
    let outcome: JournalEntry.Outcome =
      switch failure {
      case .closedBeforeHead, .closedInHead, .cutShort: .closed
      case .reset, .statusMalformed, .fieldMalformed, .chunkMalformed: .reset
      case .contentUndecodable, .codingUnknown, .redirectsTooMany: .completed
      case .refused, .timedOut, .contentNotAllowed: .aborted
      }
    over(outcome)
    bridge.fail(URLError(failure.code(fixture.errorCodes), failure.words, for: request.url))
    fixture.clock.note(isEnd: true)
  }

  func fail(_ code: URLError.Code, _ words: String) {
    over(.aborted)
    bridge.fail(URLError(code, words, for: request.url))
    fixture.clock.note(isEnd: true)
  }

  /// The client has all of it.
  func finish(_ response: ReplayedResponse?) {
    over(.completed)
    if !received.isEmpty { bridge.load(received) }
    bridge.finish(response)
    fixture.clock.note(isEnd: true)
  }

  /// Lets go of everything, before the client is told: what the journal says is final by then.
  private func over(_ outcome: JournalEntry.Outcome) {
    phase = .over
    timeline?.cancel()
    endHop(outcome)
    if isParked { fixture.unpark(self) }
    onEnd()
  }

  func endHop(_ outcome: JournalEntry.Outcome) {
    if let gate { gate.gate.leave(gate.token) }
    gate = nil
    leaveDoorway()
    if let hop { end(&hop.entry, outcome) }
    hop = nil
    if var forwarded {
      end(&forwarded.entry, outcome)
      fixture.recording?.recorder.cancel(forwarded.ticket)
    }
    forwarded = nil
  }

  /// Only the first call for an exchange counts.
  func end(_ entry: inout JournalEntry, _ outcome: JournalEntry.Outcome) {
    guard !entry.isSettled else { return }
    entry.end(outcome, at: now_ns)
    fixture.journal.note(entry)
  }
}
