import FixtureCassette
import FixtureHTTP
import FixtureReplay
import FixtureSetup
import FixtureStore
import Foundation

/// What a request gets.
struct PlannedAnswer: Sendable {
  var script: Script
  /// What was decided; nil where that was not left to a plan.
  var plan: Plan?
  /// Why nothing was found, in words; nil when something was.
  var miss: String?
  /// When the request was read to its end.
  var requestEnd_ns: Int64
  /// The same as the script, performed beforehand.
  var ready: ReadyAnswer?
}

/// Plans the answers of a fixture and reads what they hold. Not Sendable: used under its lock.
final class AnswerPlanner {
  private var planning: ReplayPlanning<CassetteReader>
  private let bodies: CassetteReader
  private let index: MatchIndex
  private let keys: MatchKeys
  private let choice: UpstreamChoice
  private let start: Int64
  private var played: Set<Int64> = []
  private var ready = BoundedCache<ReadyAnswer>(costMax: readyBytesMax)

  /// Some 3,000 answers with a few KiB each.
  private static let readyBytesMax = 16 << 20

  /// - Parameter start: when the session starts, seconds since 1970.
  init(
    _ setup: ReplaySetup, _ session: ReplaySession, scenario: ScenarioSession?, start: Int64,
    onError: @escaping @Sendable (String) -> Void
  ) throws(FixtureFailure) {
    planning = try setup.planning(
      session, scenario: scenario, start: start, onMiss: { _ in }, onError: onError)
    bodies = try setup.makeReader()
    index = setup.contents.index
    keys = MatchKeys(description: bodies.description, options: setup.match)
    self.start = start
    var upstreams: [(name: String?, url: BaseURL)] = []
    for upstream in bodies.description.upstreams {
      do {
        upstreams.append((upstream.name, try BaseURL(parsing: upstream.url)))
      } catch {
        throw .cassetteRefused("\(setup.name): its upstream \(upstream.url) is no URL: \(error)")
      }
    }
    choice = UpstreamChoice(upstreams)
  }

  /// - Parameter now_ns: on the fixture's clock, which began at `start`.
  func answer(
    _ request: RequestHead, to live: LiveURL, _ url: URL, _ content: Data, at now_ns: Int64
  ) throws(StoreError) -> PlannedAnswer {
    let date = planning.dates.now(start.saturatingAdding(now_ns / 1_000_000_000))
    var request = request
    let upstream: String?
    switch choice.decide(live, isRecorded: { isRecorded(request.method, $0, $1) }) {
    case .take(let name, let target):
      upstream = name
      request.target = target
    case .foreign(let detail):
      planning.refused(detail)
      return foreign(request, detail, date: date, at: now_ns)
    }
    var requestEnd_ns = now_ns
    var begun: BegunRequest?
    if !content.isEmpty {
      begun = planning.begin(request, upstream: upstream, now_ns: now_ns)
      requestEnd_ns = now_ns.saturatingAdding(
        UploadTime.of(content.count, request, begun?.reading).saturatedNanoseconds)
    }
    let plan = try planning.plan(
      request, upstream: upstream, content: identity(of: content), begun: begun, now_ns: now_ns,
      date: date)
    var answer: PlannedAnswer
    switch plan {
    case .play(let play):
      answer = try self.answer(play, to: request, upstream, url, date: date)
      answer.requestEnd_ns = requestEnd_ns
    case .ruled(let ruled):
      answer = PlannedAnswer(
        script: ruled.script, requestEnd_ns: requestEnd_ns)
    case .miss(let miss):
      answer = PlannedAnswer(
        script: miss.script, miss: miss.description, requestEnd_ns: requestEnd_ns)
    case .needsContent:
      preconditionFailure("the content of \(request.method) was given")
    }
    answer.plan = plan
    if let play = plan.play { played.insert(play.id) }
    return answer
  }

  private func answer(
    _ play: Play, to request: RequestHead, _ upstream: String?, _ url: URL, date: Int64
  ) throws(StoreError) -> PlannedAnswer {
    let key = UInt64(bitPattern: play.id)
    let isPlain =
      !planning.derives
      || !Derivation.concerns(
        request, Preconditions.Presence(request.fields),
        recorded: play.interaction.request.method)
    if isPlain, let known = ready[key], known.date == date, known.url == url {
      return PlannedAnswer(
        script: known.script, requestEnd_ns: 0, ready: known)
    }
    let script = try planning.script(of: play, for: request, upstream: upstream, date: date)
    var answer = PlannedAnswer(script: script, requestEnd_ns: 0)
    guard isPlain else { return answer }
    answer.ready = try ReadyAnswer(
      script, date: date, isHead: request.method == .head, for: url,
      read: { (payload) throws(StoreError) in try bytes(of: payload) })
    if let new = answer.ready { ready.insert(new, for: key, cost: new.cost) }
    return answer
  }

  /// The bytes of a part of an answer.
  func bytes(of payload: Payload) throws(StoreError) -> Data {
    switch payload {
    case .made(let bytes): return Data(bytes)
    case .stored(let slice):
      var data = Data(count: Int(slice.count))
      var failure: StoreError?
      data.withUnsafeMutableBytes { buffer in
        do throws(StoreError) {
          try fill(buffer, from: slice)
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      return data
    }
  }

  private func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from slice: BodySlice
  ) throws(StoreError) {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = try bodies.read(
        body: slice.body, offset: slice.range.lowerBound + Int64(filled), into: rest)
      guard count > 0 else { throw .bodyDamaged(path: bodies.path, id: slice.body) }
      filled += count
    }
  }

  /// Those that no request was answered from.
  func unused() throws(StoreError) -> [Int64] {
    try bodies.interactionIDs().filter { !played.contains($0) }
  }

  func recordings(_ ids: [Int64]) throws(StoreError) -> [FixtureRecording] {
    try FixtureRecording.all(ids, of: bodies)
  }

  private func isRecorded(_ method: Method, _ upstream: String?, _ target: [UInt8]) -> Bool {
    var key: [UInt8] = []
    keys.appendKey(method: method, target: target, upstream: upstream, to: &key)
    return !index.candidates(forHash: StableHash.value(of: key)).isEmpty
  }

  private func identity(of content: Data) -> ContentIdentity {
    guard !content.isEmpty else { return .absent }
    let bytes = Array(content)
    return .known(
      size: Int64(bytes.count), digest: SHA256.digest(of: bytes),
      held: bytes.count <= ContentKeys.contentBytesMax ? bytes : nil)
  }

  /// As a miss is answered.
  private func foreign(
    _ request: RequestHead, _ detail: String, date: Int64, at now_ns: Int64
  ) -> PlannedAnswer {
    let method = String(decoding: request.method.bytes, as: UTF8.self)
    let target = String(decoding: request.target, as: UTF8.self)
    let answer = ForeignAnswer(
      detail: "\(method) \(target) is not in the cassette: \(detail)", date)
    return PlannedAnswer(
      script: Script(answering: request.method, answer.head, answer.content, at: .requestEnd),
      miss: answer.detail, requestEnd_ns: now_ns)
  }
}
