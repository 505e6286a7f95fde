import FixtureCassette
import FixtureReplay

/// What `ReplayServer.start` needs to know.
package struct ReplayConfiguration: Sendable {
  /// Path of the cassette.
  package var cassette: String
  /// Whether somebody may record into it: not into one that a test has written in passing.
  package var isRecordable = true
  /// A literal address or `localhost`.
  package var host: String
  /// The first upstream's port; the others follow. 0: each picks a free one.
  package var port: UInt16
  package var pacing: Pacing
  package var exhausted: Exhausted
  package var match: MatchOptions
  package var dates: DatePolicy
  /// Whether conditional and range requests, and HEAD, are answered from what was recorded whole.
  package var derives: Bool
  /// nil: everything as recorded.
  package var scenario: ScenarioSetup?
  /// Changes cookies on the wire so that a client sends them back to us, as in record.
  package var rewritesCookies: Bool
  /// Event loops, at least 1.
  package var threads: Int
  /// The secrets that a `text:` rule of the cassette names, where they are known; asked at the
  /// start.
  package var texts: @Sendable (TextSource) -> [[UInt8]]?
  /// Called once for each distinct miss, with a line of text or several, on any thread.
  package var onMiss: @Sendable (String) -> Void
  /// Called with one line about what concerns no single client, on any thread.
  package var onError: @Sendable (String) -> Void
  /// Called when an answer could not be given because the cassette can't be read, on any thread.
  package var onDamage: @Sendable () -> Void = {}

  /// The ports that listeners may have; nil: those that follow from `port`.
  package var ports: SessionPorts?
  /// Which session it is, where there are several.
  package var sessionID = SessionTable.mainID
  /// The way to the other sessions; nil where there are none.
  package var router: SessionRouter?

  /// Where the exchanges are written down; nil for nowhere.
  package var journal: Journal?
  /// Brings a play to the gate of this name. Called on any thread; what it is given is called when
  /// the gate opens, perhaps before it returns. It returns what takes the play away again.
  package typealias EnterGate =
    @Sendable (_ name: String, _ opened: @escaping @Sendable () -> Void) -> @Sendable () -> Void
  /// nil when nobody can open a gate: then `hold` is refused.
  package var enterGate: EnterGate?

  package init(
    cassette: String, host: String = "127.0.0.1", port: UInt16 = 0,
    pacing: Pacing = .immediate, exhausted: Exhausted = .repeatLast, match: MatchOptions = .init(),
    dates: DatePolicy = .shift, derives: Bool = true, rewritesCookies: Bool = false,
    threads: Int = 1, texts: @escaping @Sendable (TextSource) -> [[UInt8]]? = { _ in nil },
    onMiss: @escaping @Sendable (String) -> Void = { _ in },
    onError: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.cassette = cassette
    self.host = host
    self.port = port
    self.pacing = pacing
    self.exhausted = exhausted
    self.match = match
    self.dates = dates
    self.derives = derives
    self.rewritesCookies = rewritesCookies
    self.threads = threads
    self.texts = texts
    self.onMiss = onMiss
    self.onError = onError
  }
}

/// What a replay did, for the summary at its end.
package struct ReplaySummary: Equatable, Sendable {
  package var plays: Int
  package var misses: Int
  /// Answers that rules made without a recording.
  package var made: Int
  /// The first different misses, a line each, with how often they happened.
  package var reports: [ReplaySession.Report]
  /// How many different ones are not among them.
  package var unreported: Int

  init(_ summary: ReplaySession.Summary) {
    plays = summary.plays
    misses = summary.misses
    made = summary.made
    reports = summary.reports
    unreported = summary.distinctMisses - summary.reports.count
  }
}

/// Where an upstream is served.
package struct ListenerAddress: Equatable, Sendable {
  /// The upstream's name; nil for the only, unnamed one.
  package let name: String?
  package let host: String
  package let port: UInt16

  package init(name: String?, host: String, port: UInt16) {
    self.name = name
    self.host = host
    self.port = port
  }

  /// `http://127.0.0.1:8377`, an IPv6 address in brackets.
  package var url: String {
    host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
  }
}
