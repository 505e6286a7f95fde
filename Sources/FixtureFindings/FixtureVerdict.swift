/// What the exchanges of a replay prove about its client: whether it kept to `Retry-After`,
/// repeated a write whose outcome it did not know, asked with conditions where it could, and more.
///
///     let verdict = server.verdict()
///     #expect(verdict.findings.isEmpty, "\(verdict)")
///
/// Each check looks for evidence against the client and says nothing without it: a check that finds
/// nothing is passed, also when there was nothing to look at. Nothing can be said of exchanges that
/// are not kept any more; `dropped` tells how many they are.
public struct FixtureVerdict: Equatable, Sendable, CustomStringConvertible {
  /// What is judged; the raw values are the words of `--fail-on`.
  public enum Check: String, CaseIterable, Sendable {
    /// A request was repeated before the time its answer gave (RFC 9110 §10.2.3).
    case retryAfter = "retry-after"
    /// A request was repeated less than 10 ms after the server had failed.
    case retryAtOnce = "retry-at-once"
    /// Four attempts or more came at equal gaps.
    case backoff
    /// Five or more that had failed were repeated within 20 ms of each other.
    case herd
    /// There were more attempts of one request than the limit, the one that succeeded included.
    case attempts
    /// A POST or PATCH was repeated after an unknown outcome, not under the same `Idempotency-Key`.
    case ambiguousRepeat = "ambiguous-repeat"
    /// An `Idempotency-Key` came again with another request.
    case keyReuse = "key-reuse"
    /// What an answer gave a validator for was asked again without a condition (RFC 9111 §4.3).
    case revalidation
    /// An `Authorization` that was answered with 401 was sent to the same target again, or refused
    /// again.
    case staleCredentials = "stale-credentials"
    /// A redirect carried credentials to another host.
    case credentialsElsewhere = "credentials-elsewhere"
    /// More connections were in use at once than the limit.
    case connections
    /// An exchange lasted longer than the deadline that the client had named.
    case deadline
    /// Requests came, or were open, after the test's end.
    case afterEnd = "after-end"
    /// Recordings were never asked for.
    case unused
    /// Requests had no recording.
    case misses
  }

  /// What is judged by.
  public struct Limits: Equatable, Sendable {
    /// Connections with an open exchange at once; nil: not judged. In process every open exchange
    /// counts as one.
    public var connectionsMax: Int?
    /// Attempts of one request, up to a success and with it; nil: not judged.
    public var attemptsMax: Int?

    /// Without limits, neither is judged.
    public init(connectionsMax: Int? = nil, attemptsMax: Int? = nil) {
      self.connectionsMax = connectionsMax
      self.attemptsMax = attemptsMax
    }
  }

  /// Evidence against the client.
  public struct Finding: Equatable, Sendable, CustomStringConvertible {
    /// What was judged.
    public let check: Check
    /// The exchanges that show it, by their numbers, in order.
    public let exchanges: [Int]
    /// In a line, without anything that a request held and may be secret.
    public let text: String

    /// `retry-after: GET /feed was repeated after 12ms, its answer said after 2 s (exchanges 1,
    /// 2)`.
    public let description: String

    package init(_ check: Check, _ exchanges: [Int], _ text: String) {
      self.check = check
      self.exchanges = exchanges
      self.text = text
      let numbers = exchanges.map { String($0) }.joined(separator: ", ")
      let noun = exchanges.count == 1 ? "exchange" : "exchanges"
      description =
        "\(check.rawValue): \(text)" + (exchanges.isEmpty ? "" : " (\(noun) \(numbers))")
    }
  }

  /// A check about which nothing can be said here.
  package struct Unjudged: Equatable, Sendable {
    package let check: Check
    /// In a few words.
    package let why: String

    package init(_ check: Check, _ why: String) {
      self.check = check
      self.why = why
    }
  }

  /// In the order of the checks, then of their exchanges.
  public let findings: [Finding]
  /// How many exchanges were judged.
  public let judged: Int
  /// How many could not be, because they are not kept any more.
  public let dropped: Int
  /// In the order of the checks; the others are passed where they found nothing.
  package let unjudged: [Unjudged]

  /// What was found of these checks.
  public func findings(of checks: Check...) -> [Finding] {
    findings.filter { checks.contains($0.check) }
  }

  /// The checks that found something, in their order.
  public var failed: [Check] {
    Check.allCases.filter { check in findings.contains { $0.check == check } }
  }

  /// A line for each finding.
  public var description: String {
    var lines = findings.map(\.description)
    if lines.isEmpty { lines = ["nothing against the client in \(judged) exchanges"] }
    if dropped > 0 { lines.append("\(dropped) exchanges before these were not kept") }
    return lines.joined(separator: "\n")
  }

  /// - Parameter findings: in any order; those of a check in that of their exchanges.
  package init(_ findings: [Finding], judged: Int, dropped: Int, unjudged: [Unjudged] = []) {
    self.unjudged = unjudged
    self.findings = Check.allCases.flatMap { check in findings.filter { $0.check == check } }
    self.judged = judged
    self.dropped = dropped
  }

  /// The same with what another judge of one check found.
  package func adding(_ more: [Finding], of check: Check) -> Self {
    Self(
      findings + more, judged: judged, dropped: dropped,
      unjudged: unjudged.filter { $0.check != check })
  }
}
