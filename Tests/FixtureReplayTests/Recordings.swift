import FixtureCassette
import FixtureHTTP
import FixtureReplay

/// A section with these lines, names and values alternating.
func section(_ lines: (StaticString, String)...) -> FieldSection {
  var fields = FieldSection()
  for (name, value) in lines { fields.append(name, value) }
  return fields
}

func head(_ status: Int, _ reason: String, _ fields: FieldSection = .init()) -> ResponseHead {
  ResponseHead(status: status, reason: Array(reason.utf8), fields: fields)
}

func request(_ method: Method, _ target: String, _ fields: FieldSection = .init()) -> RequestHead {
  RequestHead(method: method, target: Array(target.utf8), fields: fields)
}

/// A stored body whose digest is that of `text`.
func body(_ id: Int64, _ text: String) -> BodyReference {
  let bytes = Array(text.utf8)
  return BodyReference(id: id, size: Int64(bytes.count), digest: SHA256.digest(of: bytes))
}

func content(_ text: String) -> ContentIdentity {
  let bytes = Array(text.utf8)
  return .known(size: Int64(bytes.count), digest: SHA256.digest(of: bytes))
}

/// Content whose bytes were held.
func held(_ bytes: [UInt8]) -> ContentIdentity {
  .known(size: Int64(bytes.count), digest: SHA256.digest(of: bytes), held: bytes)
}

func held(_ text: String) -> ContentIdentity { held(Array(text.utf8)) }

func arrivals(_ pieces: (offset_us: Int64, count: Int64)...) -> Arrivals {
  var arrivals = Arrivals()
  for piece in pieces { arrivals.append(offset_us: piece.offset_us, count: piece.count) }
  return arrivals
}

/// `GET /a`, answered 250 ms after the request with `200 OK`, ended after 500 ms.
func recording(
  _ id: Int64 = 1, _ request: RequestHead = request(.get, "/a"), upstream: String? = nil,
  authority: String = "a.test", sent: BodyReference? = nil,
  _ response: RecordedResponse? = RecordedResponse(
    head: head(200, "OK"), framing: .length),
  interims: [RecordedInterim] = [], outcome: Outcome = .complete, detail: String? = nil,
  notes: Set<Interaction.Note> = []
) -> Interaction {
  Interaction(
    id: id, startedAt_us: 0, upstream: upstream, scheme: "http", authority: authority,
    request: request, requestBody: sent, response: response, interims: interims,
    outcome: outcome, outcomeDetail: detail, notes: notes, connection: 1,
    firstByte_us: response == nil ? nil : 250_000, end_us: 500_000)
}

/// As the other `recording`, of `GET /a`.
func recording(
  _ id: Int64, _ response: RecordedResponse?, interims: [RecordedInterim] = [],
  outcome: Outcome = .complete, detail: String? = nil, notes: Set<Interaction.Note> = []
) -> Interaction {
  recording(
    id, request(.get, "/a"), response, interims: interims, outcome: outcome, detail: detail,
    notes: notes)
}

extension Interaction {
  func withRequestOutline(_ body: (RequestOutline) -> Void) {
    withRequestRow { row in
      body(
        RequestOutline(
          id: row.id, upstream: row.upstream, authority: row.authority, method: row.method,
          target: row.target))
    }
  }
}

/// Recordings in memory.
struct MemorySource: InteractionSource {
  enum Missing: Error { case interaction(Int64) }

  var interactions: [Interaction]
  var description = CassetteDescription()
  /// Those that are not here can't be read.
  var contents: [Int64: [UInt8]] = [:]
  var match = MatchOptions()

  func interaction(id: Int64) throws(Missing) -> Interaction {
    guard let found = interactions.first(where: { $0.id == id }) else { throw .interaction(id) }
    return found
  }

  /// Every other interaction begins a part.
  func foldRequests<Part: Sendable>(
    from initial: Part, _ add: @escaping @Sendable (inout Part, RequestOutline) -> Void
  ) throws(Missing) -> [Part] {
    var parts = [initial]
    for (place, interaction) in interactions.enumerated() {
      if place > 0, place % 2 == 0 { parts.append(initial) }
      interaction.withRequestOutline { add(&parts[parts.count - 1], $0) }
    }
    return parts
  }

  func forEachRequest(
    of ids: [Int64], _ body: (RequestRow) -> Void
  ) throws(Missing) {
    for id in ids { try interaction(id: id).withRequestRow(body) }
  }

  /// Every third body begins a part.
  func foldContents<Part: Sendable>(
    _ bodies: [StoredContent], from initial: Part,
    _ add: @escaping @Sendable (inout Part, _ place: Int, UnsafeRawBufferPointer) -> Void
  ) throws(Missing) -> [Part] {
    var parts: [Part] = []
    for (place, body) in bodies.enumerated() {
      if place % 3 == 0 { parts.append(initial) }
      contents[body.id]?.withUnsafeBytes { add(&parts[parts.count - 1], place, $0) }
    }
    return parts
  }

  var index: MatchIndex {
    var index = MatchIndex.Builder(description: description, options: match)
    for interaction in interactions { interaction.withRequestOutline { index.add($0) } }
    return MatchIndex([index])
  }

  func planner(
    pacing: Pacing = .immediate, exhausted: Exhausted = .repeatLast, derives: Bool = true
  ) -> Planner<MemorySource> {
    Planner(
      index: index, keys: MatchKeys(description: description, options: match), pacing: pacing,
      exhausted: exhausted, derives: derives)
  }
}

/// A replay of recordings in memory: planner and session together, each plan in one line.
struct Replay {
  let source: MemorySource
  var planner: Planner<MemorySource>
  let session = ReplaySession()

  /// - Parameter contents: of the bodies whose bytes can be read.
  init(
    _ interactions: [Interaction], redactions: [String]? = [], exhausted: Exhausted = .repeatLast,
    contents: [Int64: [UInt8]] = [:], match: MatchOptions = .init()
  ) {
    source = MemorySource(
      interactions: interactions, description: CassetteDescription(redactions: redactions),
      contents: contents, match: match)
    planner = source.planner(exhausted: exhausted)
  }

  mutating func plan(
    _ request: RequestHead, upstream: String? = nil, _ content: ContentIdentity = .absent
  ) -> Plan {
    do {
      return try planner.plan(
        request, upstream: upstream, content: content, session: session, date: 0, source: source)
    } catch {
      preconditionFailure("the source does not hold what its index names: \(error)")
    }
  }

  /// `7, 1 of 3` for a play, the reason's word for a miss.
  mutating func outcome(
    _ request: RequestHead, upstream: String? = nil, _ content: ContentIdentity = .absent
  ) -> String {
    switch plan(request, upstream: upstream, content) {
    case .play(let play): "\(play.interaction.id), \(play.ordinal) of \(play.count)"
    case .miss(let miss): miss.reason.word
    case .ruled(let answer): answer.description
    case .needsContent(let bytes):
      bytes == ContentKeys.contentBytesMax ? "needs content, held" : "needs content"
    }
  }
}
