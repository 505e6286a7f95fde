import FixtureCassette
import FixtureHTTP

/// Watches one exchange with the upstream and makes the interaction that is stored.
///
/// It decides nothing about the exchange and sees the original bytes; what it hands out is a draft
/// for the redactor.
package struct RecordingTap: Sendable {
  /// What is known so far; not redacted.
  package private(set) var interaction: Interaction
  private var requestContent: RecordedContent
  private var responseContent: RecordedContent
  private let hasRequestContent: Bool
  /// Monotonic; nil until the request was read to its end.
  private var requestEnd_ns: Int64?
  private var responseHead_ns: Int64 = 0
  /// Beyond `arrivalsMax` all further content counts as one piece.
  private var pendingArrival: Arrivals.Piece?

  /// - Parameters:
  ///   - id: its place in the order in which requests reached the recorder.
  ///   - startedAt_us: wall clock, microseconds since 1970.
  ///   - authority: of the target URI, where it is not the origin's.
  ///   - request: the head as the client sent it, with the target in origin form.
  ///   - rule: for content that may hold secrets.
  package init(
    id: Int64, startedAt_us: Int64, upstream: String?, origin: BaseURL, authority: String? = nil,
    request: RequestHead, hasContent: Bool, rule: RecordedContent.Rule = .streamed
  ) {
    interaction = Interaction(
      id: id, startedAt_us: startedAt_us, upstream: upstream, scheme: origin.scheme.rawValue,
      authority: authority ?? origin.authority, request: request)
    requestContent = RecordedContent(token: BodyToken(id * 2), rule: rule)
    requestContent.setType(request.fields.first(.contentType))
    responseContent = RecordedContent(token: BodyToken(id * 2 + 1), rule: rule)
    hasRequestContent = hasContent
  }

  /// Name the bodies for the writer, when they are handed on.
  package var requestToken: BodyToken { requestContent.token }
  package var responseToken: BodyToken { responseContent.token }
  package var responseCount: Int64 { responseContent.count }
  /// Bytes of content that are held to be redacted, beyond what is held anyway.
  package var heldBytes: Int { requestContent.heldBytes + responseContent.heldBytes }

  /// Holds such content no longer.
  /// - Returns: parts for the writer.
  package mutating func release() -> [(token: BodyToken, bytes: [UInt8])] {
    var parts: [(token: BodyToken, bytes: [UInt8])] = []
    if requestContent.heldBytes > 0, let bytes = requestContent.release() {
      parts.append((requestToken, bytes))
    }
    if responseContent.heldBytes > 0, let bytes = responseContent.release() {
      parts.append((responseToken, bytes))
    }
    return parts
  }

  /// Contents that are not redacted: left out, or handed on as they are.
  package var exceptions: [Redactor.Exception] {
    let sides: [(Redactor.Side, RecordedContent)] = [
      (.request, requestContent), (.response, responseContent),
    ]
    return sides.compactMap { side, content in
      content.omission.map { Redactor.Exception(side: side, omission: $0) }
    }
  }

  /// - Returns: a part for the writer under `requestToken`.
  package mutating func requestContent(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    requestContent.append(bytes)
  }

  /// The request was read to its end; what offsets count from.
  package mutating func requestEnded(trailers: FieldSection, at now_ns: Int64) {
    if hasRequestContent { requestContent.begin() }
    interaction.requestTrailers = trailers
    requestEnd_ns = now_ns
  }

  /// The request goes out on this connection of the recording, again when it is retried.
  package mutating func sent(on connection: Int64) {
    interaction.connection = connection
  }

  /// An interim response arrived.
  package mutating func interim(_ head: ResponseHead, at now_ns: Int64) {
    // The 100 belongs to the live exchange, as the expectation it answers does.
    guard head.status != 100 else { return }
    interaction.interims.append(
      RecordedInterim(offset_us: offset_us(now_ns), head: head))
  }

  /// The head of the final response arrived.
  package mutating func responseHead(
    _ head: ResponseHead, framing: BodyFraming, bothFramings: Bool, at now_ns: Int64
  ) {
    responseHead_ns = now_ns
    interaction.firstByte_us = offset_us(now_ns)
    interaction.response = RecordedResponse(head: head, framing: RecordedFraming(framing))
    responseContent.setType(head.fields.first(.contentType))
    if framing != .none { responseContent.begin() }
    if bothFramings { interaction.notes.insert(.bothFramings) }
  }

  /// One arrival of response content.
  /// - Returns: a part for the writer under `responseToken`.
  package mutating func responseContent(
    _ bytes: UnsafeRawBufferPointer, at now_ns: Int64
  ) -> [UInt8]? {
    guard !bytes.isEmpty else { return nil }
    let offset_us = (now_ns - responseHead_ns) / 1000
    addArrival(offset_us: offset_us, count: Int64(bytes.count))
    return responseContent.append(bytes)
  }

  /// The response arrived whole; `finish` follows.
  package mutating func responseEnded(trailers: FieldSection) {
    interaction.response?.trailers = trailers
  }

  /// The finished draft and the last pieces of streamed content, to be handed over before it.
  package mutating func finish(
    outcome: Outcome, detail: String?, at now_ns: Int64
  ) -> (draft: InteractionDraft, requestRest: [UInt8]?, responseRest: [UInt8]?) {
    interaction.outcome = outcome
    interaction.outcomeDetail = detail
    interaction.end_us = offset_us(now_ns)
    if hasRequestContent, requestEnd_ns == nil { interaction.notes.insert(.requestCut) }
    if let pending = pendingArrival {
      interaction.response?.arrivals.append(offset_us: pending.offset_us, count: pending.count)
      pendingArrival = nil
    }
    noteOmissions()
    let requestRest = requestContent.finish()
    let responseRest = responseContent.finish()
    let draft = InteractionDraft(
      interaction: interaction, requestBody: requestContent.body,
      responseBody: interaction.response == nil ? .absent : responseContent.body)
    return (draft, requestRest, responseRest)
  }

  private mutating func noteOmissions() {
    if requestContent.omission != nil, requestContent.body == .absent {
      interaction.notes.insert(.contentOmitted)
    }
    if responseContent.omission != nil, responseContent.body == .absent {
      interaction.notes.insert(.contentOmitted)
      interaction.response?.arrivals = Arrivals()
    }
  }

  private mutating func addArrival(offset_us: Int64, count: Int64) {
    if let pending = pendingArrival {
      pendingArrival = Arrivals.Piece(
        offset_us: pending.offset_us, count: pending.count + count)
    } else if (interaction.response?.arrivals.count ?? 0) < Self.arrivalsMax {
      interaction.response?.arrivals.append(offset_us: offset_us, count: count)
    } else {
      interaction.notes.insert(.arrivalsMerged)
      pendingArrival = Arrivals.Piece(offset_us: offset_us, count: count)
    }
  }

  private func offset_us(_ now_ns: Int64) -> Int64 {
    guard let requestEnd_ns else { return 0 }
    return max(0, (now_ns - requestEnd_ns) / 1000)
  }

  /// A day of one piece each 100 ms fits; at 5 bytes a piece they stay below 5 MB.
  private static let arrivalsMax = 1_000_000
}
