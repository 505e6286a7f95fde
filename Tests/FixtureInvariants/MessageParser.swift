import FixtureHTTP
import FixtureHTTP1

/// A parser of either role, as far as a `Listener` uses one.
package protocol MessageParser {
  /// nil for "need more"; content as offsets, everything else as it is.
  mutating func step(
    _ input: UnsafeRawBufferPointer
  ) throws(ProtocolError) -> (said: Said?, consumed: Int)
  /// The peer has closed.
  mutating func stepEnd() throws(ProtocolError) -> Heard?
  /// Called after each `end`.
  mutating func beginNext()
  var kind: MessageKind { get }
}

package enum Said {
  case content(Range<Int>)
  case other(Heard)
}

extension RequestParser: MessageParser {
  package mutating func step(
    _ input: UnsafeRawBufferPointer
  ) throws(ProtocolError) -> (said: Said?, consumed: Int) {
    let (event, consumed) = try parse(input)
    return switch event {
    case .needMore: (nil, consumed)
    case .head(let head, let framing): (.other(.request(head, framing)), consumed)
    case .content(let range): (.content(range), consumed)
    case .end(let trailers): (.other(.end(trailers: trailers)), consumed)
    }
  }

  package mutating func stepEnd() throws(ProtocolError) -> Heard? {
    try parseEnd()
    return nil
  }

  package mutating func beginNext() {}
  package var kind: MessageKind { .request }
}

/// A response parser for a connection on which requests with these methods were sent, the last of
/// them again and again.
package struct AnswerParser: MessageParser {
  private var parser: ResponseParser
  private var methods: ArraySlice<Method>

  package init(answering methods: Method..., limits: Limits = .init()) {
    self.init(answering: methods, limits: limits)
  }

  package init(answering methods: [Method], limits: Limits = .init()) {
    self.methods = methods[...]
    parser = ResponseParser(limits: limits)
    parser.begin(answering: methods[0])
  }

  package mutating func step(
    _ input: UnsafeRawBufferPointer
  ) throws(ProtocolError) -> (said: Said?, consumed: Int) {
    let (event, consumed) = try parser.parse(input)
    return switch event {
    case .needMore: (nil, consumed)
    case .interim(let head): (.other(.interim(head)), consumed)
    case .head(let head, let framing, let both):
      (.other(.response(head, framing, bothFramings: both)), consumed)
    case .content(let range): (.content(range), consumed)
    case .end(let trailers): (.other(.end(trailers: trailers)), consumed)
    }
  }

  package mutating func stepEnd() throws(ProtocolError) -> Heard? {
    guard case .end(let trailers) = try parser.parseEnd() else { return nil }
    return .end(trailers: trailers)
  }

  package mutating func beginNext() {
    if methods.count > 1 { methods.removeFirst() }
    parser.begin(answering: methods[methods.startIndex])
  }

  package var kind: MessageKind { .response }
}
