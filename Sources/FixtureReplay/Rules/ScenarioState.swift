import FixtureCassette
import FixtureHTTP

/// What rules remember of the requests before: counts, flags, quotas.
struct ScenarioState {
  /// Targets beyond this many are counted together: whoever asks for ever new ones must not fill
  /// memory.
  static let countsMax = 100_000

  private var counts: [UInt64: Int64] = [:]
  private var overall: [Int: Int64] = [:]
  /// Requests of each match key, for draws.
  private var requests: [UInt64: Int64] = [:]
  private var quotas: [Int: QuotaWindow] = [:]
  private var tags = TagGenerations()
  private var bumps = TagBumps()
  private(set) var raised: Set<Flag> = []
  /// The plays that requests with a key of idempotency were given first.
  private var ledger: [[UInt8]: Play] = [:]
  /// The date of the first request, seconds since 1970.
  private var first: Int64?

  /// What a request meets. Nothing changes before `note`.
  /// - Parameters:
  ///   - rules: the scenario's, expanded.
  ///   - key: of the request, as matching made it.
  ///   - isContentRead: whether `request.content` is all that can be known of it.
  ///   - elapsed: since the session began.
  ///   - begun: what was decided when its head came.
  func encounter(
    _ rules: [Rule], seed: UInt64, _ request: RuleRequest, key: UInt64, isContentRead: Bool,
    elapsed: Duration, begun: BegunRequest? = nil
  ) -> Encounter {
    var encounter = Encounter()
    let number = begun?.number ?? (requests[bounded(key, requests)] ?? 0) + 1
    for (index, rule) in rules.enumerated() where rule.pattern.matches(request) {
      if let begun, !begun.undecided.contains(index) {
        guard begun.inForce.contains(index) else { continue }
      } else {
        guard applies(rule, index, request, isContentRead, elapsed, in: &encounter) else {
          continue
        }
        encounter.inForce.insert(index)
      }
      var draws = Draws(seed: seed, rule: index + 1, key: key, request: number)
      guard rule.when.allSatisfy({ isDrawn($0, of: index + 1, &draws, in: &encounter, key) })
      else { continue }
      for fault in rule.faults where fault.word.subject != .connections {
        add(fault, of: index + 1, &draws, request, seed, to: &encounter, key)
      }
    }
    if begun?.isDrawn == true { encounter.drawnKey = nil }
    applyQuotas(elapsed, to: &encounter)
    applyTag(request, elapsed, to: &encounter)
    for met in encounter.met {
      guard case .body(let body) = met.fault, case .drawn = body else { continue }
      // Known now: a generation has its own.
      encounter.draws.append(Draw(rule: met.rule, .body(body, bits: met.bits)))
    }
    return encounter
  }

  /// Whether all conditions hold but `chance`. The request is counted by those before it.
  private func applies(
    _ rule: Rule, _ index: Int, _ request: RuleRequest, _ isContentRead: Bool,
    _ elapsed: Duration, in encounter: inout Encounter
  ) -> Bool {
    guard rule.when.allSatisfy({ holds($0, rule, request, elapsed) || $0.isAboutContent }) else {
      return false
    }
    if rule.when.contains(where: \.isAboutContent) {
      guard isContentRead else {
        encounter.needsContent = true
        encounter.undecided.insert(index)
        return false
      }
      guard rule.when.allSatisfy({ holds($0, rule, request, elapsed) }) else { return false }
    }
    return isCounted(rule, index, request, in: &encounter)
  }

  /// Decides what can be of a request whose content is still to come, when a rule says how that is
  /// read: it is counted now, so that what it met is settled whoever comes meanwhile.
  /// - Returns: nil when no rule says so; nothing has changed then.
  mutating func begin(
    _ rules: [Rule], seed: UInt64, _ request: RuleRequest, key: UInt64, elapsed: Duration
  ) -> BegunRequest? {
    let encounter = encounter(
      rules, seed: seed, request, key: key, isContentRead: false, elapsed: elapsed)
    guard let reading = encounter.reading else { return nil }
    let number = (requests[bounded(key, requests)] ?? 0) + 1
    count(encounter)
    return BegunRequest(
      reading: reading, inForce: encounter.inForce, undecided: encounter.undecided,
      counted: encounter.counted, countedOverall: encounter.countedOverall, number: number,
      isDrawn: encounter.drawnKey != nil)
  }

