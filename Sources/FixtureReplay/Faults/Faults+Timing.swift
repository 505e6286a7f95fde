import FixtureHTTP

// When the parts of an answer are sent: delay, pause, trickle, rate, stall, hold.

extension Encounter {
  func applyTiming(to script: inout Script) {
    guard script.headIndex != nil else { return }
    for case .delay(.fixed(let time)) in met.map(\.fault) { script.delay(time) }
    for case .pause(let time) in met.map(\.fault) { script.pause(time) }
    pace(&script)
    for case .stall(let time, let point) in met.map(\.fault) { script.stall(time, at: point) }
    for case .hold(let gate) in met.map(\.fault) {
      let index = script.open(at: .before(.head))
      let head = script.steps[index]
      script.steps.insert(Step(head.anchor, head.offset, .wait(gate)), at: index)
      script.steps[index + 1].anchor = .previous
      script.steps[index + 1].offset = .zero
    }
  }

  private func pace(_ script: inout Script) {
    var trickle: Trickle?
    var rate: (ByteRate, link: Link?)?
    for met in met {
      if case .trickle(let own) = met.fault { trickle = own }
      if case .rate(let own, let isShared) = met.fault {
        rate = (own, isShared ? Link("rule \(met.rule)", own) : nil)
      }
    }
    if let trickle { script.trickle(trickle, cap: rate?.0) }
    guard let rate else { return }
    if let link = rate.link {
      script.share(link)
    } else if trickle == nil {
      script.cap(rate.0)
    }
  }
}

extension Script {
  /// The head comes so long after the request, instead of when it was recorded.
  fileprivate mutating func delay(_ time: Duration) {
    guard let index = headIndex else { return }
    steps[index].offset = time
    for interim in 0..<index { steps[interim].offset = min(time, steps[interim].offset) }
  }

  /// Content comes so long after the head.
  fileprivate mutating func pause(_ time: Duration) {
    let index = contentStart
    if index < steps.count { steps[index].offset = time }
  }

  /// All content in pieces, whatever pieces it had.
  fileprivate mutating func trickle(_ trickle: Trickle, cap: ByteRate?) {
    let payloads = payloads
    guard !payloads.isEmpty else { return }
    let start = contentStart
    let size = contentSize
    let kind: Flow.Kind =
      switch trickle {
      case .size(let size, every: let time): .trickle(size, every: time)
      case .pieces(let count, over: let time): .pieces(count, of: size, over: time)
      }
    var passed: Int64 = 0
    let paced = payloads.enumerated().map { index, payload in
      defer { passed += payload.count }
      let offset = index == 0 ? steps[start].offset : .zero
      return Step(.previous, offset, .paced(payload, Flow(kind, cap: cap, start: passed)))
    }
    steps.replaceSubrange(start..<contentEnd, with: paced)
  }

  /// Content as it was recorded, but no faster than a rate.
  fileprivate mutating func cap(_ rate: ByteRate) {
    // Since the head: when content comes by the recording, and when it has all been sent.
    var recorded = Duration.zero
    var sent = Duration.zero
    var passed: Int64 = 0
    for index in contentStart..<contentEnd {
      guard let payload = steps[index].action.payload else { continue }
      recorded += steps[index].offset
      let start = max(recorded, sent)
      if start > sent { passed = 0 }
      steps[index].offset = start - sent
      let flow = Flow(.rate(rate), start: passed)
      steps[index].action = .paced(payload, flow)
      passed += payload.count
      let last_ns = Flow(.rate(rate), start: passed).elapsed_ns - flow.elapsed_ns
      sent = start + .nanoseconds(last_ns)
    }
    let end = contentEnd
    guard end < steps.count, steps[end].anchor == .previous else { return }
    recorded += steps[end].offset
    steps[end].offset = max(.zero, recorded - sent)
  }

  /// Content as it is paced, but through a link.
  fileprivate mutating func share(_ link: Link) {
    for index in steps.indices {
      if let payload = steps[index].action.payload {
        steps[index].action = .send(payload, via: link)
      }
    }
  }

  /// Nothing for a while.
  fileprivate mutating func stall(_ time: Duration, at point: Point) {
    let index = open(at: point)
    guard index < steps.count else { return }
    steps[index].offset += time
  }
}
