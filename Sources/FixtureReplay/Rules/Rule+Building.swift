import FixtureCassette
import FixtureHTTP

// Rules in Swift, in the words of the language:
//
//     Rule(.get, "/feed").first(2).status(503).retryAfter(.seconds(2))

extension RulePattern: ExpressibleByStringLiteral {
  /// A pattern as rules are written, without a method.
  /// - Precondition: it is one.
  package init(stringLiteral text: String) {
    do throws(RuleError) {
      var scanner = RuleScanner(Array((text + ":").utf8), line: 1)
      self = try RulePatternParser.parse(&scanner)
    } catch {
      preconditionFailure("\(text) is no pattern: \(error)")
    }
  }
}

extension Rule {
  /// Nothing happens yet.
  package init(_ pattern: RulePattern) {
    self.init(pattern, faults: [])
  }

  package init(_ method: Method, _ pattern: RulePattern) {
    self.init([method], pattern)
  }

  package init(_ methods: [Method], _ pattern: RulePattern) {
    self.init(pattern)
    self.pattern.methods = methods
  }

  private func when(_ condition: When) -> Rule {
    var rule = self
    rule.when.append(condition)
    return rule
  }

  private func then(_ fault: Fault) -> Rule {
    var rule = self
    rule.faults.append(fault)
    return rule
  }

  // MARK: When

  package func first(_ count: Int64, overall: Bool = false) -> Rule {
    when(.counted(.first(count), overall: overall))
  }

  package func nth(_ numbers: Int64..., overall: Bool = false) -> Rule {
    when(.counted(.nth(numbers), overall: overall))
  }

  package func from(_ first: Int64, to last: Int64, overall: Bool = false) -> Rule {
    when(.counted(.from(first, to: last), overall: overall))
  }

  package func every(_ count: Int64, overall: Bool = false) -> Rule {
    when(.counted(.every(count), overall: overall))
  }

  package func after(_ time: Duration) -> Rule { when(.after(time)) }
  package func lasting(_ time: Duration) -> Rule { when(.lasting(time)) }
  package func chance(_ portion: Proportion) -> Rule { when(.chance(portion)) }

  package func with(header name: String, _ value: String? = nil) -> Rule {
    when(.header(Array(name.utf8), value: value.map { Array($0.utf8) }))
  }

  package func without(header name: String) -> Rule { when(.withoutHeader(Array(name.utf8))) }

  /// - Precondition: `place` is a JSON pointer.
  package func with(json place: String, _ value: JSONLiteral) -> Rule {
    when(.json(Self.pointer(place), value))
  }

  package func `while`(_ flag: String) -> Rule { when(.raised(Flag(flag))) }

  // MARK: Timing

  package func delay(_ time: Duration) -> Rule { then(.delay(.fixed(time))) }

  package func delay(_ times: ClosedRange<Duration>) -> Rule {
    then(.delay(.between(times.lowerBound, times.upperBound)))
  }

  package func delay(lognormal median: Duration, sigma: Proportion) -> Rule {
    then(.delay(.lognormal(median: median, sigma: sigma)))
  }

  package func pause(_ time: Duration) -> Rule { then(.pause(time)) }

  package func trickle(_ size: ByteCount, every time: Duration) -> Rule {
    then(.trickle(.size(size, every: time)))
  }

  package func trickle(pieces count: Int64, over time: Duration) -> Rule {
    then(.trickle(.pieces(count, over: time)))
  }

  package func rate(_ rate: ByteRate, shared: Bool = false) -> Rule {
    then(.rate(rate, shared: shared))
  }

  package func stall(_ time: Duration, _ point: Point) -> Rule { then(.stall(time, point)) }
  package func hang(_ point: Point = .standard) -> Rule { then(.hang(point)) }
  package func hold(_ name: String) -> Rule { then(.hold(Gate(name))) }
  package func network(_ profile: NetworkProfile) -> Rule { then(.network(profile)) }

  // MARK: Response

  package func status(_ status: Int) -> Rule { then(.status(status)) }
  package func retryAfter(_ time: Duration) -> Rule { then(.retryAfter(.delay(time))) }
  package func retryAfter(date time: Duration) -> Rule { then(.retryAfter(.date(time))) }
  package func body(_ text: String) -> Rule { then(.body(.bytes(Array(text.utf8)))) }
  package func body(file path: String) -> Rule { then(.body(.file(path))) }

  package func body(size: ByteCount, fresh: Bool = false) -> Rule {
    then(.body(.drawn(size, fresh: fresh)))
  }

  package func set(_ name: String, _ value: String) -> Rule {
    then(.set(Array(name.utf8), Array(value.utf8)))
  }

  package func add(_ name: String, _ value: String) -> Rule {
    then(.add(Array(name.utf8), Array(value.utf8)))
  }

  package func remove(_ name: String) -> Rule { then(.remove(Array(name.utf8))) }

  /// - Precondition: `place` is a JSON pointer.
  package func json(_ place: String, _ value: JSONLiteral) -> Rule {
    then(.json(Self.pointer(place), value))
  }

  package func etag(
    _ schedule: EntityTagChange.Schedule, _ content: EntityTagChange.Content? = nil
  ) -> Rule { then(.entityTag(EntityTagChange(schedule, content))) }

  package func age(_ time: Duration) -> Rule { then(.age(time)) }
  package func lastModified(ago time: Duration) -> Rule { then(.lastModified(ago: time)) }
  package func expires(_ time: Duration) -> Rule { then(.expires(.after(time))) }
  package func expires(ago time: Duration) -> Rule { then(.expires(.ago(time))) }
  package func redirect(_ target: String) -> Rule { then(.redirect(.to(Array(target.utf8)))) }
  package func redirectLoop() -> Rule { then(.redirect(.loop)) }
  package func challenge(_ challenge: Challenge) -> Rule { then(.challenge(challenge)) }
  package func corrupt(_ corruption: Corruption) -> Rule { then(.corrupt(corruption)) }

  // MARK: Connection and flags

  package func reset(_ point: Point = .standard) -> Rule { then(.reset(point)) }
  package func close(_ point: Point = .standard) -> Rule { then(.close(point)) }
  package func truncate(at extent: Extent) -> Rule { then(.truncate(extent)) }
  package func malformed(_ malformation: Malformation) -> Rule { then(.malformed(malformation)) }
  package func keepAlive(_ keepAlive: KeepAlive) -> Rule { then(.keepAlive(keepAlive)) }
  package func upload(_ rate: ByteRate) -> Rule { then(.upload(rate)) }
  package func early(_ status: Int) -> Rule { then(.early(status)) }
  package func `continue`(_ leave: Leave) -> Rule { then(.continue(leave)) }
  package func quota(_ count: Int64, per time: Duration) -> Rule { then(.quota(count, per: time)) }
  package func idempotency(_ kind: Idempotency) -> Rule { then(.idempotency(kind)) }
  package func refuse() -> Rule { then(.refuse) }
  package func blackhole() -> Rule { then(.blackhole) }

  package func connections(_ count: Int64, _ excess: ConnectionExcess) -> Rule {
    then(.connections(count, excess))
  }

  package func raise(_ flag: String) -> Rule { then(.raise(Flag(flag))) }
  package func clear(_ flag: String) -> Rule { then(.clear(Flag(flag))) }

  private static func pointer(_ text: String) -> JSONPointer {
    guard let pointer = JSONPointer(text.utf8) else {
      preconditionFailure("\(text) is no JSON pointer")
    }
    return pointer
  }
}
