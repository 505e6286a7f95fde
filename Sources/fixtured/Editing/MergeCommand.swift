import FixtureCassette
import FixtureHTTP
import FixtureStore

/// `fixtured merge`: several cassettes as one.
enum MergeCommand {
  static func run(_ options: MergeOptions) -> ExitStatus {
    do throws(StoreError) {
      switch options.work {
      case .new(let paths, let output): return try merge(paths, into: output)
      case .changes(let base, let ours, let theirs):
        return try ChangeMerge.run(base: base, ours: ours, theirs: theirs)
      }
    } catch .exists(let path) {
      Diagnostic.write("\(path): the file exists; give another -o FILE, or remove it")
      return .failure
    } catch {
      Diagnostic.write(error.description)
      return .failure
    }
  }

  /// All interactions of the first cassette, then those of the second that the first does not have,
  /// and so on, each in its order.
  private static func merge(_ paths: [String], into output: String) throws(StoreError) -> ExitStatus
  {
    var readers: [CassetteReader] = []
    for path in paths { readers.append(try CassetteReader(path: path)) }
    let upstreams = MergedUpstreams(readers.map(\.description.upstreams))
    let inputs = readers.enumerated().map { MergeInput($1, number: $0, upstreams: upstreams) }
    let count = readers.reduce(0) { $0 + $1.description.redactedCount }
    var description = CassetteDescription(
      merging: readers.map(\.description), upstreams, count: count)
    let rewrite = try CassetteRewrite(
      path: output, of: nil, description: description, createdBy: Version.createdBy)
    var known = KnownInteractions()
    var written: Int64 = 0
    var repeated = 0
    for input in inputs {
      let ids = try input.interactionIDs()
      var new: [Int64] = []
      known.beginCassette(input.reader.description)
      for id in ids {
        let interaction = try input.interaction(id: id)
        let isNew = try known.add(interaction) { () throws(StoreError) in
          try input.placeholders(in: interaction)
        }
        if isNew { new.append(id) } else { repeated += 1 }
      }
      for id in new {
        written += 1
        try input.write(
          try input.interaction(id: id), as: written, known.numbers, to: rewrite)
      }
    }
    description.textNumbers = known.textNumbers
    try rewrite.describe(description)
    try rewrite.finish()
    let more = repeated == 0 ? "" : ", \(repeated) left out that came before"
    return Output.print("\(output.escapedForTerminal): \(written) interactions\(more)\n")
  }
}

/// Which interactions the cassettes before had, and which numbers placeholders get.
///
/// An interaction is the same when everything but its times is. One that holds placeholders must
/// have begun at the same microsecond too: only copies of one recording are known to mean the same
/// secret by the same number. Those placeholders keep the number they have got already.
struct KnownInteractions {
  private var before: [InteractionIdentity: Int] = [:]
  private var own: [InteractionIdentity: Int] = [:]
  /// New numbers for the cassette that is read.
  private(set) var numbers = PlaceholderNumbers()
  /// The numbers of the cassettes before, and which of them an interaction is in.
  private var numbersBefore: [PlaceholderNumbers] = []
  private var cassettes: [InteractionIdentity: Int] = [:]
  private var hasBegun = false
  /// Of all cassettes up to this one.
  private var redactedCount: Int64 = 0
  /// The placeholders of the secrets that `text:` rules name, by rule.
  private(set) var textNumbers: [String: [Int64]] = [:]

  mutating func beginCassette(_ description: CassetteDescription) {
    for (identity, times) in own { before[identity] = max(times, before[identity] ?? 0) }
    own = [:]
    if hasBegun { numbersBefore.append(numbers) }
    hasBegun = true
    numbers = PlaceholderNumbers(offset: redactedCount)
    numbers.join(description.textNumbers, to: &textNumbers)
    redactedCount += description.redactedCount
  }

  /// - Parameter placeholders: asked for when it is known.
  /// - Returns: whether no cassette before has it; the nth of equal ones is known when one of them
  ///   has n.
  mutating func add(
    _ interaction: Interaction, placeholders: () throws(StoreError) -> Set<Int64>
  ) throws(StoreError) -> Bool {
    let hasPlaceholders = interaction.notes.contains(.redacted)
    let identity =
      hasPlaceholders
      ? InteractionIdentity(interaction, withDate: true)
      : InteractionIdentity(interaction, withDate: false, lasting: LastingValue.bytes(of:))
    own[identity, default: 0] += 1
    let isNew = own[identity, default: 0] > before[identity] ?? 0
    guard hasPlaceholders else { return isNew }
    if isNew {
      if cassettes[identity] == nil { cassettes[identity] = numbersBefore.count }
    } else if let cassette = cassettes[identity], cassette < numbersBefore.count {
      for number in try placeholders() {
        numbers.numbers[number] = numbersBefore[cassette][number]
      }
    }
    return isNew
  }
}
