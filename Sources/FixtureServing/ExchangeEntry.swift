import FixtureHTTP

/// What is known of one exchange.
package struct ExchangeEntry: Sendable {
  /// How it ended, or that it has not.
  package enum Outcome: Equatable, Sendable {
    /// The request is being read, or its answer is not sent yet.
    case open
    /// All of the response was sent.
    case completed
    /// The server ended the connection with a FIN, as it was told to.
    case closed
    /// The server ended the connection with a RST, as it was told to.
    case reset
    /// The client left before it had been sent everything.
    case aborted
    /// The server stopped.
    case stopped
  }

  /// From 1, in the order of the log.
  package let number: Int
  /// From 1, in the order in which connections were accepted.
  package let connection: Int
  /// What was asked.
  package let request: RequestHead
  /// When the request head was read.
  package let received: ContinuousClock.Instant
  /// The request's content, without framing.
  package var content: [UInt8] = []
  /// Of the final response; nil while there is none, or when what was sent is no response.
  package var status: Int?
  /// Bytes of heads, interim ones included, and all that followed, framing included.
  package var headBytesSent: Int64 = 0
  package var bodyBytesSent: Int64 = 0
  package var outcome = Outcome.open
  /// The recording that answers it; nil when none does.
  package var interaction: Int64?
  /// The rules that had a part in the answer, from 1.
  package var rules: [Int] = []
  /// Whether there is no recording of it.
  package var isMiss = false
  /// Nothing more happens to it. `outcome` and counts tell its end a moment before.
  var isSettled = false

  /// What it adds to the totals.
  var counted: (headBytes: Int64, bodyBytes: Int64, isAborted: Int, isOpen: Int) {
    (headBytesSent, bodyBytesSent, outcome == .aborted ? 1 : 0, isSettled ? 0 : 1)
  }
}
