import FixtureFindings
import FixtureHTTP

/// What is known of one exchange.
package struct JournalEntry: Sendable {
  package typealias Outcome = FixtureOutcome

  /// What the answer was made of.
  package enum Source: Equatable, Sendable {
    /// It is not decided yet, or no plan decides it.
    case none
    /// The recording with this number: the `ordinal`th of `count` that match, from 1.
    case interaction(Int64, ordinal: Int, count: Int)
    /// Rules alone.
    case rules
    /// No recording, in a line of text.
    case miss(String)
  }

  package typealias Departure = FixtureDeparture

  /// Something that was planned for an instant, and when it was done.
  package struct Moment: Equatable, Sendable {
    /// Nanoseconds of the player's monotonic clock, as all instants here.
    package var due_ns: Int64
    package var done_ns: Int64

    package init(due_ns: Int64, done_ns: Int64) {
      self.due_ns = due_ns
      self.done_ns = done_ns
    }
  }

  /// From 1, in the order of the journal, which gives it; 0 before.
  package internal(set) var number = 0
  /// From 1, in the order in which connections were accepted.
  package let connection: Int
  /// Which request of its connection it is, from 1.
  package let ordinal: Int
  /// How many other exchanges were open when its head was read.
  package internal(set) var concurrent = 0
  /// What was asked.
  package let request: RequestHead
  /// When the request head was read.
  package let received_ns: Int64
  /// The same as a date: µs since 1970.
  package let receivedAt_us: Int64
  /// When the request was read to its end; nil while it is not.
  package var requestEnd_ns: Int64?
  /// The request's content, without framing: its first bytes, at most `Journal.heldBytesMax`.
  package private(set) var content: [UInt8] = []
  /// How many bytes all of it has.
  package private(set) var contentCount: Int64 = 0
  package var source = Source.none
  /// What rules had to do with the answer; nil for nothing.
  package var ruling: Ruling?
  /// What is performed as its answer, while that waits for something; nil before and after.
  package var steps: [Step]?
  /// The final response as it was given to the client; nil while there is none, or when what was
  /// sent is no response.
  package var response: ResponseHead?
  /// When the head was to be sent, and was.
  package var head: Moment?
  /// When the last step that was performed was to be, and was.
  package var last: Moment?
  /// Bytes of heads, interim ones included, and all that followed, framing included.
  package var headBytesSent: Int64 = 0
  package var bodyBytesSent: Int64 = 0
  package var outcome = Outcome.open
  /// Of an aborted exchange; nil for any other, and where there is no connection.
  package var departure: Departure?
  /// How often the client took what was sent so late that the rest of the plan moved with it.
  package var rebases = 0
  /// When it ended; nil while it is open. Set, as `outcome` is, just before
  /// the last bytes are written.
  package var end_ns: Int64?
  /// Nothing more happens to it. `outcome` and counts tell its end a moment before.
  package var isSettled = false
  /// nil where requests come over connections.
  package var inProcess: InProcess?

  /// What a player in the process of its client knows beside.
  package final class InProcess: Sendable {
    /// The URL that was asked.
    package let url: String
    /// What is done to answer; nil while that is not decided.
    package let script: Script?

    package init(url: String, script: Script? = nil) {
      self.url = url
      self.script = script
    }
  }

  /// What is known when the head was read.
  package struct Beginning: Sendable {
    package let request: RequestHead
    package let connection: Int
    package let ordinal: Int
    package let received_ns: Int64
    package let receivedAt_us: Int64

    package init(
      _ request: RequestHead, connection: Int, ordinal: Int = 1, received_ns: Int64,
      receivedAt_us: Int64
    ) {
      self.request = request
      self.connection = connection
      self.ordinal = ordinal
      self.received_ns = received_ns
      self.receivedAt_us = receivedAt_us
    }
  }

  package init(_ beginning: Beginning, number: Int, concurrent: Int) {
    self.init(beginning)
    self.number = number
    self.concurrent = concurrent
  }

  /// One that the journal has not begun.
  package init(_ beginning: Beginning) {
    connection = beginning.connection
    ordinal = beginning.ordinal
    request = beginning.request
    received_ns = beginning.received_ns
    receivedAt_us = beginning.receivedAt_us
  }

  /// Of the final response.
  package var status: Int? { response?.status }

  /// The rules that had a part in the answer, from 1.
  package var rules: [Int] { ruling?.rules ?? [] }

  /// The recording that answers it; nil when none does.
  package var interaction: Int64? { source.interaction }

  /// Whether there is no recording of it.
  package var isMiss: Bool {
    if case .miss = source { true } else { false }
  }

  /// From when the request head was read until the response head was sent; nil while none was.
  package var timeToHead: Duration? { head.map { .nanoseconds($0.done_ns - received_ns) } }

  /// How much later than planned the response head was sent; nil while none was.
  package var lateness: Duration? { head.map { .nanoseconds(max(0, $0.done_ns - $0.due_ns)) } }

  /// From when the request head was read until the exchange ended; nil while it is open.
  package var duration: Duration? { end_ns.map { .nanoseconds($0 - received_ns) } }

  /// Nothing more happens to it from now on. An end that was said before it came stays.
  package mutating func end(_ outcome: Outcome, at now_ns: Int64) {
    if self.outcome != outcome || end_ns == nil { end_ns = now_ns }
    self.outcome = outcome
    steps = nil
    isSettled = true
  }

  /// Content of the request has come.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    contentCount += Int64(bytes.count)
    let room = Journal.heldBytesMax - content.count
    if room > 0 { content.append(contentsOf: bytes.prefix(room)) }
  }

  /// Takes note of what was decided to answer.
  package mutating func planned(_ plan: Plan) {
    switch plan {
    case .play(let play):
      source = Source(play)
      ruling = play.ruling
    case .ruled(let answer):
      source = answer.play.map(Source.init) ?? .rules
      ruling = answer.ruling
    case .miss(let miss): source = .miss(miss.brief)
    case .needsContent: break
    }
  }

  typealias Counted = (headBytes: Int64, bodyBytes: Int64, isAborted: Int, isOpen: Int)

  /// What it adds to the totals.
  var counted: Counted {
    (headBytesSent, bodyBytesSent, outcome == .aborted ? 1 : 0, isSettled ? 0 : 1)
  }
}

extension JournalEntry.Source {
  var interaction: Int64? {
    if case .interaction(let id, _, _) = self { id } else { nil }
  }

  package init(_ play: Play) {
    self = .interaction(play.id, ordinal: play.ordinal, count: play.count)
  }
}
