import FixtureHTTP

/// One thing that a journal file holds.
package enum JournalRow: Equatable, Sendable {
  case session(Session)
  /// Come before the exchanges that name them.
  case rules(Rules)
  /// What exchanges share comes before those that name it.
  case request(id: Int64, RequestHead)
  case response(id: Int64, ResponseHead)
  case source(id: Int64, Source)
  /// So many exchanges of a session, as JSON; see the view `exchange`.
  case block(session: Int64, count: Int64, [UInt8])
  /// So many of a session's exchanges are not in the file.
  case dropped(session: Int64, count: Int64)
  /// A session began anew behind the exchange with this number.
  case reset(session: Int64, after: Int64)

  package struct Session: Equatable, Sendable {
    package let id: Int64
    package let name: String
    package let cassette: String
    /// µs since 1970.
    package let beganAt_us: Int64
    package let seed: UInt64?
    /// Exchanges that are not in the file.
    package var dropped: Int64
    /// The number of the last exchange before it began anew; 0 when it never did.
    package var resetAfter: Int64

    package init(
      id: Int64, name: String, cassette: String, beganAt_us: Int64, seed: UInt64?,
      dropped: Int64 = 0, resetAfter: Int64 = 0
    ) {
      self.id = id
      self.name = name
      self.cassette = cassette
      self.beganAt_us = beganAt_us
      self.seed = seed
      self.dropped = dropped
      self.resetAfter = resetAfter
    }
  }

  /// Rules that a session has until others follow.
  package struct Rules: Equatable, Sendable {
    package struct Line: Equatable, Sendable {
      package let text: String
      package let origin: String?

      package init(text: String, origin: String?) {
        self.text = text
        self.origin = origin
      }
    }

    package let session: Int64
    /// Which of the session's, from 1.
    package let number: Int64
    package let seed: UInt64
    /// Rule 1 first.
    package let lines: [Line]

    package init(session: Int64, number: Int64, seed: UInt64, lines: [Line]) {
      self.session = session
      self.number = number
      self.seed = seed
      self.lines = lines
    }
  }

  /// The columns of the view, in words of the journal. Instants are µs since the session began.
  package struct Exchange: Equatable, Sendable {
    package var session: Int64
    package var number: Int64
    package var connection: Int64
    package var ordinal: Int64
    package var concurrent: Int64
    package var request: Int64
    package var contentSize: Int64
    /// In hexadecimal.
    package var contentDigest: String?
    package var response: Int64?
    package var source: Source
    package var ruleSet: Int64?
    package var rules: String
    package var overruled: String?
    /// JSON.
    package var draws: String?
    package var received_us: Int64
    package var requestEnd_us: Int64?
    package var head: Moment?
    package var last: Moment?
    package var end_us: Int64?
    package var headBytes: Int64
    package var bodyBytes: Int64
    package var outcome: String
    /// How a client left that did not wait.
    package var departure: String?
    /// How often a slow client moved the plan.
    package var rebases: Int64

    package init(
      session: Int64, number: Int64, connection: Int64, ordinal: Int64, concurrent: Int64,
      request: Int64, contentSize: Int64 = 0, contentDigest: String? = nil,
      response: Int64? = nil, source: Source = .none, ruleSet: Int64? = nil,
      rules: String = "", overruled: String? = nil, draws: String? = nil, received_us: Int64,
      requestEnd_us: Int64? = nil,
      head: Moment? = nil, last: Moment? = nil, end_us: Int64? = nil, headBytes: Int64 = 0,
      bodyBytes: Int64 = 0, outcome: String, departure: String? = nil, rebases: Int64 = 0
    ) {
      self.session = session
      self.number = number
      self.connection = connection
      self.ordinal = ordinal
      self.concurrent = concurrent
      self.request = request
      self.contentSize = contentSize
      self.contentDigest = contentDigest
      self.response = response
      self.source = source
      self.ruleSet = ruleSet
      self.rules = rules
      self.overruled = overruled
      self.draws = draws
      self.received_us = received_us
      self.requestEnd_us = requestEnd_us
      self.head = head
      self.last = last
      self.end_us = end_us
      self.headBytes = headBytes
      self.bodyBytes = bodyBytes
      self.outcome = outcome
      self.departure = departure
      self.rebases = rebases
    }
  }

  package struct Moment: Equatable, Sendable {
    package var due_us: Int64
    package var done_us: Int64

    package init(due_us: Int64, done_us: Int64) {
      self.due_us = due_us
      self.done_us = done_us
    }
  }

  /// What an answer was made of.
  package enum Source: Hashable, Sendable {
    case none
    case interaction(Int64, play: Int64, of: Int64)
    case rules
    case miss(String)
  }
}
