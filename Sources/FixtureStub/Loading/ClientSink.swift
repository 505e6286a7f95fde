import FixtureCassette
import FixtureHTTP
import FixtureReplay

/// The sink of the stub: makes of a script's actions what a client sees of them.
///
/// Pure. It reads a response as a client does: content ends where the framing says, not where the
/// script does, so that a pause behind the last byte holds nothing back.
struct ClientSink: Equatable {
  /// What the client sees.
  enum Event: Equatable {
    /// The final response's head, with the fields that it has on the wire.
    case response(ResponseHead)
    /// Content as it is transferred, in its coding.
    case content(Payload)
    case failed(TransportFailure)
  }

  private enum State: Equatable {
    case beforeHead
    /// Half of a head has come.
    case inHead(ResponseHead)
    case content(AnswerFraming)
    case over
  }

  private let recorded: RecordedFraming
  private let isHead: Bool
  private let keepsAlive: Bool
  private var state = State.beforeHead
  private var malformation: Malformation?
  /// The response has come whole.
  private(set) var isComplete = false

  /// - Parameters:
  ///   - isHead: whether a HEAD is answered.
  ///   - keepsAlive: whether the connection can carry another exchange.
  init(recorded: RecordedFraming, isHead: Bool, keepsAlive: Bool) {
    self.recorded = recorded
    self.isHead = isHead
    self.keepsAlive = keepsAlive
  }

  /// nil for what a client does not notice. When `isComplete` is set afterwards, the response has
  /// ended.
  mutating func perform(_ action: Action) -> Event? {
    switch action {
    case .interim, .wait, .trailers: nil
    case .malform(let malformation): begin(malformation)
    case .head(let head): begin(head)
    case .headBeginning(let head): beginHalf(head)
    case .headRest: endHead()
    case .content(let slice), .send(.stored(let slice), via: _), .paced(.stored(let slice), _):
      take(.stored(slice))
    case .generated(let bytes), .send(.made(let bytes), via: _), .paced(.made(let bytes), _):
      take(.made(bytes))
    case .raw: fail(isBeforeContent ? .statusMalformed : .chunkMalformed)
    case .end: end()
    case .close: close()
    case .reset: fail(.reset)
    }
  }

  private var isBeforeContent: Bool {
    switch state {
    case .beforeHead, .inHead: true
    case .content, .over: false
    }
  }

  private mutating func begin(_ malformation: Malformation) -> Event? {
    self.malformation = malformation
    return nil
  }

  private mutating func beginHalf(_ head: ResponseHead) -> Event? {
    state = .inHead(head)
    return nil
  }

  private mutating func endHead() -> Event? {
    guard case .inHead(let head) = state else { return nil }
    return begin(head)
  }

  private mutating func begin(_ head: ResponseHead) -> Event? {
    switch malformation {
    case .status: return fail(.statusMalformed)
    case .field, .length: return fail(.fieldMalformed)
    case .chunk, nil: break
    }
    var head = head
    let framing = AnswerFraming(of: &head, recorded: recorded, isHead: isHead, version: .http11)
    if !keepsAlive || framing == .untilClose { head.fields.append("Connection", "close") }
    state = .content(framing)
    if framing == .none || framing == .length(left: 0) { isComplete = true }
    return .response(head)
  }

  private mutating func take(_ payload: Payload) -> Event? {
    guard case .content(let framing) = state, !isComplete, payload.count > 0 else { return nil }
    switch framing {
    case .none: return nil
    case .chunked where malformation == .chunk: return fail(.chunkMalformed)
    case .chunked, .untilClose: return .content(payload)
    case .length(let left):
      let count = min(left, payload.count)
      state = .content(.length(left: left - count))
      if count == left { isComplete = true }
      return .content(count < payload.count ? payload.part(0..<count) : payload)
    }
  }

  private mutating func end() -> Event? {
    guard case .content(let framing) = state, !isComplete else {
      return isComplete ? nil : close()
    }
    switch framing {
    case .length: return fail(.cutShort)
    case .chunked where malformation == .chunk: return fail(.chunkMalformed)
    case .none, .chunked, .untilClose:
      isComplete = true
      return nil
    }
  }

  private mutating func close() -> Event? {
    guard !isComplete else { return nil }
    switch state {
    case .beforeHead: return fail(.closedBeforeHead)
    case .inHead: return fail(.closedInHead)
    case .content(.untilClose):
      isComplete = true
      return nil
    case .content: return fail(.cutShort)
    case .over: return nil
    }
  }

  private mutating func fail(_ failure: TransportFailure) -> Event? {
    guard !isComplete, state != .over else { return nil }
    state = .over
    return .failed(failure)
  }
}
