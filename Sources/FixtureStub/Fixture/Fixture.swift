import Dispatch
import FixtureHTTP
import FixtureReplay
@_exported public import FixtureSetup
import FixtureStore
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One replay of a cassette inside a test's process: answers what its sessions ask, and knows what
/// they asked. No socket is opened, and nothing else is ever asked.
///
///     let fixture = try Fixture(replaying: Cassette(named: "feed"))
///     let api = API(session: fixture.session)
///     …
///     #expect(fixture.exchanges.map(\.status) == [200])
///
/// Any number may be used at once, for the same URLs: each has its own counts, flags and clock, and
/// answers only its own sessions.
public final class Fixture: Sendable {
  /// The time of the replay, and of the app if it is given it.
  public let clock: FixtureClock
  package let cassetteName: String
  /// What the clock's zero is as a date: µs since 1970.
  let startedAt_us: Int64
  let errorCodes: ErrorCodes
  let journal = Journal()
  let remarks = Remarks()
  let links = SharedLinks()
  let scenario: ScenarioSession?
  /// nil when no rule is about connections.
  let doorway: Doorway?
  /// nil: what is not in the cassette is a miss.
  package let recording: EpisodeRecording?
  /// Whether the queue of a task is looked for; see `TaskBridge`.
  let findsQueues: Bool
  private let planner: Mutex<AnswerPlanner>
  private let state = Mutex(State())
  private let warningTexts: WarningTexts

  private struct State: Sendable {
    var gates: [String: FixtureGate] = [:]
    weak var session: URLSession?
    /// What sessions are made with, so that each has the cookies of the one before.
    let own = URLSessionConfiguration.ephemeral
    /// Those that wait for something.
    var parked: [ObjectIdentifier: Load] = [:]
    var isFinished = false
    /// Where a configuration can't keep us.
    var kept: [any ConfigurationSource] = []
  }

  /// Makes a replay of a cassette.
  ///
  /// - Parameters:
  ///   - scenario: what happens to the answers; nil: they come as recorded.
  ///   - clock: by which delays and timeouts go.
  ///   - errorCodes: which codes of `URLError` failures have.
  /// - Throws: what is wrong with the cassette, the scenario or the options.
  public convenience init(
    replaying cassette: Cassette, scenario: FixtureScenario? = nil,
    options: FixtureOptions = .init(), clock: FixtureClock = .real,
    errorCodes: ErrorCodes = .common
  ) throws(FixtureFailure) {
    try self.init(
      replaying: cassette, scenario: scenario, options: options, clock: clock,
      errorCodes: errorCodes, findsQueues: true)
  }

  init(
    replaying cassette: Cassette, scenario: FixtureScenario?, options: FixtureOptions,
    clock: FixtureClock, errorCodes: ErrorCodes, findsQueues: Bool,
    recording: EpisodeRecording? = nil
  ) throws(FixtureFailure) {
    let setup = try ReplaySetup(cassette, scenario: scenario, options: options)
    let began_ns = clock.now_ns
    let session = setup.scenario?.begun(at: began_ns)
    let warnings = WarningTexts()
    // Dates follow the clock, also one that stands still.
    let start = Int64(Date().timeIntervalSince1970) - began_ns / 1_000_000_000
    startedAt_us = start * 1_000_000
    planner = Mutex(
      try AnswerPlanner(
        setup, ReplaySession(), scenario: session, start: start, onError: { warnings.add($0) }))
    self.clock = clock
    self.errorCodes = errorCodes
    self.findsQueues = findsQueues
    self.recording = recording
    self.scenario = session
    warningTexts = warnings
    cassetteName = setup.name
    doorway = session?.connections.map { Doorway($0, began_ns: began_ns, clock: clock) }
  }

  /// A session that this fixture answers; the same one as long as somebody keeps it, and the next
  /// one has its cookies. It has no delegate, and an ephemeral configuration: for others,
  /// `configuration` makes them.
  public var session: URLSession {
    let (session, own) = state.withLock { ($0.session, $0.own) }
    if let session { return session }
    let new = URLSession(configuration: own.replaying(self))
    return state.withLock { state in
      if let session = state.session { return session }
      state.session = new
      return new
    }
  }

  /// A new ephemeral configuration whose sessions this fixture answers. `replaying(_:)` makes one
  /// of your own.
  public var configuration: URLSessionConfiguration {
    URLSessionConfiguration.ephemeral.replaying(self)
  }

