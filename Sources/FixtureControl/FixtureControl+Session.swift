import Foundation

extension FixtureControl {
  /// A session to be made.
  public struct SessionSetup: Encodable, Sendable {
    /// The name of a cassette beside the served one; nil: that one.
    public var cassette: String?
    /// Rules, one a line, as in a scenario file.
    public var scenario: String?
    /// What chance is drawn from; nil: something new.
    public var seed: UInt64?
    /// Words of `--match`, after those of the command.
    public var match: String?
    /// As `--pace`.
    public var pace: String?
    /// As `--exhausted`.
    public var exhausted: String?
    /// As `--date`.
    public var date: String?
    /// Whether answers name what made them in `Fixtured-` fields.
    public var receipts: Bool?
    /// Seconds without use after which it ends; nil: 600.
    public var lease: Int?

    /// A session that replays as the command does, with these rules.
    public init(scenario: String? = nil, seed: UInt64? = nil, cassette: String? = nil) {
      self.scenario = scenario
      self.seed = seed
      self.cassette = cassette
    }

    private enum CodingKeys: String, CodingKey {
      case cassette, scenario, seed, match, pace, exhausted, date, receipts
      case lease = "lease_s"
    }

    /// Writes what the API takes; what is nil is left out.
    public func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: CodingKeys.self)
      try members.encodeIfPresent(cassette, forKey: .cassette)
      try members.encodeIfPresent(scenario, forKey: .scenario)
      // A number of JSON is not exact for every reader.
      try members.encodeIfPresent(seed.map { String($0) }, forKey: .seed)
      try members.encodeIfPresent(match, forKey: .match)
      try members.encodeIfPresent(pace, forKey: .pace)
      try members.encodeIfPresent(exhausted, forKey: .exhausted)
      try members.encodeIfPresent(date, forKey: .date)
      try members.encodeIfPresent(receipts, forKey: .receipts)
      try members.encodeIfPresent(lease, forKey: .lease)
    }
  }

  /// A session, for as long as its lease.
  public struct Session: Sendable {
    /// Its name.
    public let id: String
    /// Where its first upstream is served.
    public let baseURL: URL
    /// Where upstreams are served, by their names; empty when they have none.
    public let baseURLs: [String: URL]
    private let control: FixtureControl
    private let path: String

    init?(_ control: FixtureControl, _ status: SessionStatus) {
      guard let first = status.addresses.first else { return nil }
      id = status.id
      baseURL = first.url
      baseURLs = Dictionary(
        status.addresses.compactMap { address in address.upstream.map { ($0, address.url) } }
      ) { first, _ in first }
      self.control = control
      path = "/v1/sessions/\(FixtureControl.escaped(status.id))"
    }

    /// The field that leads a request to this session by the port of another one.
    public var field: (name: String, value: String) { ("Fixtured-Session", id) }

    /// What it is and counts now.
    public func status() async throws(Failure) -> SessionStatus {
      try await control.ask("GET", path)
    }

    /// Begins anew: the next request is the first, and the journal is empty.
    @discardableResult
    public func reset() async throws(Failure) -> SessionStatus {
      try await control.ask("POST", "\(path)/reset")
    }

    /// Other rules from the next request on.
    /// - Parameter scenario: rules, one a line; empty for none.
    @discardableResult
    public func change(
      scenario: String, seed: UInt64? = nil
    ) async throws(Failure) -> SessionStatus {
      var setup = SessionSetup()
      setup.scenario = scenario
      setup.seed = seed
      return try await control.ask("PUT", "\(path)/scenario", setup)
    }

    /// Raises and clears flags that rules ask for.
    @discardableResult
    public func change(
      raise: [String] = [], clear: [String] = []
    ) async throws(Failure) -> SessionStatus {
      try await control.ask("POST", "\(path)/flags", ["raise": raise, "clear": clear])
    }

    /// Gives what a target names another entity tag, as if it had changed.
    /// - Parameter target: as it is sent, `/feed?page=1`; nil: everything.
    @discardableResult
    public func bumpETag(of target: String? = nil) async throws(Failure) -> SessionStatus {
      try await control.ask("POST", "\(path)/etags", target.map { ["target": $0] } ?? [:])
    }

    /// Lets go on what a rule holds with `hold NAME`.
    /// - Returns: how many plays waited.
    @discardableResult
    public func release(_ gate: String) async throws(Failure) -> Int {
      let released: Released = try await control.ask(
        "POST", "\(path)/gates/\(FixtureControl.escaped(gate))/release")
      return released.released
    }

    /// Stops the clock that dates of answers are taken from.
    /// - Parameter date: where it stands, in whole seconds; nil: where it is.
    @discardableResult
    public func freezeClock(at date: Date? = nil) async throws(Failure) -> SessionStatus {
      let text = date.map { $0.formatted(.iso8601) } ?? "now"
      return try await control.ask("PUT", "\(path)/clock", ["freeze": text])
    }

    /// Moves the clock on; it stands or runs as before.
    @discardableResult
    public func advanceClock(seconds: Int) async throws(Failure) -> SessionStatus {
      try await control.ask("PUT", "\(path)/clock", ["advance_s": seconds])
    }

    /// Lets the clock run as the real one does.
    @discardableResult
    public func runClock() async throws(Failure) -> SessionStatus {
      try await control.ask("PUT", "\(path)/clock", ["run": true])
    }

    /// The journal: all exchanges that it has, in the order in which request heads were read.
    /// - Parameter number: only those with a higher one.
    public func exchanges(after number: Int = 0) async throws(Failure) -> [Exchange] {
      var all: [Exchange] = []
      var after = number
      while true {
        let page: Exchanges = try await control.ask("GET", "\(path)/exchanges?after=\(after)")
        all += page.exchanges
        // A page that is not full is the last one.
        guard page.exchanges.count == 1000, page.next > after else { return all }
        after = page.next
      }
    }

    /// One exchange, with fields and content as they were sent.
    public func exchange(_ number: Int) async throws(Failure) -> Exchange {
      try await control.ask("GET", "\(path)/exchanges/\(number)")
    }

    /// What the journal proves about the client so far.
    public func verdict(
      _ limits: FixtureVerdict.Limits = .init()
    ) async throws(Failure) -> FixtureVerdict {
      try await control.ask("GET", "\(path)/verdict\(limits.query)")
    }

    /// Ends the session: its ports are closed.
    /// - Returns: what its journal proves about the client.
    @discardableResult
    public func delete(
      _ limits: FixtureVerdict.Limits = .init()
    ) async throws(Failure) -> FixtureVerdict {
      try await control.ask("DELETE", "\(path)\(limits.query)")
    }
  }

  struct Released: Decodable { let released: Int }
  struct Exchanges: Decodable {
    let next: Int
    let exchanges: [Exchange]
  }
}
