import FixtureCassette
import FixtureHTTP

// What breaks HTTP, and what becomes of the connection.

extension Encounter {
  func applyConnection(to script: inout Script, _ context: FaultContext) {
    for met in met {
      if case .malformed(let malformation) = met.fault { script.malform(malformation) }
      guard case .keepAlive(let keepAlive) = met.fault else { continue }
      switch keepAlive {
      case .off: script.persistence = .ends
      case .exchanges(let count): if context.exchange >= count { script.persistence = .ends }
      case .idle(let time): script.persistence = .idle(time)
      }
    }
  }
}

extension Script {
  fileprivate mutating func malform(_ malformation: Malformation) {
    guard let index = headIndex else { return }
    let size = contentSize
    switch malformation {
    case .status, .field: break
    // There is no content whose framing could be broken.
    case .chunk where framing == .none, .length where framing == .none: return
    case .chunk:
      framing = .chunked
      changeHead { $0.fields = $0.fields.without(["content-length"]) }
    case .length:
      framing = .length
      changeHead { head in
        head.fields = head.fields.without(["transfer-encoding", "trailer"])
        head.fields.set(Array("Content-Length".utf8), Array("\(size)".utf8))
      }
      steps.removeAll { if case .trailers = $0.action { true } else { false } }
    }
    let step = Step(steps[index].anchor, steps[index].offset, .malform(malformation))
    steps.insert(step, at: index)
    // The reader can't know where the next response begins.
    persistence = .ends
  }
}
