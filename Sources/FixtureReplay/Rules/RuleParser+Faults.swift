import FixtureCassette
import FixtureHTTP

extension ClauseReader {
  /// The rest of a clause that says what happens.
  mutating func fault(_ word: FaultWord) throws(RuleError) -> Fault {
    switch word {
    case .delay: .delay(try delay())
    case .pause: .pause(try time())
    case .trickle: .trickle(try trickle())
    case .rate: .rate(try rate(), shared: takes("shared"))
    case .stall: .stall(try time(), try point())
    case .hang: .hang(try optionalPoint() ?? .standard)
    case .hold: .hold(Gate(try name(of: "what is held")))
    case .network: .network(try one(of: NetworkProfile.self))
    case .status: .status(try status())
    case .retryAfter: .retryAfter(takes("date") ? .date(try time()) : .delay(try time()))
    case .body: .body(try body())
    case .set: .set(try givenName(), try fieldValue())
    case .add: .add(try givenName(), try fieldValue())
    case .remove: .remove(try changedName())
    case .json: .json(try pointer(), try json())
    case .etag: .entityTag(try entityTag())
    case .age: .age(try time())
    case .lastModified: .lastModified(ago: try timeAgo())
    case .expires: .expires(try expiry())
    case .redirect: .redirect(try redirect())
    case .challenge: .challenge(try one(of: Challenge.self))
    case .corrupt: .corrupt(try one(of: Corruption.self))
    case .reset: .reset(try optionalPoint() ?? .standard)
    case .close: .close(try optionalPoint() ?? .standard)
    case .truncate: .truncate(try truncation())
    case .malformed: .malformed(try one(of: Malformation.self))
    case .keepAlive: .keepAlive(try keepAlive())
    case .upload: .upload(try rate())
    case .early: .early(try status())
    case .continue: .continue(takes("off") ? .off : .after(try time()))
    case .quota: try quota()
    case .idempotency: .idempotency(try one(of: Idempotency.self))
    case .refuse: .refuse
    case .blackhole: .blackhole
    case .connections: .connections(try number(), try one(of: ConnectionExcess.self))
    case .raise: .raise(try flag())
    case .clear: .clear(try flag())
    }
  }

  private mutating func delay() throws(RuleError) -> Delay {
    if takes("lognormal") {
      let median = try time()
      try keyword("sigma")
      return .lognormal(
        median: median,
        sigma: try value("a number above 0 and up to 10, for example 0.5") { token in
          RuleUnits.factor(token.text[...]).flatMap {
            $0.millionths > 0 && $0.millionths <= 10_000_000 ? $0 : nil
          }
        })
    }
    let token = upcoming
    let what = "\(RuleUnits.timeExpected), two of them with .. between, or lognormal"
    let times = try value(what, among: ["lognormal"]) { Self.times($0.text) }
    guard times.count == 2 else { return .fixed(times[0]) }
    guard times[0] <= times[1] else { throw error("the first time is the longer one", at: token) }
    return .between(times[0], times[1])
  }

  /// One time, or two with `..` between.
  private static func times(_ text: [UInt8]) -> [Duration]? {
    if let time = RuleUnits.time(text[...]) { return [time] }
    guard let dots = text.firstRange(of: [0x2E, 0x2E]),
      let first = RuleUnits.time(text[..<dots.lowerBound]),
      let last = RuleUnits.time(text[dots.upperBound...])
    else { return nil }
    return [first, last]
  }

  private mutating func trickle() throws(RuleError) -> Trickle {
    if let count = Self.number(upcoming) {
      _ = next()
      guard count <= Self.piecesMax else {
        throw error("more than \(Self.piecesMax) pieces", at: upcoming)
      }
      try keyword("pieces")
      try keyword("over")
      return .pieces(count, over: try time())
    }
    let what = "a size and a time, for example 1KB/200ms, or 10 pieces over 5s"
    return try value(what) { token in
      let parts = token.text.split(separator: 0x2F, maxSplits: 1)
      guard parts.count == 2, let size = RuleUnits.size(parts[0]), size.bytes > 0,
        let time = RuleUnits.time(parts[1]), time > .zero
      else { return nil }
      return .size(size, every: time)
    }
  }

  /// Each is a step of its own when it is due.
  private static let piecesMax: Int64 = 1_000_000

  private mutating func body() throws(RuleError) -> Body {
    if takes("file") {
      return .file(
        try value("the path of a file") { token in
          token.text.isEmpty || token.text.contains(0)
            ? nil : String(validating: token.text, as: UTF8.self)
        })
    }
    if takes("size") {
      let token = upcoming
      let size = try size()
      guard size.bytes <= Body.bytesMax else {
        throw error("a body of a rule has at most \(Body.bytesMax >> 20) MiB", at: token)
      }
      return .drawn(size, fresh: takes("fresh"))
    }
    return .bytes(
      try value("\"…\", file PATH or size SIZE", among: ["file", "size"]) { token in
        token.kind == .quoted ? token.text : nil
      })
  }