  /// The request turned out to be a miss, and those are not counted.
  mutating func forget(_ begun: BegunRequest) {
    for key in begun.counted { counts[bounded(key, counts)]? -= 1 }
    for rule in begun.countedOverall { overall[rule]? -= 1 }
  }

  private mutating func count(_ encounter: Encounter) {
    for key in encounter.counted { counts[bounded(key, counts), default: 0] += 1 }
    for rule in encounter.countedOverall { overall[rule, default: 0] += 1 }
    if let key = encounter.drawnKey { requests[bounded(key, requests), default: 0] += 1 }
  }

  /// The request is answered with what it met.
  mutating func note(_ encounter: Encounter) {
    count(encounter)
    quotas.merge(encounter.quotas) { $1 }
    if let tag = encounter.tag { tags.note(tag.target) }
    for met in encounter.met {
      if case .raise(let flag) = met.fault { raised.insert(flag) }
      if case .clear(let flag) = met.fault { raised.remove(flag) }
    }
  }

  /// See `TagBumps`; it counts from the next request.
  mutating func bumpTag(of target: [UInt8]?) -> Bool { bumps.bump(target) }

  mutating func change(raise: [Flag], clear: [Flag]) {
    raised.formUnion(raise)
    raised.subtract(clear)
  }

  /// When the session began, as its requests tell.
  /// - Parameter date: of this request, seconds since 1970.
  mutating func began(_ date: Int64) -> Int64 {
    let first = first ?? date
    self.first = first
    return first
  }

  /// What an earlier request with this key was given.
  func remembered(_ key: [UInt8]) -> Play? { ledger[key] }

  /// Beyond `countsMax` keys no more are remembered: their repeats are like first requests.
  mutating func remember(_ play: Play, for key: [UInt8]) {
    guard ledger.count < Self.countsMax, ledger[key] == nil else { return }
    ledger[key] = play
  }

  /// The key under which something is counted.
  private func bounded(_ key: UInt64, _ table: [UInt64: Int64]) -> UInt64 {
    table.count < Self.countsMax || table[key] != nil ? key : 0
  }

  // MARK: When

  /// All conditions but those that count or draw, which hold here.
  private func holds(
    _ condition: When, _ rule: Rule, _ request: RuleRequest, _ elapsed: Duration
  ) -> Bool {
    switch condition {
    case .counted, .chance: true
    case .after(let time): elapsed >= time
    case .lasting(let time): elapsed < rule.beginning + time
    case .header(let name, let value):
      request.fields.values(ofName: name).contains { value == nil || $0.elementsEqual(value ?? []) }
    case .withoutHeader(let name): request.fields.values(ofName: name).isEmpty
    case .json(let place, let value):
      request.content.map { value.isValue(at: place, of: $0) } ?? false
    case .raised(let flag): raised.contains(flag)
    }
  }

  /// Whether the request is among those that the rule's counts name. It is counted either way.
  private func isCounted(
    _ rule: Rule, _ index: Int, _ request: RuleRequest, in encounter: inout Encounter
  ) -> Bool {
    var holds = true
    var isNoted = false
    var isNotedOverall = false
    for case .counted(let counting, let isOverall) in rule.when {
      let number: Int64
      if isOverall {
        number = (overall[index] ?? 0) + 1
        if !isNotedOverall { encounter.countedOverall.append(index) }
        isNotedOverall = true
      } else {
        let key = Self.countKey(index, request)
        number = (counts[bounded(key, counts)] ?? 0) + 1
        if !isNoted { encounter.counted.append(key) }
        isNoted = true
      }
      holds = holds && counting.includes(number)
    }
    return holds
  }

  /// One count for each rule, method and raw target.
  private static func countKey(_ rule: Int, _ request: RuleRequest) -> UInt64 {
    StableHash.value(of: request.method.bytes + [0x20] + request.target)
      .mixed(with: UInt64(rule))
  }

  private func isDrawn(
    _ condition: When, of rule: Int, _ draws: inout Draws, in encounter: inout Encounter,
    _ key: UInt64
  ) -> Bool {
    guard case .chance(let portion) = condition else { return true }
    encounter.drawnKey = key
    let drawn = draws.next().portion
    let draw = Draw(rule: rule, .chance(portion, drawn: drawn))
    encounter.draws.append(draw)
    return draw.holds ?? true
  }

