import FixtureCassette
import FixtureHTTP
import FixtureStore

/// What one cassette changed since a common one, brought into another that changed too: what git
/// asks of a merge driver.
///
/// For each request, which is upstream, method, target and content, the whole sequence of its
/// interactions is taken from whoever changed it. When both did, and not alike, ours stays and it
/// is a conflict. Ours keep their numbers, what is new comes behind them.
struct ChangeMerge {
  /// An interaction of one of the sides.
  private struct Element {
    let id: Int64
    let identity: InteractionIdentity
    /// What it says, whenever it was recorded; nil when it holds placeholders, which are known to
    /// mean the same in copies of one recording alone.
    let meaning: InteractionIdentity?
  }

  private struct Request: Hashable {
    let upstream: String?
    let method: Method
    let target: [UInt8]
    let content: [UInt8]?
  }

  private struct Side {
    let input: MergeInput
    private(set) var elements: [Request: [Element]] = [:]
    /// Requests in the order of their interactions.
    private(set) var order: [(request: Request, id: Int64)] = []

    init(_ input: MergeInput) throws(StoreError) {
      self.input = input
      for id in try input.interactionIDs() {
        let interaction = try input.interaction(id: id)
        let request = Request(
          upstream: interaction.upstream, method: interaction.request.method,
          target: interaction.request.target, content: interaction.requestBody?.digest)
        elements[request, default: []].append(
          Element(
            id: id, identity: InteractionIdentity(interaction, withDate: true),
            meaning: interaction.notes.contains(.redacted)
              ? nil
              : InteractionIdentity(
                interaction, withDate: false, lasting: LastingValue.bytes(of:))))
        order.append((request, id))
      }
    }

    func identities(_ request: Request) -> [InteractionIdentity] {
      (elements[request] ?? []).map(\.identity)
    }

    /// Whether both recorded the same answers, each for itself.
    func hasSame(_ request: Request, as other: Side) -> Bool {
      let own = (elements[request] ?? []).map(\.meaning)
      return own == (other.elements[request] ?? []).map(\.meaning) && !own.contains(nil)
    }

    /// Whether it holds anything that another one has: then both go back to one recording.
    func hasPart(of other: Side) -> Bool {
      let known = Set(other.elements.values.joined().map(\.identity))
      return elements.values.joined().contains { known.contains($0.identity) }
    }
  }

  private let base: Side?
  private let ours: Side
  private let theirs: Side
  /// Of requests that both changed.
  private var conflicts: [Request] = []

  /// - Parameter base: an empty file when there is no common one.
  static func run(base: String, ours: String, theirs: String) throws(StoreError) -> ExitStatus {
    let baseReader: CassetteReader?
    do throws(StoreError) {
      baseReader = try CassetteReader(path: base)
    } catch .emptyFile {
      baseReader = nil
    }
    let readers = [try CassetteReader(path: ours), try CassetteReader(path: theirs)]
    let all = readers + (baseReader.map { [$0] } ?? [])
    let upstreams = MergedUpstreams(all.map(\.description.upstreams))
    var sides: [Side] = []
    for (number, reader) in all.enumerated() {
      sides.append(try Side(MergeInput(reader, number: number, upstreams: upstreams)))
    }
    let merge = ChangeMerge(
      base: sides.count > 2 ? sides[2] : nil, ours: sides[0], theirs: sides[1])
    return try merge.write(upstreams)
  }

  private init(base: Side?, ours: Side, theirs: Side) {
    (self.base, self.ours, self.theirs) = (base, ours, theirs)
  }

  private func write(_ upstreams: MergedUpstreams) throws(StoreError) -> ExitStatus {
    var merge = self
    let description = ours.input.reader.description
    let (given, count) = merge.numbers
    var numbers = given
    var merged = CassetteDescription(
      merging: [description, theirs.input.reader.description], upstreams, count: count)
    merged.textNumbers = description.textNumbers
    numbers.join(theirs.input.reader.description.textNumbers, to: &merged.textNumbers)
    let rewrite = try CassetteRewrite(
      path: ours.input.reader.path, of: ours.input.reader, description: merged,
      createdBy: Version.createdBy)
    let taken = merge.takenRequests()
    var next: [Request: Int] = [:]
    for (request, id) in ours.order {
      guard taken.contains(request) else {
        let interaction = try ours.input.interaction(id: id)
        try ours.input.write(interaction, as: id, PlaceholderNumbers(), to: rewrite)
        continue
      }
      let place = next[request, default: 0]
      next[request] = place + 1
      let elements = theirs.elements[request] ?? []
      guard place < elements.count else { continue }
      let interaction = try theirs.input.interaction(id: elements[place].id)
      try theirs.input.write(interaction, as: id, numbers, to: rewrite)
    }
    var id = ours.order.map(\.id).max() ?? 0
    var behind: [Request: Int] = [:]
    for (request, theirID) in theirs.order where taken.contains(request) {
      let place = behind[request, default: 0]
      behind[request] = place + 1
      guard place >= next[request] ?? 0 else { continue }
      id += 1
      let interaction = try theirs.input.interaction(id: theirID)
      try theirs.input.write(interaction, as: id, numbers, to: rewrite)
    }
    try rewrite.finish()
    return merge.report()
  }

  /// The requests whose interactions are theirs.
  private mutating func takenRequests() -> Set<Request> {
    var taken: Set<Request> = []
    for request in Set(ours.elements.keys).union(theirs.elements.keys) {
      let before = base?.identities(request) ?? []
      let own = ours.identities(request)
      let others = theirs.identities(request)
      if others == before || own == others { continue }
      if own == before {
        taken.insert(request)
      } else if !ours.hasSame(request, as: theirs) {
        conflicts.append(request)
      }
    }
    return taken
  }

  /// What their placeholders become, and how many there are then. Numbers that were there before
  /// both changed mean the same to both.
  private var numbers: (PlaceholderNumbers, count: Int64) {
    let own = ours.input.reader.description.redactedCount
    let others = theirs.input.reader.description.redactedCount
    guard let base, ours.hasPart(of: base), theirs.hasPart(of: base) else {
      return (PlaceholderNumbers(offset: own), own + others)
    }
    let common = min(base.input.reader.description.redactedCount, own, others)
    return (PlaceholderNumbers(offset: own - common, keptUpTo: common), own + others - common)
  }

  private func report() -> ExitStatus {
    if conflicts.isEmpty { return .success }
    let titles = conflicts.map { request in
      "\(String(escaping: request.method.bytes)) \(String(escaping: request.target))"
    }.sorted()
    for title in titles.prefix(Self.conflictsMax) {
      Diagnostic.write("conflict, \(title): both sides changed what it is answered, ours is kept")
    }
    let rest = titles.count - Self.conflictsMax
    if rest > 0 { Diagnostic.write("\(rest) more conflicts") }
    return .failure
  }

  private static let conflictsMax = 20
}
