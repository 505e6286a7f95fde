import FixtureCassette
import FixtureHTTP

/// The plan of one answer: steps in the order in which they are performed.
///
/// A script is a value: equal inputs give equal scripts, and it can be printed (`transcript`).
/// Bodies are named by slice, so that it stays small whatever it sends.
package struct Script: Equatable, Sendable {
  package var steps: [Step]
  /// How the recorded response was framed; the wire sink frames the content the same way.
  package var framing: RecordedFraming
  /// The interaction that made it; nil for an answer without a recording.
  package var interaction: Int64?
  /// What becomes of the connection after this answer.
  package var persistence = Persistence.asAsked

  package enum Persistence: Equatable, Sendable {
    /// As client and framing allow.
    case asAsked
    /// It carries no other exchange.
    case ends
    /// It ends when it was idle for so long.
    case idle(Duration)
  }

  package init(steps: [Step], framing: RecordedFraming, interaction: Int64? = nil) {
    self.steps = steps
    self.framing = framing
    self.interaction = interaction
  }
}

extension Script {
  /// Whether every step is due at once after the request, so that the answer depends on nothing
  /// but its bytes, and each write may carry all of it.
  package var isImmediate: Bool {
    framing != .chunked && framing != .untilClose
      && steps.allSatisfy { $0.offset == .zero && $0.anchor != .accept }
  }
}

/// One action and when it is due: `offset` after `anchor`.
package struct Step: Equatable, Sendable {
  package var anchor: Anchor
  package var offset: Duration
  package var action: Action

  package init(_ anchor: Anchor, _ offset: Duration = .zero, _ action: Action) {
    self.anchor = anchor
    self.offset = offset
    self.action = action
  }
}

/// What an offset counts from.
package enum Anchor: Equatable, Sendable {
  /// The connection was accepted.
  case accept
  /// The request head was read.
  case requestHead
  /// The request was read to its end.
  case requestEnd
  /// The step before was due; the first step counts from the request head.
  case previous
}

/// What a step does; a sink performs it.
package enum Action: Equatable, Sendable {
  /// An interim response (RFC 9110 §15.2).
  case interim(ResponseHead)
  /// The head of the final response, fields as recorded.
  case head(ResponseHead)
  /// Content from the cassette; in the chunked coding it is one chunk.
  case content(BodySlice)
  /// Content that no cassette holds (a miss, an answer made by a rule).
  case generated([UInt8])
  /// Content in pieces of its own timing, each performed when it is due.
  case paced(Payload, Flow)
  /// Content that shares a rate with other connections; performed when the link grants it.
  case send(Payload, via: Link)
  /// The first half of the bytes of a head; `headRest` sends the others.
  case headBeginning(ResponseHead)
  case headRest
  /// What follows is sent in a way that breaks HTTP.
  case malform(Malformation)
  /// Nothing happens until the gate is opened.
  case wait(Gate)
  /// Bytes as they are, outside any framing and without a head of their own.
  case raw([UInt8])
  /// The trailer section of a chunked body (RFC 9112 §7.1.2).
  case trailers(FieldSection)
  /// The response is complete.
  case end
  /// FIN, whether or not the response is complete.
  case close
  /// RST, whether or not the response is complete.
  case reset
}

/// A named point where a play waits until somebody opens it.
package struct Gate: Hashable, Sendable {
  package let name: String

  package init(_ name: String) {
    self.name = name
  }
}

/// A named rate that several connections share.
package struct Link: Hashable, Sendable {
  package let name: String
  package let rate: ByteRate

  package init(_ name: String, _ rate: ByteRate) {
    self.name = name
    self.rate = rate
  }
}
