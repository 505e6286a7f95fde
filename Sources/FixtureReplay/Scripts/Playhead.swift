import FixtureCassette

/// A position in a script: says what to do now, or what to wait for.
///
/// The driver owns clock, timers and sockets and decides nothing. After every event it calls
/// `next(at:)` until that returns something other than `.perform`:
///
///     next ─▶ perform(action)   do it; once its bytes are with the kernel, `performed(at:)`
///          ─▶ waitUntil(t)      call again at t or later
///          ─▶ waitForRequestEnd call `requestEnded(at:)`, then again
///          ─▶ waitFor(gate)     call `open(_:at:)`, then again
///          ─▶ waitForGrant(…)   call `grant(_:on:)`, then again
///          ─▶ finished          nothing is left to do
///
/// Calling `next` too early or once more than needed is harmless: it says the same again. Steps are
/// performed in order and never before they are due. All instants are nanoseconds of one monotonic
/// clock.
package struct Playhead: Equatable, Sendable {
  package enum Next: Equatable, Sendable {
    /// Never `.wait`, `.paced` or `.send`: those are what the other cases say.
    case perform(Action)
    /// Nanoseconds of the driver's clock.
    case waitUntil(Int64)
    case waitForRequestEnd
    case waitFor(Gate)
    /// How much is left to send; any part of it may be granted.
    case waitForGrant(Link, Int64)
    case finished
  }

  /// How far behind its due time an action may be written before what follows moves: beyond this
  /// the client was slow to read, and catching up would be a burst that no recording had.
  package static let latenessTolerated_ns: Int64 = 20_000_000

  /// Those to be performed, and some that were.
  private var steps: [Step]
  private let accepted_ns: Int64
  private let requestHead_ns: Int64
  private var requestEnd_ns: Int64?

  /// The step to perform next.
  private var position = 0
  /// When the last performed step was due, moved by gates, grants and rebases; what `.previous`
  /// counts from, and before which nothing that follows is performed.
  private var previous_ns: Int64
  /// The latest `.perform` was late, and the steps after it have been moved to it.
  private var movedSinceTimedStep = false
  private var openGates: [OpenGate] = []
  /// Of a payload at `position` that was begun: when it was due, moved by rebases.
  private var begun_ns: Int64?
  /// How much of it has been sent, and what is granted beyond.
  private var sent: Int64 = 0
  private var granted: Int64 = 0

  /// How many times steps that were still to come were moved because the client was slow to read.
  package private(set) var rebases = 0

  private struct OpenGate: Equatable, Sendable {
    let gate: Gate
    let opened_ns: Int64
  }

  /// - Parameters:
  ///   - requestHead_ns: when the request head was read; for a script about the connection itself,
  ///     when it was accepted.
  ///   - requestEnd_ns: nil while the request is still being read.
  package init(
    script: Script, accepted_ns: Int64, requestHead_ns: Int64, requestEnd_ns: Int64? = nil
  ) {
    steps = script.steps
    self.accepted_ns = accepted_ns
    self.requestHead_ns = requestHead_ns
    self.requestEnd_ns = requestEnd_ns
    previous_ns = requestHead_ns
  }

  /// When the step performed last was due, moved by gates, grants and rebases.
  package var due_ns: Int64 { previous_ns }

  /// Whether nothing is left to do.
  package var isFinished: Bool { position >= steps.count }

  /// Whether the response is complete but for saying so, which is due together with what was
  /// performed last.
  package var isAtEnd: Bool {
    position == steps.count - 1 && steps[position] == Step(.previous, .zero, .end)
  }

  /// What to do at this instant.
  package mutating func next(at now_ns: Int64) -> Next {
    while position < steps.count {
      guard let due_ns = begun_ns ?? due_ns(of: position) else { return .waitForRequestEnd }
      if due_ns > now_ns { return .waitUntil(due_ns) }
      switch steps[position].action {
      case .wait(let gate):
        guard let open = openGates.first(where: { $0.gate == gate }) else { return .waitFor(gate) }
        advance(to: max(due_ns, open.opened_ns))
      case .paced(let payload, let flow):
        guard let next = send(payload, flow, due_ns: due_ns, now_ns: now_ns) else { continue }
        return next
      case .send(let payload, let link):
        guard let next = send(payload, via: link, due_ns: due_ns, now_ns: now_ns) else { continue }
        return next
      case .close, .reset:
        let ending = steps[position].action
        advance(to: due_ns)
        // Nothing can follow on a connection that is gone.
        position = steps.count
        return .perform(ending)
      case .interim, .head, .headBeginning, .headRest, .malform, .content, .generated, .raw,
        .trailers, .end:
        let index = position
        advance(to: due_ns)
        return .perform(steps[index].action)
      }
    }
    return .finished
  }

  /// The request was read to its end. Only the first call counts.
  package mutating func requestEnded(at now_ns: Int64) {
    if requestEnd_ns == nil { requestEnd_ns = now_ns }
  }

  /// The gate is open from now on, also when the playhead has not come to it yet. Only the first
  /// call for a gate counts.
  package mutating func open(_ gate: Gate, at now_ns: Int64) {
    guard !openGates.contains(where: { $0.gate == gate }) else { return }
    openGates.append(OpenGate(gate: gate, opened_ns: now_ns))
  }

  /// The link lets this many bytes of what `.waitForGrant` named pass; more than are left
  /// of it are not kept. Ignored when the playhead does not wait for this link.
  /// - Precondition: `count` is not negative.
  package mutating func grant(_ count: Int64, on link: Link) {
    precondition(count >= 0, "a grant of \(count) bytes")
    guard begun_ns != nil, position < steps.count,
      case .send(let payload, link) = steps[position].action
    else { return }
    granted = min(payload.count - sent, granted.saturatingAdding(count))
  }

  /// The bytes of the action performed last are with the kernel. When that was more than
  /// `latenessTolerated_ns` after the action was due, what follows counts from now.
  package mutating func performed(at now_ns: Int64) {
    guard now_ns.saturatingAdding(-Self.latenessTolerated_ns) > previous_ns else { return }
    if let begun_ns {
      // The rest of the payload moves with what was late.
      self.begun_ns = begun_ns.saturatingAdding(now_ns - previous_ns)
      rebases += 1
    } else {
      movedSinceTimedStep = true
    }
    previous_ns = now_ns
  }

  /// Lets go of what was performed: the head of an answer that flows for minutes, for thousands of
  /// clients. Only when that is about half of all, so that a long script is not copied for each of
  /// its steps.
  private mutating func dropPerformed() {
    guard position > 0, position + 1 >= steps.count - position else { return }
    steps = Array(steps[position...])
    position = 0
  }

  private mutating func advance(to due_ns: Int64) {
    previous_ns = due_ns
    position += 1
    begun_ns = nil
    sent = 0
  }

  /// nil when it depends on the end of the request and that has not come.
  private mutating func due_ns(of index: Int) -> Int64? {
    let anchor_ns: Int64
    switch steps[index].anchor {
    case .accept: anchor_ns = accepted_ns
    case .requestHead: anchor_ns = requestHead_ns
    case .requestEnd:
      guard let requestEnd_ns else { return nil }
      anchor_ns = requestEnd_ns
    case .previous: anchor_ns = previous_ns
    }
    let offset = steps[index].offset
    guard offset > .zero else { return max(anchor_ns, previous_ns) }
    if movedSinceTimedStep, steps[index].anchor == .previous {
      // Steps without an offset follow at once anyway: only a timed one is really moved.
      movedSinceTimedStep = false
      rebases += 1
    }
    return max(anchor_ns.saturatingAdding(offset.saturatedNanoseconds), previous_ns)
  }

  /// The next piece of a flow; nil when the step turned out to be empty and is over.
  private mutating func send(
    _ payload: Payload, _ flow: Flow, due_ns: Int64, now_ns: Int64
  ) -> Next? {
    guard sent < payload.count else {
      advance(to: due_ns)
      return nil
    }
    let end = flow.start + payload.count
    let piece = flow.piece(at: flow.start + sent, upTo: end)
    let offset_ns = max(0, piece.due_ns - flow.elapsed_ns)
    let pieceDue_ns = max(due_ns.saturatingAdding(offset_ns), previous_ns)
    begun_ns = due_ns
    if pieceDue_ns > now_ns {
      dropPerformed()
      return .waitUntil(pieceDue_ns)
    }
    let part = payload.part(sent..<(piece.end - flow.start))
    sent = piece.end - flow.start
    if piece.end == end { advance(to: pieceDue_ns) } else { previous_ns = pieceDue_ns }
    return .perform(part.action)
  }

  /// The granted part; nil when the step turned out to be empty and is over.
  private mutating func send(
    _ payload: Payload, via link: Link, due_ns: Int64, now_ns: Int64
  ) -> Next? {
    guard sent < payload.count else {
      advance(to: due_ns)
      return nil
    }
    begun_ns = due_ns
    guard granted > 0 else { return .waitForGrant(link, payload.count - sent) }
    let part = payload.part(sent..<(sent + granted))
    sent += granted
    granted = 0
    // What the link allows now is due now; being later than the script meant is not lateness.
    if sent == payload.count { advance(to: now_ns) } else { previous_ns = now_ns }
    return .perform(part.action)
  }
}
