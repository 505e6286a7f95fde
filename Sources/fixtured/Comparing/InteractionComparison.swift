import FixtureCassette
import FixtureHTTP
import FixtureStore

/// What differs between two interactions, for people.
///
/// What differs between any two recordings of the same thing (see `LastingValue`) is left out,
/// unless times are asked for.
struct InteractionComparison {
  let left: Interaction
  let right: Interaction
  let withTimes: Bool
  private(set) var lines: [String] = []

  init(
    _ left: Interaction, of leftReader: CassetteReader, _ right: Interaction,
    of rightReader: CassetteReader, withTimes: Bool
  ) throws(StoreError) {
    (self.left, self.right, self.withTimes) = (left, right, withTimes)
    compareRequests()
    lines += ComparedContent.differences(
      try leftReader.comparedContent(left.requestBody, of: left.request.fields),
      try rightReader.comparedContent(right.requestBody, of: right.request.fields),
      what: "content of the request")
    compare("trailers of the request", left.requestTrailers, right.requestTrailers)
    compareInterims()
    compareResponses()
    lines += ComparedContent.differences(
      try leftReader.comparedContent(left.response?.body, of: left.response?.head.fields),
      try rightReader.comparedContent(right.response?.body, of: right.response?.head.fields),
      what: "content of the response")
    compareEnds()
  }

  /// What differs between two answers to one request.
  static func answers(
    _ left: Interaction, _ right: Interaction, _ leftContent: ComparedContent?,
    _ rightContent: ComparedContent?
  ) -> [String] {
    var comparison = InteractionComparison(left: left, right: right, withTimes: false)
    comparison.compareInterims()
    comparison.compareResponses()
    comparison.lines += ComparedContent.differences(
      leftContent, rightContent, what: "content of the response")
    comparison.compareEnds()
    return comparison.lines
  }

  private init(left: Interaction, right: Interaction, withTimes: Bool) {
    (self.left, self.right, self.withTimes) = (left, right, withTimes)
  }

  private mutating func compareRequests() {
    compare("upstream", Self.origin(left), Self.origin(right))
    compare(
      "version of the request", left.request.version.description,
      right.request.version.description)
    compare("fields of the request", left.request.fields, right.request.fields)
  }

  private static func origin(_ interaction: Interaction) -> String {
    let name = interaction.upstream.map { " (\($0))" } ?? ""
    return "\(interaction.scheme)://\(interaction.authority)\(name)".escapedForTerminal
  }

  private mutating func compareInterims() {
    func texts(_ interaction: Interaction) -> [String] {
      interaction.interims.flatMap { [Self.statusLine($0.head)] + shown($0.head.fields) }
    }
    add("interim responses", LineDifference.lines(texts(left), texts(right)))
  }

  private mutating func compareResponses() {
    compare(
      "status", left.response.map { Self.statusLine($0.head) } ?? "no response",
      right.response.map { Self.statusLine($0.head) } ?? "no response")
    guard let before = left.response, let now = right.response else { return }
    compare("fields of the response", before.head.fields, now.head.fields)
    compare("framing", before.framing.rawValue, now.framing.rawValue)
    compare("trailers of the response", before.trailers, now.trailers)
  }

  private mutating func compareEnds() {
    func outcome(_ interaction: Interaction) -> String {
      interaction.outcome.rawValue
        + (interaction.outcomeDetail.map { ", \($0.escapedForTerminal)" } ?? "")
    }
    func notes(_ interaction: Interaction) -> String {
      let notes = interaction.sortedNotes.filter { withTimes || $0 != "arrivals-merged" }
      return notes.isEmpty ? "none" : notes.joined(separator: ", ")
    }
    compare("outcome", outcome(left), outcome(right))
    compare("notes", notes(left), notes(right))
    guard withTimes else { return }
    compare("started", TimeText.date(us: left.startedAt_us), TimeText.date(us: right.startedAt_us))
    compare(
      "ended after", TimeText.milliseconds(us: left.end_us),
      TimeText.milliseconds(us: right.end_us))
  }

  private static func statusLine(_ head: ResponseHead) -> String {
    "\(head.version.description) \(head.status) \(String(escaping: head.reason))"
  }

  private func shown(_ fields: FieldSection) -> [String] {
    let lasting = LastingValue(in: fields)
    return fields.lines.indices.map { index in
      let value = withTimes ? String(escaping: fields.value(at: index)) : lasting.text(at: index)
      return "\(String(escaping: fields.name(at: index))): \(value)"
    }
  }

  private mutating func compare(_ what: String, _ before: FieldSection, _ now: FieldSection) {
    if before == now { return }
    add(what, LineDifference.lines(shown(before), shown(now)))
  }

  private mutating func compare(_ what: String, _ before: String, _ now: String) {
    if before != now { lines.append("\(what): \(before) -> \(now)") }
  }

  private mutating func add(_ what: String, _ differences: [String]) {
    if !differences.isEmpty { lines += ["\(what):"] + differences }
  }
}