  /// In the order in which requests came: also those that are not answered yet, that failed, or
  /// that their client left. Each hop of a redirect is one. What never got a connection is none.
  /// Beyond 100,000 of them, or 256 MiB of contents, the oldest are forgotten.
  public var exchanges: [Exchange] { journal.entries.map { Exchange($0, seed: seed) } }

  /// The requests that no recording answers, and what would have.
  public var misses: [Miss] { remarks.misses }

  /// What else whoever wrote the scenario or recorded the cassette should know, once each: rules
  /// that can do nothing to an answer, answers that the client may not be able to read.
  public var warnings: [String] { warningTexts.all }

  /// Requests that came, or were still open, after `finish()`.
  public var stragglers: [Straggler] { remarks.stragglers }

  /// The recordings that no request was answered from so far.
  ///
  /// Empty when the cassette can't be read any more.
  public var unusedRecordings: [Recording] {
    read { (planner) throws(StoreError) in try planner.recordings(try planner.unused()) }
  }

  /// The same by their numbers.
  var unused: [Int64] { read { (planner) throws(StoreError) in try planner.unused() } }

  private func read<Value: Sendable>(
    _ body: (AnswerPlanner) throws(StoreError) -> [Value]
  ) -> [Value] {
    planner.withLock { planner in
      do throws(StoreError) {
        return try body(planner)
      } catch {
        warningTexts.add(error.description)
        return []
      }
    }
  }

  /// What chance is drawn from; nil without a scenario.
  public var seed: UInt64? { scenario?.seed }

  /// The gate that plays with the rule `hold NAME` wait at; the same one for each call.
  public func gate(_ name: String) -> FixtureGate {
    state.withLock { state in
      if let gate = state.gates[name] { return gate }
      let gate = FixtureGate(name)
      state.gates[name] = gate
      return gate
    }
  }

  /// The test is over. Whatever is still open ends with an error, and so does every later request:
  /// it names the cassette, and `stragglers` has them. Does nothing when it was called before.
  public func finish() { finish { _ in } }

  /// - Parameter onLate: called for each request that comes later, on any thread.
  package func finish(onLate: @escaping @Sendable (Straggler) -> Void) {
    remarks.onLate(onLate)
    let parked = state.withLock { state in
      state.isFinished = true
      state.kept = []
      defer { state.parked = [:] }
      return Array(state.parked.values)
    }
    for load in parked { load.fixtureFinished() }
    recording?.recorder.finish()
  }
}

extension Fixture {
  /// What requests get after `finish()`.
  func finishedError(for url: URL?) -> URLError {
    URLError(
      .resourceUnavailable,
      "the test that replayed \(cassetteName) is over: no request of it is answered any more",
      for: url)
  }

  /// How many tasks wait for something now.
  package var waiting: Int { state.withLock { $0.parked.count } }

  var isFinished: Bool { state.withLock { $0.isFinished } }

  /// A load waits for something.
  /// - Returns: false when nothing is answered any more.
  func park(_ load: Load) -> Bool {
    state.withLock { state in
      guard !state.isFinished else { return false }
      state.parked[ObjectIdentifier(load)] = load
      return true
    }
  }

  func unpark(_ load: Load) {
    state.withLock { _ = $0.parked.removeValue(forKey: ObjectIdentifier(load)) }
  }

  /// Keeps what nobody else does, until `finish()`.
  func keep(_ source: any ConfigurationSource) {
    state.withLock { $0.kept.append(source) }
  }

  func answer(
    _ request: RequestHead, to live: LiveURL, _ url: URL, _ content: Data, at now_ns: Int64
  ) throws(StoreError) -> PlannedAnswer {
    let answer = try planner.withLock { (planner) throws(StoreError) in
      try planner.answer(request, to: live, url, content, at: now_ns)
    }
    if let doorway, let scenario { doorway.flagsChanged(to: scenario.raised, at: now_ns) }
    return answer
  }

  func bytes(of payload: Payload) throws(StoreError) -> Data {
    try planner.withLock { (planner) throws(StoreError) in try planner.bytes(of: payload) }
  }

  /// Where content of requests is read that may have to be waited for.
  static let reading = DispatchQueue(label: "fixture reading", attributes: .concurrent)
}

/// Said once each.
final class WarningTexts: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  func add(_ text: String) {
    texts.withLock { if !$0.contains(text) { $0.append(text) } }
  }
}
