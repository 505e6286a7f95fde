import FixtureHTTP

/// One recorded request and its response, as a cassette holds it, without body bytes.
package struct Interaction: Equatable, Sendable {
  /// Order in which requests reached the recorder.
  package var id: Int64
  /// Microseconds since 1970-01-01T00:00:00Z.
  package var startedAt_us: Int64
  /// The upstream's name; nil when it has none.
  package var upstream: String?
  /// `http` or `https`.
  package var scheme: String
  /// The upstream's authority, `host` or `host:port`.
  package var authority: String
  package var request: RequestHead
  /// nil when there was none; size 0 when it was empty.
  package var requestBody: BodyReference?
  package var requestTrailers: FieldSection
  /// nil when no response head arrived.
  package var response: RecordedResponse?
  package var interims: [RecordedInterim]
  package var outcome: Outcome
  /// What happened, in words, when the outcome is not `complete`.
  package var outcomeDetail: String?
  package var notes: Set<Note>
  /// Which upstream connection carried it, counted from 1 within a recording; 0 when none did.
  package var connection: Int64
  /// From the end of the request to the response head, 0 when the head came before that end; nil
  /// when none arrived.
  package var firstByte_us: Int64?
  /// From the end of the request to the end of the exchange, 0 when it ended before that.
  package var end_us: Int64

  package init(
    id: Int64, startedAt_us: Int64, upstream: String? = nil, scheme: String, authority: String,
    request: RequestHead, requestBody: BodyReference? = nil,
    requestTrailers: FieldSection = .init(), response: RecordedResponse? = nil,
    interims: [RecordedInterim] = [], outcome: Outcome = .complete, outcomeDetail: String? = nil,
    notes: Set<Note> = [], connection: Int64 = 0, firstByte_us: Int64? = nil, end_us: Int64 = 0
  ) {
    self.id = id
    self.startedAt_us = startedAt_us
    self.upstream = upstream
    self.scheme = scheme
    self.authority = authority
    self.request = request
    self.requestBody = requestBody
    self.requestTrailers = requestTrailers
    self.response = response
    self.interims = interims
    self.outcome = outcome
    self.outcomeDetail = outcomeDetail
    self.notes = notes
    self.connection = connection
    self.firstByte_us = firstByte_us
    self.end_us = end_us
  }

  /// What else a reader should know about an interaction.
  package enum Note: String, Hashable, Sendable, CaseIterable {
    /// A field, the target, a link or content was redacted before it was stored.
    case redacted
    /// Changed after it was recorded.
    case edited
    /// The content was not stored; replaying it is a miss.
    case contentOmitted = "content-omitted"
    /// The response carried both framings; it was read by chunks (RFC 9112 §6.3).
    case bothFramings = "both-framings"
    /// More arrival pieces than are kept; the last one stands for the rest.
    case arrivalsMerged = "arrivals-merged"
    /// The exchange was over before the request's content had come whole: what is stored of it is a
    /// beginning, and a request with any content is answered alike.
    case requestCut = "request-cut"
    /// Content was redacted, and a digest of it in a field is still that of the original.
    case digestStale = "digest-stale"
    /// Recorded by a client's own URLSession, which hides some of what came over the wire.
    case inProcess = "in-process"
  }
}

/// The response half of an interaction.
package struct RecordedResponse: Equatable, Sendable {
  package var head: ResponseHead
  package var framing: RecordedFraming
  /// nil when there was none; size 0 when it was empty. For a response that ended badly, what came.
  package var body: BodyReference?
  package var trailers: FieldSection
  package var arrivals: Arrivals

  package init(
    head: ResponseHead, framing: RecordedFraming, body: BodyReference? = nil,
    trailers: FieldSection = .init(), arrivals: Arrivals = .init()
  ) {
    self.head = head
    self.framing = framing
    self.body = body
    self.trailers = trailers
    self.arrivals = arrivals
  }
}

/// An interim response (RFC 9110 §15.2), never the 100 that answers an `Expect`.
package struct RecordedInterim: Equatable, Sendable {
  /// From the end of the request, 0 when it came before that.
  package var offset_us: Int64
  package var head: ResponseHead

  package init(offset_us: Int64, head: ResponseHead) {
    self.offset_us = offset_us
    self.head = head
  }
}

/// How the recorded body was framed (RFC 9112 §6.3); the words are those of the file format.
package enum RecordedFraming: String, Hashable, Sendable, CaseIterable {
  case none, length, chunked
  case untilClose = "close"
}

/// What an interaction was asked.
package struct InteractionSummary: Equatable, Sendable {
  package var id: Int64
  package var upstream: String?
  /// Of the upstream: `host` or `host:port`.
  package var authority: String
  package var method: Method
  package var target: [UInt8]

  package init(
    id: Int64, upstream: String?, authority: String, method: Method, target: [UInt8]
  ) {
    self.id = id
    self.upstream = upstream
    self.authority = authority
    self.method = method
    self.target = target
  }

  package init(_ request: RequestOutline) {
    self.init(
      id: request.id, upstream: request.upstream,
      authority: String(decoding: request.authority, as: UTF8.self), method: request.method,
      target: Array(request.target))
  }
}