  /// The name of a field that rules may change: those of the connection have words of their own.
  private mutating func changedName() throws(RuleError) -> [UInt8] {
    let token = upcoming
    let name = try fieldName()
    for managed in ["Connection", "Keep-Alive", "Transfer-Encoding"]
    where name.equalsIgnoringCase(managed.utf8) {
      throw error(
        "\(managed) is made for each connection: keep-alive and malformed change it", at: token)
    }
    return name
  }

  /// The same of one that gets a value. A length that is not that of the content is a fault, which
  /// has words of its own: a client would take what is left for the next answer.
  private mutating func givenName() throws(RuleError) -> [UInt8] {
    let token = upcoming
    let name = try changedName()
    if name.equalsIgnoringCase("Content-Length".utf8) {
      throw error(
        "Content-Length is that of the content: truncate sends less, malformed length is none",
        at: token)
    }
    return name
  }

  private mutating func entityTag() throws(RuleError) -> EntityTagChange {
    let schedule: EntityTagChange.Schedule
    if takes("at") {
      schedule = .at(try numbers())
    } else {
      try value("every or at", among: ["every", "at"]) { $0.keyword == "every" ? () : nil }
      let what = "a whole number or a time with its unit, for example 5 or 10s"
      schedule = try value(what) { token in
        if let count = Self.number(token) { return .every(count) }
        return RuleUnits.time(token.text[...]).flatMap { $0 > .zero ? .each($0) : nil }
      }
    }
    if takes("same") { return EntityTagChange(schedule, .same) }
    if takes("next") { return EntityTagChange(schedule, .next) }
    if takes("stamp") { return EntityTagChange(schedule, .stamp(try pointer())) }
    return EntityTagChange(schedule)
  }

  private mutating func timeAgo() throws(RuleError) -> Duration {
    let time = try time()
    try keyword("ago")
    return time
  }

  private mutating func expiry() throws(RuleError) -> Expiry {
    let time = try time()
    return takes("ago") ? .ago(time) : .after(time)
  }

  private mutating func redirect() throws(RuleError) -> Redirect {
    if takes("loop") { return .loop }
    return .to(
      try value("a target without white space, or loop", among: ["loop"]) { token in
        let isTarget =
          !token.text.isEmpty && token.text.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        return isTarget ? token.text : nil
      })
  }

  private mutating func truncation() throws(RuleError) -> Extent {
    try keyword("at")
    return try extent()
  }

  private mutating func keepAlive() throws(RuleError) -> KeepAlive {
    let what = "off, a number of exchanges or a time with its unit"
    return try value(what, among: ["off"]) { token in
      if token.keyword == "off" { return .off }
      if let count = Self.number(token) { return .exchanges(count) }
      return RuleUnits.time(token.text[...]).map { .idle($0) }
    }
  }

  private mutating func quota() throws(RuleError) -> Fault {
    let what = "a number of requests and a time, for example 5/10s"
    return try value(what) { token in
      let parts = token.text.split(separator: 0x2F, maxSplits: 1)
      guard parts.count == 2, let count = RuleUnits.count(parts[0]), count > 0,
        let time = RuleUnits.time(parts[1]), time > .zero
      else { return nil }
      return .quota(count, per: time)
    }
  }
}

extension Body {
  /// Bodies that rules make are held in memory.
  package static let bytesMax: Int64 = 16 << 20
}

extension Rule {
  /// Why a fault can't be part of this rule; nil when it can.
  func objection(to fault: Fault) -> String? {
    switch fault {
    case .refuse, .blackhole, .connections:
      guard pattern == .everything else {
        return "\(fault.word.rawValue) is about all connections: its pattern is * alone"
      }
      let isTimed = when.allSatisfy { condition in
        switch condition {
        case .after, .lasting, .raised: true
        case .counted, .chance, .header, .withoutHeader, .json: false
        }
      }
      guard isTimed else {
        return "\(fault.word.rawValue) knows no request: only after, for and while go with it"
      }
      if case .connections = fault { return nil }
      return when.isEmpty
        ? "\(fault.word.rawValue) needs after, for or while: else nothing could ever connect" : nil
    case .upload, .continue:
      return when.contains(where: \.isAboutContent)
        ? "\(fault.word.rawValue) is decided before the content is read, so with json can't go "
          + "with it: put it in a rule of its own" : nil
    default: return nil
    }
  }
}
