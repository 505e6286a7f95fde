@_exported public import FixtureFindings

/// As the API writes it. A word that this version does not know makes it unreadable.
extension FixtureVerdict: Decodable {
  private enum CodingKeys: String, CodingKey {
    case findings, judged, dropped
  }

  /// Reads what the API answers.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try members.decode([Finding].self, forKey: .findings),
      judged: try members.decode(Int.self, forKey: .judged),
      dropped: try members.decode(Int.self, forKey: .dropped))
  }
}

extension FixtureVerdict.Finding: Decodable {
  private enum CodingKeys: String, CodingKey {
    case check, exchanges, text
  }

  /// Reads what the API answers.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try members.decode(FixtureVerdict.Check.self, forKey: .check),
      try members.decode([Int].self, forKey: .exchanges),
      try members.decode(String.self, forKey: .text))
  }
}

extension FixtureVerdict.Check: Decodable {}
extension FixtureOutcome: Decodable {}
extension FixtureDeparture: Decodable {}

extension FixtureVerdict.Limits {
  /// What the API is asked with; empty without limits.
  var query: String {
    let pairs = [("connections-max", connectionsMax), ("attempts-max", attemptsMax)]
      .compactMap { name, limit in limit.map { "\(name)=\($0)" } }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }
}
