import FixtureCassette
import FixtureHTTP
import Synchronization

/// The interactions of one match key, verified against it, in recording order, and sorted by what
/// of the request's content they answer.
///
/// A class, because handing it around must not retain all its parts. Complete once it is made, but
/// for the values of contents, which are made when the first request asks for them.
final class Candidates: Sendable {
  struct Candidate: Sendable {
    let id: Int64
    /// Of its target, as `MatchKeys.placeholders(in:)` gives them.
    let placeholders: [Placeholder?]
    /// In `variants`.
    let variant: UInt32
    let kind: Kind
    /// Tells the `Range` fields of parts apart, most of the time.
    let range: UInt16

    static func range(_ value: some Collection<UInt8>) -> UInt16 {
      UInt16(truncatingIfNeeded: StableHash.value(of: Array(value)))
    }
  }

  /// Whether it answers whoever asks for the key, or only who asked as its client did.
  enum Kind: UInt8, Sendable {
    case whole
    /// A 304 to a request with conditions (RFC 9110 §13.1).
    case notModified
    /// A part, or none, for a request with a `Range` (RFC 9110 §14.2).
    case part

    init(_ row: RequestRow) {
      self =
        switch row.status {
        case 304 where row.fields.hasCondition: .notModified
        case 206 where row.fields.first(.range) != nil: .part
        case 416 where row.fields.first(.range) != nil: .part
        default: .whole
        }
    }
  }

  /// Collects the interactions of one key.
  struct Builder {
    fileprivate let key: [UInt8]
    private let keys: MatchKeys
    fileprivate(set) var count = 0
    fileprivate var withoutContent: [Candidate] = []
    fileprivate var beforeContent: [Candidate] = []
    fileprivate var duringContent: [Candidate] = []
    fileprivate var contents = ContentTable()
    fileprivate var variants = VariantTable()
    fileprivate var isPartial = false
    fileprivate var unanswered: Int64?
    fileprivate var omitted: Int64?
    fileprivate(set) var examples: [Int64] = []

    /// - Parameter key: made by `keys`.
    init(key: [UInt8], _ keys: MatchKeys) {
      self.key = key
      self.keys = keys
    }

    /// Adds the next interaction in recording order.
    mutating func add(_ row: RequestRow) {
      count += 1
      if examples.count < Miss.nearestMax { examples.append(row.id) }
      let isOmitted = row.notes.contains(.contentOmitted)
      if isOmitted, omitted == nil { omitted = row.id }
      guard row.isPlayable || isOmitted else {
        if unanswered == nil { unanswered = row.id }
        return
      }
      let kind = Kind(row)
      let range = kind == .part ? row.fields.first(.range).map(Candidate.range) : nil
      let candidate = Candidate(
        id: row.id, placeholders: keys.placeholders(in: row.target),
        variant: variants.index(row, keys), kind: kind, range: range ?? 0)
      if candidate.kind != .whole { isPartial = true }
      let isBeforeContent = row.isAnsweredBeforeContent
      let hasContent = keys.options.content && (row.body?.size ?? 0) > 0
      if row.notes.contains(.requestCut), !isBeforeContent, keys.options.content {
        duringContent.append(candidate)
        // No recorder stored it: whoever wrote it did not say what it is asked with.
        if row.body == nil, !row.fields.announcesContent { withoutContent.append(candidate) }
      } else if hasContent, let body = row.body {
        contents.append(
          candidate, body, row.fields, isRedacted: row.notes.contains(.redacted))
      } else {
        withoutContent.append(candidate)
        if isBeforeContent { beforeContent.append(candidate) }
      }
    }
  }

  /// The match key; another key may have the same hash.
  let key: [UInt8]
  /// How many interactions have the key, played or not.
  let count: Int
  /// Those recorded without content, or with an empty one; all when content is not asked for.
  let withoutContent: [Candidate]
  /// Of those, the ones answered before content that the client announced with an `Expect`.
  let beforeContent: [Candidate]
  /// Those answered while their content was still coming, which says nothing of the rest of it.
  let duringContent: [Candidate]
  /// All others.
  let contents: ContentTable
  let variants: [Variant]
  /// Whether there is more to choose by than content.
  let isVaried: Bool
  /// Whether some are not whole answers.
  let isPartial: Bool
  /// The first interaction that is left out of all sequences: nobody waited for its answer.
  let unanswered: Int64?
  /// The first one whose content was not stored.
  let omitted: Int64?
  /// The first ones, to name in a miss.
  let examples: [Int64]
  /// What is played when there is only one: kept here, it is found with the key.
  let only: PreparedPlay?
  private let lazyValues = Mutex<ContentValues?>(nil)

  /// - Parameter only: what is played, when it is the only one and there is something to play.
  init(_ builder: Builder, only: PreparedPlay?) {
    precondition(only == nil || builder.count == 1, "\(builder.count) interactions have the key")
    key = builder.key
    count = builder.count
    withoutContent = builder.withoutContent
    beforeContent = builder.beforeContent
    duringContent = builder.duringContent
    contents = builder.contents
    variants = builder.variants.variants
    isVaried =
      variants.contains { !$0.codings.isEmpty || !$0.asked.isEmpty }
      || Set(variants.map(\.withoutOffer)).count > 1
    isPartial = builder.isPartial
    unanswered = builder.unanswered
    omitted = builder.omitted
    examples = builder.examples
    self.only = only
  }

  /// The values of the contents, made by `make` the first time; other threads that ask meanwhile
  /// wait for them.
  func values<Failure: Error>(
    _ make: (ContentTable) throws(Failure) -> ContentValues
  ) throws(Failure) -> ContentValues {
    try lazyValues.withLock { (values) throws(Failure) in
      if let values { return values }
      let made = try make(contents)
      values = made
      return made
    }
  }

  /// Whether a request with an `Expect` has the same answer whatever its content.
  var allBeforeContent: Bool {
    contents.count == 0 && duringContent.isEmpty && !beforeContent.isEmpty
      && beforeContent.count == withoutContent.count
  }

  /// Whether none of them was answered while it was recorded.
  var isUnanswered: Bool {
    contents.count == 0 && withoutContent.isEmpty && duringContent.isEmpty
  }

  /// Bytes of memory, roughly.
  var cost: Int {
    256 + key.count + (withoutContent.count + duringContent.count) * 32 + contents.cost
      + (only?.cost ?? 0)
  }
}

/// What the content and the placeholders of a request leave of the candidates, and the key under
/// which the session counts them. Outside the generic planner, as everything on its hot path.
struct CandidateSequence {
  var candidates: [Candidates.Candidate]
  var key: UInt64

  /// With those that are equal but for their secrets. What is recorded with its secrets alone keeps
  /// its own count.
  func joined(with similar: CandidateSequence) -> CandidateSequence {
    let own = Set(candidates.map(\.id))
    guard !similar.candidates.allSatisfy({ own.contains($0.id) }) else { return self }
    var joined = similar
    let others = Set(similar.candidates.map(\.id))
    joined.merge(candidates.filter { !others.contains($0.id) })
    return joined
  }

  /// Adds others, in recording order.
  mutating func merge(_ others: [Candidates.Candidate]) {
    guard !others.isEmpty else { return }
    candidates += others
    candidates.sort { $0.id < $1.id }
  }
}

extension StoredFields {
  fileprivate var announcesContent: Bool {
    first(.contentLength) != nil || first(.transferEncoding) != nil
  }

  fileprivate var hasCondition: Bool {
    first(.ifNoneMatch) != nil || first(.ifModifiedSince) != nil
  }
}
