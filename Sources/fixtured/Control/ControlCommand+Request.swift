import FixtureHTTP
import FixtureReplay

extension ControlCommand.Request {
  /// - Throws: what is wrong with the words or the scenario; nothing was asked.
  init(_ options: ControlOptions) throws(UsageError) {
    let words = options.words
    let path = "/v1/sessions/" + Self.escaped(words.first ?? "default")
    switch options.verb {
    case .sessions: self.init(method: "GET", target: "/v1/sessions")
    case .session: self.init(method: "GET", target: path)
    case .create:
      self.init(method: "POST", target: "/v1/sessions", content: try Self.creation(options))
    case .delete: self.init(method: "DELETE", target: path + Self.query(options.limits))
    case .reset: self.init(method: "POST", target: path + "/reset")
    case .scenario:
      let setup = try options.scenario.load(for: .control)
      self.init(
        method: "PUT", target: path + "/scenario", content: Self.json { $0.write(setup) })
    case .flags: self.init(method: "POST", target: path + "/flags", content: try Self.flags(words))
    case .etags:
      let content = words.dropFirst().first.map { target in
        Self.json { json in json.member("target", target) }
      }
      self.init(method: "POST", target: path + "/etags", content: content)
    case .release:
      self.init(method: "POST", target: path + "/gates/\(Self.escaped(words[1]))/release")
    case .clock:
      self.init(method: "PUT", target: path + "/clock", content: try Self.clock(words[1]))
    case .exchanges:
      let number = words.dropFirst().first.map { "/" + Self.escaped($0) } ?? ""
      self.init(method: "GET", target: path + "/exchanges" + number)
    case .verdict:
      self.init(method: "GET", target: path + "/verdict" + Self.query(options.limits))
    }
  }

  private static func creation(_ options: ControlOptions) throws(UsageError) -> [UInt8] {
    var members: [(name: String, value: String)] = []
    for word in options.words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard parts.count == 2, ControlOptions.members.contains(name) else {
        throw refusal(
          "NAME=VALUE", word, "a VALUE for one of \(ControlOptions.membersExpected)"
        )
      }
      members.append((name, String(parts[1])))
    }
    func value(_ name: String) -> String? { members.last { $0.name == name }?.value }
    let lease = value("lease_s")
    guard lease.map({ Int64($0) != nil }) ?? true else {
      throw refusal("lease_s", lease ?? "", "a number of seconds")
    }
    let receipts = value("receipts")
    guard receipts.map({ ["true", "false"].contains($0) }) ?? true else {
      throw refusal("receipts", receipts ?? "", "true or false")
    }
    let setup = try options.scenario.load(for: .control)
    return json { json in
      json.write(setup)
      if let text = value("cassette") { json.member("cassette", text) }
      if let text = value("match") { json.member("match", text) }
      if let text = value("pace") { json.member("pace", text) }
      if let text = value("exhausted") { json.member("exhausted", text) }
      if let text = value("date") { json.member("date", text) }
      if let lease, let number = Int64(lease) { json.member("lease_s", number) }
      if let receipts { json.member("receipts", receipts == "true") }
    }
  }

  private static func flags(_ words: [String]) throws(UsageError) -> [UInt8] {
    var raise: [String] = []
    var clear: [String] = []
    for word in words.dropFirst() {
      if word.hasPrefix("raise=") {
        raise.append(String(word.dropFirst(6)))
      } else if word.hasPrefix("clear=") {
        clear.append(String(word.dropFirst(6)))
      } else {
        throw refusal("FLAG", word, "raise=\(word) or clear=\(word)")
      }
    }
    return json { json in
      json.member("raise") { json in
        json.array { json in for name in raise { json.string(name.utf8) } }
      }
      json.member("clear") { json in
        json.array { json in for name in clear { json.string(name.utf8) } }
      }
    }
  }

  private static func clock(_ word: String) throws(UsageError) -> [UInt8] {
    if word == "run" { return json { $0.member("run", true) } }
    guard word.hasPrefix("+") else { return json { $0.member("freeze", word) } }
    guard let seconds = Int64(word.dropFirst()) else {
      throw refusal("TIME", word, "now, a date as 2031-01-31T12:00:00Z, +SECONDS or run")
    }
    return json { $0.member("advance_s", seconds) }
  }

  private static func query(_ limits: Verdict.Limits) -> String {
    var pairs: [String] = []
    if let limit = limits.connectionsMax { pairs.append("connections-max=\(limit)") }
    if let limit = limits.attemptsMax { pairs.append("attempts-max=\(limit)") }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }

  /// As a segment of a path.
  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain =
        byte < 0x80 && Character(UnicodeScalar(byte)).isLetter
        || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
      if isPlain { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
  }

  private static func json(_ members: (inout JSONText) -> Void) -> [UInt8] {
    var json = JSONText()
    json.object(members)
    return json.bytes
  }

  private static func refusal(
    _ name: String, _ word: String, _ expected: String
  ) -> UsageError {
    UsageError(.operandInvalid(name, word, expected: expected), in: .control)
  }
}

extension JSONText {
  /// The rules of a scenario, and what they draw from.
  fileprivate mutating func write(_ setup: ScenarioSetup?) {
    guard let setup else { return }
    member("scenario", setup.rules.map(\.description).joined(separator: "\n"))
    member("seed", String(setup.seed))
  }
}