  // MARK: Faults

  private func add(
    _ fault: Fault, of rule: Int, _ draws: inout Draws, _ request: RuleRequest, _ seed: UInt64,
    to encounter: inout Encounter, _ key: UInt64
  ) {
    encounter.met.removeAll { fault.replaces($0.fault) }
    let met: Encounter.Met
    switch fault {
    case .delay(.fixed): met = Encounter.Met(rule: rule, fault: fault)
    case .delay(let delay):
      encounter.drawnKey = key
      let time = delay.drawn(draws.next())
      encounter.draws.append(Draw(rule: rule, .delay(delay, drawn: time)))
      met = Encounter.Met(rule: rule, fault: .delay(.fixed(time)))
    case .body(.drawn(_, fresh: true)):
      encounter.drawnKey = key
      met = Encounter.Met(rule: rule, fault: fault, bits: draws.next())
    case .body(.drawn(_, fresh: false)):
      let target = StableHash.value(of: request.target)
      met = Encounter.Met(rule: rule, fault: fault, bits: seed.mixed(with: target))
    default: met = Encounter.Met(rule: rule, fault: fault)
    }
    encounter.met.append(met)
  }

  /// Which generation the target's tag is in; content that is drawn for a target is another one in
  /// each.
  private func applyTag(
    _ request: RuleRequest, _ elapsed: Duration, to encounter: inout Encounter
  ) {
    let bumped = bumps.count(of: request.target)
    if bumped > 0, !encounter.isMade, request.method == .get || request.method == .head,
      !encounter.met.contains(where: { $0.fault.word == .etag })
    {
      // As if a rule said so that has no number, for a time that never comes.
      encounter.met.append(
        Encounter.Met(rule: 0, fault: .entityTag(EntityTagChange(.at([])))))
    }
    let changes = encounter.met.compactMap { met in
      if case .entityTag(let change) = met.fault { change } else { nil }
    }
    guard let change = changes.last else { return }
    let target = TagGenerations.Target(request.target, upstream: request.upstream)
    let generation =
      bumped
      + change.schedule.generation(request: tags.next(of: target), elapsed: elapsed)
    encounter.tag = TagState(target: target, change: change, generation: generation)
    encounter.met = encounter.met.map { met in
      guard case .body(.drawn(_, fresh: false)) = met.fault else { return met }
      let bits = met.bits.mixed(with: UInt64(bitPattern: generation))
      return Encounter.Met(rule: met.rule, fault: met.fault, bits: bits)
    }
  }

  /// A window begins with its first request; what is refused does not count.
  private func applyQuotas(_ elapsed: Duration, to encounter: inout Encounter) {
    let now_ns = elapsed.saturatedNanoseconds
    encounter.met = encounter.met.compactMap { met in
      guard case .quota(let count, per: let time) = met.fault else { return met }
      let length_ns = time.saturatedNanoseconds
      var window = quotas[met.rule] ?? QuotaWindow(began_ns: now_ns, used: 0)
      if now_ns.saturatingAdding(-length_ns) >= window.began_ns {
        window = QuotaWindow(began_ns: now_ns, used: 0)
      }
      guard window.used >= count else {
        window.used += 1
        encounter.quotas[met.rule] = window
        return nil
      }
      var met = met
      met.wait = .nanoseconds(window.began_ns + length_ns - now_ns)
      return met
    }
  }
}

extension When {
  var isAboutContent: Bool { if case .json = self { true } else { false } }
}

extension JSONLiteral {
  /// Whether a content has this value at a place.
  fileprivate func isValue(at place: JSONPointer, of content: [UInt8]) -> Bool {
    guard let range = JSONPlace.range(of: place, in: content) else { return false }
    let keys = ContentKeys()
    let form = ContentForm(kind: .json)
    return keys.key(of: Array(content[range]), form) == keys.key(of: text, form)
  }
}

extension FieldSection {
  /// The values of all lines with a name, whatever its case.
  func values(ofName name: [UInt8]) -> [ArraySlice<UInt8>] {
    (0..<count).compactMap { self.name(at: $0).equalsIgnoringCase(name) ? value(at: $0) : nil }
  }
}
