import FixtureCassette
import FixtureHTTP

// Where the parts of an answer lie in its script:
//
//     interim… head content… trailers? ending

extension Script {
  /// Where the head is, or its beginning; nil when there is none.
  var headIndex: Int? { steps.firstIndex { $0.action.beginsHead } }

  /// Behind the head.
  var contentStart: Int {
    guard let head = headIndex else { return 0 }
    if case .headBeginning = steps[head].action {
      return (steps[head...].firstIndex { $0.action == .headRest } ?? head) + 1
    }
    return head + 1
  }

  /// Behind the content: at the trailers or the ending.
  var contentEnd: Int {
    guard headIndex != nil else { return 0 }
    let last = steps.lastIndex { $0.action.payload != nil }
    return last.map { $0 + 1 } ?? contentStart
  }

  /// Bytes of content.
  var contentSize: Int64 { steps.reduce(0) { $0 + ($1.action.payload?.count ?? 0) } }

  /// The content in order, neighbours joined.
  var payloads: [Payload] {
    var payloads: [Payload] = []
    for case let payload? in steps.map(\.action.payload) {
      if let last = payloads.last, let joined = last.joined(with: payload) {
        payloads[payloads.count - 1] = joined
      } else {
        payloads.append(payload)
      }
    }
    return payloads
  }

  /// Of the final response; nil when none is sent.
  package var head: ResponseHead? {
    guard let index = headIndex else { return nil }
    return steps[index].action.finalHead
  }

  /// Changes the head, if there is one.
  mutating func changeHead(_ change: (inout ResponseHead) -> Void) {
    guard let index = headIndex, var head = steps[index].action.finalHead else { return }
    change(&head)
    steps[index].action =
      if case .headBeginning = steps[index].action { .headBeginning(head) } else { .head(head) }
  }

  /// Makes a place between steps of a point, splitting what has to be split.
  /// - Returns: where to insert what happens there.
  mutating func open(at point: Point) -> Int {
    switch point {
    case .before(.request), .after(.request), .before(.commit), .after(.commit), .before(.head):
      return headIndex ?? 0
    case .inHead: return splitHead()
    case .after(.head), .before(.content): return contentStart
    case .after(.content): return contentEnd
    case .before(.end): return steps.lastIndex { $0.action.isEnding } ?? steps.count
    case .after(.end): return steps.count
    case .at(let extent): return splitContent(at: extent.position(in: contentSize))
    }
  }

  private mutating func splitHead() -> Int {
    guard let index = headIndex else { return 0 }
    if case .head(let head) = steps[index].action {
      steps[index].action = .headBeginning(head)
      steps.insert(Step(.previous, .zero, .headRest), at: index + 1)
    }
    return index + 1
  }

  private mutating func splitContent(at position: Int64) -> Int {
    var passed: Int64 = 0
    for index in steps.indices {
      guard let payload = steps[index].action.payload else { continue }
      if passed >= position { return passed == 0 ? contentStart : index }
      let left = position - passed
      if left < payload.count {
        let (first, second) = steps[index].action.split(at: left)
        steps[index].action = first
        steps.insert(Step(.previous, .zero, second), at: index + 1)
        return index + 1
      }
      passed += payload.count
    }
    return contentEnd
  }
}

extension Action {
  package var beginsHead: Bool {
    switch self {
    case .head, .headBeginning, .raw: true
    case .interim, .headRest, .malform, .content, .generated, .paced, .send, .wait, .trailers,
      .end, .close, .reset:
      false
    }
  }

  /// Whether what it sends is a head, or a part of one.
  package var isOfHead: Bool {
    switch self {
    case .interim, .head, .headBeginning, .headRest: true
    case .malform, .content, .generated, .paced, .send, .wait, .raw, .trailers, .end, .close,
      .reset:
      false
    }
  }

  /// Of the final response.
  var finalHead: ResponseHead? {
    switch self {
    case .head(let head), .headBeginning(let head): head
    case .interim, .headRest, .malform, .content, .generated, .paced, .send, .wait, .raw, .trailers,
      .end, .close, .reset:
      nil
    }
  }

  /// The content that it sends.
  var payload: Payload? {
    switch self {
    case .content(let slice): .stored(slice)
    case .generated(let bytes): .made(bytes)
    case .paced(let payload, _), .send(let payload, via: _): payload
    case .interim, .head, .headBeginning, .headRest, .malform, .wait, .raw, .trailers, .end, .close,
      .reset:
      nil
    }
  }

  var isEnding: Bool { self == .end || isTerminal }

  /// Whether nothing can follow.
  var isTerminal: Bool {
    switch self {
    case .close, .reset, .wait(.clientLeaves): true
    case .interim, .head, .headBeginning, .headRest, .malform, .content, .generated, .paced, .send,
      .wait, .raw, .trailers, .end:
      false
    }
  }

  /// Two actions that send the same content, in the same way.
  /// - Precondition: it sends content, more than `position` bytes.
  fileprivate func split(at position: Int64) -> (Action, Action) {
    guard let payload else { preconditionFailure("\(self) has no content") }
    let first = payload.part(0..<position)
    let second = payload.part(position..<payload.count)
    switch self {
    case .paced(_, let flow):
      var rest = flow
      rest.start += position
      return (.paced(first, flow), .paced(second, rest))
    case .send(_, via: let link): return (.send(first, via: link), .send(second, via: link))
    default: return (first.action, second.action)
    }
  }
}

extension Payload {
  /// Both as one; nil when they don't follow each other.
  fileprivate func joined(with next: Payload) -> Payload? {
    switch (self, next) {
    case (.stored(let first), .stored(let second))
    where first.body == second.body && first.range.upperBound == second.range.lowerBound:
      .stored(
        BodySlice(body: first.body, range: first.range.lowerBound..<second.range.upperBound))
    case (.made(let first), .made(let second)): .made(first + second)
    case (.stored, _), (.made, _): nil
    }
  }
}
