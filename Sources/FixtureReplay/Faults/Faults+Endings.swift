// How an answer ends before its time: reset, close, truncate, hang. The earliest wins.

extension Encounter {
  /// - Returns: those that have no effect.
  func applyEndings(to script: inout Script) -> [Met] {
    let endings = endings
    guard let first = Self.first(of: endings, size: script.contentSize) else { return [] }
    script.end(endings[first].action, at: endings[first].point)
    return endings.indices.filter { $0 != first }.map { endings[$0].met }
  }

  /// More than any content has.
  private static let sizeBeyondAll: Int64 = 1 << 50

  /// The endings that have no effect in whatever content there is, if there is any.
  package var overruled: [Met] {
    let endings = endings
    // Which of two is the earlier one changes only where a number of bytes is a part of the whole;
    // beside these sizes the least and the greatest are enough.
    let extents = endings.compactMap { if case .at(let extent) = $0.point { extent } else { nil } }
    var sizes: Set<Int64> = [1, Self.sizeBeyondAll]
    for case .bytes(let count) in extents {
      sizes.insert(count.bytes)
      for case .portion(let portion) in extents where portion.millionths > 0 {
        sizes.insert(
          Int64(clamping: Int128(count.bytes) * 1_000_000 / Int128(portion.millionths)))
      }
    }
    let near = sizes.flatMap { [$0.saturatingAdding(-1), $0, $0.saturatingAdding(1)] }
    let winners = Set(near.filter { $0 > 0 }.map { Self.first(of: endings, size: $0) })
    return endings.indices.filter { !winners.contains($0) }.map { endings[$0].met }
  }

  private struct Ending {
    let met: Met
    let point: Point
    let action: Action
  }

  private var endings: [Ending] {
    met.compactMap { met in
      met.fault.ending.map { Ending(met: met, point: $0.point, action: $0.action) }
    }
  }

  /// Which of them comes first in content of this size. Of several at one place the last one
  /// counts, as of several rules.
  private static func first(of endings: [Ending], size: Int64) -> Int? {
    endings.indices.reversed().min { left, right in
      Place(endings[left].point, size: size) < Place(endings[right].point, size: size)
    }
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
