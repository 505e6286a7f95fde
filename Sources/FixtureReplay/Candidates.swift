import FixtureCassette
import FixtureHTTP

/// The interactions of one match key, verified against it, in recording order, and sorted by what
/// of the request's content they answer.
///
/// A class, because handing it around must not retain all its parts; complete once it is loaded,
/// and confined to its planner.
final class Candidates {
  struct Candidate {
    let id: Int64
    /// Of its target, as `MatchKeys.placeholders(in:)` gives them.
    let placeholders: [Placeholder?]
  }

  private struct Content: Hashable {
    let size: Int64
    let digest: [UInt8]
  }

  /// The match key; another key may have the same hash.
  let key: [UInt8]
  /// How many interactions have the key, played or not.
  private(set) var count = 0
  /// Those recorded without content, or with an empty one.
  private(set) var withoutContent: [Candidate] = []
  /// Of those, the ones answered before content that the client announced with an `Expect`.
  private(set) var beforeContent: [Candidate] = []
  /// Those answered while their content was still coming, which says nothing of the rest of it.
  private(set) var duringContent: [Candidate] = []
  private var byContent: [Content: [Candidate]] = [:]
  private var withContent = 0
  /// The first interaction that is left out of all sequences: nobody waited for its answer.
  private(set) var unanswered: Int64?
  /// The first one whose content was not stored.
  private(set) var omitted: Int64?
  /// The first ones, to name in a miss.
  private(set) var examples: [Int64] = []
  /// What is played when there is only one: kept here, it is found with the key.
  private(set) var only: PreparedPlay?

  init(key: [UInt8]) {
    self.key = key
  }

  /// Adds the next interaction in recording order.
  func add(_ interaction: Interaction, placeholders: [Placeholder?]) {
    count += 1
    if examples.count < Miss.nearestMax { examples.append(interaction.id) }
    let isOmitted = interaction.notes.contains(.contentOmitted)
    if isOmitted, omitted == nil { omitted = interaction.id }
    guard interaction.isPlayable || isOmitted else {
      if unanswered == nil { unanswered = interaction.id }
      return
    }
    let candidate = Candidate(id: interaction.id, placeholders: placeholders)
    if interaction.notes.contains(.requestCut), !interaction.isAnsweredBeforeContent {
      duringContent.append(candidate)
    } else if let body = interaction.requestBody, body.size > 0 {
      byContent[Content(size: body.size, digest: body.digest), default: []].append(candidate)
      withContent += 1
    } else {
      withoutContent.append(candidate)
      if interaction.isAnsweredBeforeContent { beforeContent.append(candidate) }
    }
  }

  /// Keeps what is played; once, when all interactions are added, and only for a single one.
  func keep(_ play: PreparedPlay?) {
    precondition(count == 1, "\(count) interactions have the key")
    only = play
  }

  /// Whether a request with an `Expect` has the same answer whatever its content.
  var allBeforeContent: Bool {
    withContent == 0 && duringContent.isEmpty && !beforeContent.isEmpty
      && beforeContent.count == withoutContent.count
  }

  /// Whether none of them was answered while it was recorded.
  var isUnanswered: Bool { withContent == 0 && withoutContent.isEmpty && duringContent.isEmpty }

  func with(size: Int64, digest: [UInt8]) -> [Candidate] {
    byContent[Content(size: size, digest: digest)] ?? []
  }

  /// Bytes of memory, roughly.
  var cost: Int {
    256 + key.count + (withContent + withoutContent.count + duringContent.count) * 128
      + (only?.cost ?? 0)
  }
}

/// What the content and the placeholders of a request leave of the candidates, and the key under
/// which the session counts them. Outside the generic planner, as everything on its hot path.
struct CandidateSequence {
  var candidates: [Candidates.Candidate]
  var key: UInt64
}
