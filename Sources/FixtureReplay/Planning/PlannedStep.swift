import FixtureCassette

/// What a script does at an instant or over a time, for people to look at.
package struct PlannedStep: Equatable, Sendable {
  /// When it is due, by the clock of the exchange; nil when that depends on what has not happened.
  package var due_ns: Int64?
  /// When the last of it is due: the same as `due_ns` for what happens at once.
  package var until_ns: Int64?
  /// `head 200`, `content of 1200 bytes in 3 pieces`, `wait for door`.
  package var text: String

  /// More than this are summed up in a last one.
  private static let plannedStepsMax = 32

  /// The steps of a script with their instants, pieces of content that follow each other as one.
  ///
  /// What a client that reads slowly moves is not in it: this is the plan.
  /// - Parameter requestEnd_ns: nil while the request is still being read.
  package static func all(
    of steps: [Step], requestHead_ns: Int64, requestEnd_ns: Int64?
  ) -> [PlannedStep] {
    var planned: [PlannedStep] = []
    var pieces = Pieces()
    func endPieces() {
      guard pieces.count > 0 else { return }
      planned[planned.count - 1].text = pieces.text
      pieces = Pieces()
    }
    var previous_ns: Int64? = requestHead_ns
    for step in steps {
      let due_ns = step.due_ns(
        after: previous_ns, requestHead_ns: requestHead_ns, requestEnd_ns: requestEnd_ns)
      let until_ns = step.until_ns(from: due_ns)
      previous_ns = until_ns
      if let count = step.action.contentCount {
        if pieces.count == 0 {
          planned.append(PlannedStep(due_ns: due_ns, until_ns: until_ns, text: ""))
        }
        pieces.add(count)
        planned[planned.count - 1].until_ns = until_ns
      } else if step.action != .end {
        endPieces()
        planned.append(
          PlannedStep(due_ns: due_ns, until_ns: until_ns, text: step.action.planned))
      }
    }
    endPieces()
    guard planned.count > Self.plannedStepsMax else { return planned }
    let rest = planned[Self.plannedStepsMax...]
    let last = PlannedStep(
      due_ns: rest.first?.due_ns, until_ns: rest.last?.until_ns, text: "\(rest.count) more steps")
    return planned.prefix(Self.plannedStepsMax) + [last]
  }

  private struct Pieces {
    private(set) var count = 0
    private var bytes: Int64 = 0

    mutating func add(_ bytes: Int64) {
      count += 1
      self.bytes = self.bytes.saturatingAdding(bytes)
    }

    var text: String {
      count == 1 ? "content of \(bytes) bytes" : "content of \(bytes) bytes in \(count) pieces"
    }
  }
}

extension Step {
  fileprivate func due_ns(
    after previous_ns: Int64?, requestHead_ns: Int64, requestEnd_ns: Int64?
  ) -> Int64? {
    let anchor_ns: Int64? =
      switch anchor {
      case .accept, .requestHead: requestHead_ns
      case .requestEnd: requestEnd_ns
      case .previous: previous_ns
      }
    guard let anchor_ns, let previous_ns else { return nil }
    return max(anchor_ns.saturatingAdding(offset.saturatedNanoseconds), previous_ns)
  }

  /// When what follows may be due; nil after what depends on others.
  fileprivate func until_ns(from due_ns: Int64?) -> Int64? {
    guard let due_ns else { return nil }
    switch action {
    case .wait, .send: return nil
    case .paced(let payload, let flow):
      guard payload.count > 0 else { return due_ns }
      let end = flow.start.saturatingAdding(payload.count)
      let last = flow.piece(at: end - 1, upTo: end)
      return due_ns.saturatingAdding(max(0, last.due_ns - flow.elapsed_ns))
    case .interim, .head, .content, .generated, .headBeginning, .headRest, .malform, .raw,
      .trailers, .end, .close, .reset:
      return due_ns
    }
  }
}

extension Action {
  /// Of content that is sent at once.
  fileprivate var contentCount: Int64? {
    switch self {
    case .content(let slice): slice.count
    case .generated(let bytes): Int64(bytes.count)
    case .interim, .head, .paced, .send, .headBeginning, .headRest, .malform, .wait, .raw,
      .trailers, .end, .close, .reset:
      nil
    }
  }

  /// Without fields and content, which may be long.
  fileprivate var planned: String {
    switch self {
    case .interim(let head): "interim \(head.status)"
    case .head(let head): "head \(head.status)"
    case .headBeginning(let head): "half of the head \(head.status)"
    case .headRest: "the rest of the head"
    case .content, .generated: "content"
    case .paced(let payload, let flow): "content of \(payload.count) bytes, \(flow.transcript)"
    case .send(let payload, let link):
      "content of \(payload.count) bytes, \(RuleUnits.text(link.rate)) shared"
    case .malform(let malformation): "malformed \(malformation.rawValue)"
    case .wait(.clientLeaves): "wait until the client leaves"
    case .wait(let gate): "wait for \(gate.name)"
    case .raw(let bytes): "\(bytes.count) bytes as they are"
    case .trailers: "trailers"
    case .end: "end"
    case .close: "close"
    case .reset: "reset"
    }
  }
}
