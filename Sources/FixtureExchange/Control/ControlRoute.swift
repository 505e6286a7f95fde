import FixtureHTTP
import FixtureReplay

/// Which part of the control API a request is for.
struct ControlRoute {
  /// Of the path, decoded.
  let segments: [String]
  let query: [UInt8]
  let method: Method
  let content: [UInt8]
  /// Where a reader of events was before its connection ended.
  let lastEvent: [UInt8]?

  func request() throws(ControlError) -> ControlRequest {
    let rest = Array(segments.dropFirst())
    switch segments.first {
    case "" where rest.isEmpty:
      try check([.get])
      return .inspector
    case "metrics" where rest.isEmpty:
      try check([.get])
      return .metrics
    case "v1": return try version1(rest)
    default: throw notFound
    }
  }

  private func version1(_ path: [String]) throws(ControlError) -> ControlRequest {
    switch path.first {
    case "health" where path.count == 1:
      try check([.get])
      return .health
    case "openapi.json" where path.count == 1:
      try check([.get])
      return .description
    case "sessions" where path.count == 1:
      try check([.get, .post])
      return method == .post ? .create(try creation()) : .sessions
    case "sessions" where path.count == 2 && !path[1].isEmpty:
      try check([.get, .delete])
      return method == .delete ? .delete(path[1], try limits()) : .session(path[1])
    case "sessions" where path.count > 2 && !path[1].isEmpty:
      return try session(path[1], Array(path.dropFirst(2)))
    default: throw notFound
    }
  }

  private func session(_ id: String, _ path: [String]) throws(ControlError) -> ControlRequest {
    switch (path[0], path.count) {
    case ("reset", 1):
      try check([.post])
      try ControlContent(content).end()
      return .reset(id)
    case ("scenario", 1):
      try check([.put])
      return .scenario(id, try scenario())
    case ("flags", 1):
      try check([.post])
      return try flags(id)
    case ("etags", 1):
      try check([.post])
      return .tags(id, target: try tagTarget())
    case ("gates", 3) where path[2] == "release":
      try check([.post])
      try ControlContent(content).end()
      return .release(id, gate: path[1])
    case ("clock", 1):
      try check([.put])
      return .clock(id, try clock())
    case ("exchanges", 1):
      try check([.get])
      try checkQuery(["after", "limit"])
      let after = try number("after", in: 0...Int(Int32.max)) ?? 0
      let limit = try number("limit", in: 1...ControlRequest.exchangesMax)
      return .exchanges(id, after: after, limit: limit ?? ControlRequest.exchangesMax)
    case ("exchanges", 2):
      try check([.get])
      guard path[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(path[1]),
        number > 0
      else { throw notFound }
      return .exchange(id, number)
    case ("events", 1):
      try check([.get])
      try checkQuery(["after"])
      return .events(id, from: try cursor())
    case ("interactions", 1):
      try check([.get])
      try checkQuery(["search", "after", "limit"])
      let limit = try number("limit", in: 1...ControlRequest.interactionsMax)
      return .interactions(
        id, search: text("search") ?? "",
        after: Int64(try number("after", in: 0...Int(Int64.max)) ?? 0),
        limit: limit ?? ControlRequest.interactionsMax)
    case ("verdict", 1):
      try check([.get])
      return .verdict(id, try limits())
    default: throw notFound
    }
  }

  private func limits() throws(ControlError) -> Verdict.Limits {
    try checkQuery(["connections-max", "attempts-max"])
    return Verdict.Limits(
      connectionsMax: try number("connections-max", in: 1...Int(Int32.max)),
      attemptsMax: try number("attempts-max", in: 1...Int(Int32.max)))
  }

  private func creation() throws(ControlError) -> ControlRequest.SessionRequest {
    var members = try ControlContent(content)
    var request = ControlRequest.SessionRequest()
    request.cassette = try members.string("cassette")
    request.scenario.text = try members.string("scenario") ?? ""
    request.scenario.seed = try members.seed("seed")
    request.match = try members.string("match")
    request.pace = try members.string("pace")
    request.exhausted = try members.string("exhausted")
    request.date = try members.string("date")
    request.givesReceipts = try members.boolean("receipts") ?? false
    let leases = 1...ControlRequest.SessionRequest.leaseMax_s
    request.lease_s = try members.integer("lease_s", in: leases) ?? request.lease_s
    try members.end()
    if let name = request.cassette { try Self.checkName(name) }
    return request
  }

  /// What file systems take, with room for `.db`.
  private static let nameBytesMax = 252

  /// Only what lies beside the served cassette: who may control it may not read the disk.
  private static func checkName(_ name: String) throws(ControlError) {
    guard !name.isEmpty, !name.hasPrefix("."), !name.utf8.contains(0x2F), !name.utf8.contains(0),
      name.utf8.count <= nameBytesMax
    else {
      throw ControlError(
        400, "the member cassette must be the name of a file beside the served one, without /")
    }
  }

  private func scenario() throws(ControlError) -> ControlRequest.ScenarioRequest {
    var members = try ControlContent(content)
    var request = ControlRequest.ScenarioRequest()
    request.text = try members.string("scenario") ?? ""
    request.seed = try members.seed("seed")
    try members.end()
    return request
  }

  private func flags(_ id: String) throws(ControlError) -> ControlRequest {
    var members = try ControlContent(content)
    let raise = try members.strings("raise") ?? []
    let clear = try members.strings("clear") ?? []
    try members.end()
    guard !raise.isEmpty || !clear.isEmpty else {
      throw ControlError(400, "nothing to do: give the names of flags to raise or to clear")
    }
    return .flags(id, raise: raise, clear: clear)
  }

  private func tagTarget() throws(ControlError) -> [UInt8]? {
    var members = try ControlContent(content)
    let target = try members.string("target")
    try members.end()
    guard let target else { return nil }
    guard target.hasPrefix("/"), target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw ControlError(
        400, "the member target must be a request target as it is sent, such as /feed?page=1")
    }
    return Array(target.utf8)
  }

