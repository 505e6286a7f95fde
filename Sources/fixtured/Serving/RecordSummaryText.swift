import FixtureCassette
import FixtureRecorder

/// What a recording says at its end.
enum RecordSummaryText {
  static func lines(_ summary: RecordSummary) -> [String] {
    var lines = [main(summary)]
    for (origin, count) in summary.linksElsewhere.sorted(by: { $0.key < $1.key }) {
      let links = count == 1 ? "1 link" : "\(count) links"
      lines.append(
        "\(links) to \(origin.escapedForTerminal) \(count == 1 ? "was" : "were") not recorded: "
          + "add --upstream NAME=\(origin.escapedForTerminal)")
    }
    lines += contentLinks(summary.linksInContent)
    if !summary.cookiesElsewhere.isEmpty {
      let count = summary.cookiesElsewhere.values.reduce(0, +)
      let reasons = summary.cookiesElsewhere.keys.sorted().map(\.escapedForTerminal)
      lines.append(
        "\(count == 1 ? "1 cookie was" : "\(count) cookies were") for "
          + "\(reasons.joined(separator: ", ")), which a client does not send back to us: "
          + "record and replay with --rewrite-cookies")
    }
    return lines
  }

  /// The origins that most links in content lead to.
  private static func contentLinks(_ counts: [String: Int]) -> [String] {
    let origins = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    var lines = origins.prefix(contentOriginsMax).map { origin, count in
      "\(count == 1 ? "1 link in content leads" : "\(count) links in content lead") to "
        + "\(origin.escapedForTerminal): content stays as it is, so a client that follows "
        + "\(count == 1 ? "it" : "them") asks there and not here"
    }
    let rest = origins.dropFirst(contentOriginsMax)
    if !rest.isEmpty {
      let links = rest.reduce(0) { $0 + $1.value }
      lines.append("\(links) links in content lead to \(rest.count) more")
    }
    return lines
  }

  private static let contentOriginsMax = 5

  private static func main(_ summary: RecordSummary) -> String {
    var line = "recorded \(interactions(summary.recorded))"
    if let cassette = summary.cassette, summary.recorded > 0 {
      line += " in \(cassette.escapedForTerminal)"
    } else if summary.cassette == nil {
      line += "; no cassette was made"
    }
    if summary.played > 0 { line += ", played \(summary.played)" }
    let incomplete = Outcome.allCases.compactMap { outcome in
      summary.incomplete[outcome].map { "\($0) \(outcome.rawValue)" }
    }
    if !incomplete.isEmpty { line += " (\(incomplete.joined(separator: ", ")))" }
    return line
  }

  private static func interactions(_ count: Int) -> String {
    count == 1 ? "1 interaction" : "\(count) interactions"
  }
}
