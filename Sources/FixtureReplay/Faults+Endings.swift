// How an answer ends before its time: reset, close, truncate, hang. The earliest wins.

extension Encounter {
  /// - Returns: those that have no effect.
  func applyEndings(to script: inout Script) -> [Met] {
    let endings = met.compactMap { met in
      met.fault.ending.map { (met: met, point: $0.point, action: $0.action) }
    }
    let size = script.contentSize
    func place(_ ending: (met: Met, point: Point, action: Action)) -> Place {
      Place(ending.point, size: size)
    }
    // Of several at one place the last one counts, as of several rules.
    guard
      let winner = endings.reversed().min(by: { place($0) < place($1) })
    else { return [] }
    script.end(winner.action, at: winner.point)
    return endings.map(\.met).filter { $0 != winner.met }
  }
}

extension Fault {
  fileprivate var ending: (point: Point, action: Action)? {
    switch self {
    case .reset(let point): (point, .reset)
    case .close(let point): (point, .close)
    case .truncate(let extent): (.at(extent), .close)
    case .hang(let point): (point, .wait(.clientLeaves))
    default: nil
    }
  }
}

extension Script {
  /// Nothing follows that point.
  fileprivate mutating func end(_ action: Action, at point: Point) {
    let index = open(at: point)
    var step = Step(.previous, .zero, action)
    switch point {
    case .before(.request):
      steps = [Step(.requestHead, .zero, action)]
      return
    case .after(.request), .before(.commit), .after(.commit):
      steps = [Step(.requestEnd, .zero, action)]
      return
    case .before:
      // When what follows would have come.
      if index < steps.count {
        step.anchor = steps[index].anchor
        step.offset = steps[index].offset
      }
    case .at, .inHead, .after: break
    }
    steps.replaceSubrange(index..., with: [step])
  }
}

/// Where a point lies in an answer, to tell which of two comes first.
private struct Place: Comparable {
  private let part: Int
  private let position: Int64

  init(_ point: Point, size: Int64) {
    switch point {
    case .before(.request): (part, position) = (0, 0)
    case .after(.request), .before(.commit), .after(.commit): (part, position) = (1, 0)
    case .before(.head): (part, position) = (2, 0)
    case .inHead: (part, position) = (3, 0)
    case .after(.head), .before(.content): (part, position) = (4, 0)
    case .at(let extent): (part, position) = (4, extent.position(in: size))
    case .after(.content), .before(.end): (part, position) = (4, size)
    case .after(.end): (part, position) = (5, 0)
    }
  }

  static func < (left: Place, right: Place) -> Bool {
    (left.part, left.position) < (right.part, right.position)
  }
}