  private func clock() throws(ControlError) -> ControlRequest.ClockRequest {
    var members = try ControlContent(content)
    let freeze = try members.string("freeze")
    let advance = try members.integer("advance_s", in: 1...(100 * 366 * 86_400))
    let run = try members.boolean("run")
    try members.end()
    switch (freeze, advance, run) {
    case (let text?, nil, nil):
      if text == "now" { return .freeze(nil) }
      guard
        let date = HTTPDate(parsingTimestamp: text.utf8) ?? HTTPDate(parsing: Array(text.utf8))
      else {
        throw ControlError(
          400, "the member freeze must be now, or a date as 2031-01-31T12:00:00Z")
      }
      return .freeze(date)
    case (nil, let seconds?, nil): return .advance(seconds: seconds)
    case (nil, nil, true?): return .run
    default:
      throw ControlError(
        400, "give one of freeze (now or a date), advance_s (seconds) and run (true)")
    }
  }

  private func cursor() throws(ControlError) -> JournalCursor {
    guard let lastEvent else {
      return JournalCursor(after: try number("after", in: 0...Int(Int32.max)) ?? 0)
    }
    guard let cursor = JournalCursor(lastEvent) else {
      throw ControlError(400, "Last-Event-ID must be the id of an event")
    }
    return cursor
  }

  private func text(_ name: String) -> String? {
    let pair = QueryPairs.pairs(query[...]).last { $0.name == Array(name.utf8) }
    return pair.map { String(decoding: $0.value, as: UTF8.self) }
  }

  private func number(
    _ name: String, in range: ClosedRange<Int>
  ) throws(ControlError) -> Int? {
    let pair = QueryPairs.pairs(query[...]).last { $0.name == Array(name.utf8) }
    guard let value = pair?.value else { return nil }
    guard let number = Int(String(decoding: value, as: UTF8.self)), range.contains(number) else {
      throw ControlError(
        400, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A name that is misspelled would change nothing, and nobody would know.
  private func checkQuery(_ known: [String]) throws(ControlError) {
    for pair in QueryPairs.pairs(query[...])
    where !known.contains(where: { pair.name == Array($0.utf8) }) {
      let name = String(decoding: pair.name, as: UTF8.self).debugDescription
      throw ControlError(
        400, "there is no parameter \(name), expected \(known.joined(separator: ", "))")
    }
  }

  private func check(_ allowed: [Method]) throws(ControlError) {
    guard !allowed.contains(method == .head ? .get : method) else { return }
    let names = allowed.map { String(decoding: $0.bytes, as: UTF8.self) }
      .joined(separator: ", ")
    throw ControlError(405, "only \(names) is answered here", allow: names)
  }

  private var notFound: ControlError {
    ControlError(404, "there is nothing at this path; GET /v1/sessions lists what is")
  }
}
