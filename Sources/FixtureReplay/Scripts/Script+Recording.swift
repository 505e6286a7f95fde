import FixtureCassette
import FixtureHTTP

extension Script {
  /// The answer of a recorded interaction, as its response was recorded and ended.
  ///
  ///     interim…  at their offsets from the end of the request
  ///     head      at the first byte's
  ///     content…  each piece since the one before; a body of known length is one slice when
  ///               pacing is immediate, any other keeps its recorded pieces
  ///     trailers  with the last piece
  ///     ending    at the end's: the end of the response, or how the connection ended instead
  ///
  /// An exchange that failed before a response head gives the `GatewayAnswer` that the recorder's
  /// client got. HEAD, 204 and 304 have no content whatever the cassette holds (RFC 9112 §6.3).
  ///
  /// - Parameter version: the client's. Before HTTP/1.1 there are no interim responses and no
  ///   chunks (RFC 9110 §15.2, RFC 9112 §6.1): the body then ends with the connection.
  /// - Precondition: `interaction.isPlayable`.
  package init(
    replaying interaction: Interaction, pacing: Pacing, to version: HTTPVersion = .http11
  ) {
    precondition(interaction.isPlayable, "interaction \(interaction.id) has no answer")
    let anchor: Anchor = interaction.isAnsweredBeforeContent ? .requestHead : .requestEnd
    if let response = interaction.response {
      self.init(interaction, response, at: anchor, pacing, to: version)
    } else {
      let answer = GatewayAnswer(interaction.outcome, detail: interaction.outcomeDetail)
      self.init(
        answering: interaction.request.method, answer.head, answer.content, at: anchor,
        after: pacing.offset(us: interaction.end_us), interaction: interaction.id)
    }
    guard version >= .http11 else { return }
    let interims = interaction.interims.map { interim in
      Step(anchor, pacing.offset(us: interim.offset_us), .interim(interim.head))
    }
    steps.insert(contentsOf: interims, at: 0)
  }

  /// Everything from the head of the final response on.
  private init(
    _ interaction: Interaction, _ response: RecordedResponse, at anchor: Anchor,
    _ pacing: Pacing, to version: HTTPVersion
  ) {
    let framing = Self.framing(of: response, interaction.request.method, to: version)
    var head = response.head
    if framing == .untilClose, response.framing == .chunked {
      head.fields = head.fields.removing(.transferEncoding, .trailer)
    }
    var last_us = max(0, interaction.firstByte_us ?? 0)
    var steps = [Step(anchor, pacing.offset(us: last_us), .head(head))]
    if framing != .none {
      Self.appendContent(
        of: response, framing, from: &last_us, pacing, ended: interaction.outcome, to: &steps)
    }
    let rest = pacing.offset(us: interaction.end_us, since: last_us)
    steps.append(
      Step(.previous, rest, .ending(interaction.outcome, endsWithClose: framing == .untilClose)))
    self.init(steps: steps, framing: framing, interaction: interaction.id)
  }

  private static func framing(
    of response: RecordedResponse, _ method: Method, to version: HTTPVersion
  ) -> RecordedFraming {
    // RFC 9112 §6.3: these "cannot contain a message body", whatever their fields say.
    if method == .head || response.head.status == 204 || response.head.status == 304 {
      return .none
    }
    // RFC 9112 §6.1: no Transfer-Encoding "unless the corresponding request indicates HTTP/1.1".
    return response.framing == .chunked && version < .http11 ? .untilClose : response.framing
  }

  /// - Parameter last_us: from the end of the request to the head; afterwards to the last piece.
  private static func appendContent(
    of response: RecordedResponse, _ framing: RecordedFraming, from last_us: inout Int64,
    _ pacing: Pacing, ended outcome: Outcome, to steps: inout [Step]
  ) {
    let head_us = last_us
    if let body = response.body, body.size > 0 {
      var start: Int64 = 0
      let whole = framing == .length && pacing == .immediate
      for piece in pieces(of: response, size: body.size, whole: whole) {
        let at_us = max(last_us, head_us.saturatingAdding(piece.offset_us))
        let slice = BodySlice(body: body.id, range: start..<(start + piece.count))
        steps.append(Step(.previous, pacing.offset(us: at_us, since: last_us), .content(slice)))
        start += piece.count
        last_us = at_us
      }
    }
    if framing == .chunked, outcome == .complete, !response.trailers.isEmpty {
      steps.append(Step(.previous, .zero, .trailers(response.trailers)))
    }
  }

  /// The recorded pieces, cut or completed so that they add up to the body: a cassette is data from
  /// outside.
  private static func pieces(
    of response: RecordedResponse, size: Int64, whole: Bool
  ) -> [Arrivals.Piece] {
    if whole { return [Arrivals.Piece(offset_us: 0, count: size)] }
    var pieces: [Arrivals.Piece] = []
    var left = size
    for piece in response.arrivals.pieces where left > 0 {
      let count = min(piece.count, left)
      pieces.append(Arrivals.Piece(offset_us: piece.offset_us, count: count))
      left -= count
    }
    if left > 0 {
      pieces.append(Arrivals.Piece(offset_us: pieces.last?.offset_us ?? 0, count: left))
    }
    return pieces
  }
}

extension Action {
  /// How a response ends that ended like this while it was recorded. Never as if it were whole: a
  /// FIN ends a body that lasts until the close, so a cut one is ended with a reset.
  package static func ending(_ outcome: Outcome, endsWithClose: Bool) -> Action {
    switch outcome {
    case .complete: .end
    case .truncated, .cancelled: endsWithClose ? .reset : .close
    case .reset, .timeout, .refused, .dns, .tls: .reset
    }
  }
}

extension Script {
  /// An answer made here, not recorded: a head with a `Content-Length` and its content, which is
  /// left out for HEAD (RFC 9110 §9.3.2).
  package init(
    answering method: Method, _ head: ResponseHead, _ content: [UInt8], at anchor: Anchor,
    after offset: Duration = .zero, interaction: Int64? = nil
  ) {
    var steps = [Step(anchor, offset, .head(head))]
    let hasContent = method != .head
    if hasContent, !content.isEmpty { steps.append(Step(.previous, .zero, .generated(content))) }
    steps.append(Step(.previous, .zero, .end))
    self.init(steps: steps, framing: hasContent ? .length : .none, interaction: interaction)
  }
}

extension Script {
  /// The replay of an interaction whose client left before an answer came: none comes, for as long
  /// as the client stays. What the upstream would have answered is not known.
  init(unanswered interaction: Int64) {
    self.init(
      steps: [Step(.requestEnd, .zero, .wait(.clientLeaves))], framing: .none,
      interaction: interaction)
  }
}

extension Gate {
  /// Never opened.
  package static let clientLeaves = Gate("the client leaves")
}

extension Pacing {
  /// From the due time of a step to that of the next, both recorded offsets from the same instant;
  /// zero when they are out of order. Rounded as offsets, not as differences, so that the pieces of
  /// a long body add up.
  func offset(us: Int64, since earlier_us: Int64 = 0) -> Duration {
    .nanoseconds(max(0, nanoseconds(us: us) - nanoseconds(us: earlier_us)))
  }

  /// At most what `Int64` holds (292 years): offsets come from files.
  private func nanoseconds(us: Int64) -> Int64 {
    switch self {
    case .immediate: return 0
    case .recorded:
      let (ns, overflow) = max(0, us).multipliedReportingOverflow(by: 1000)
      return overflow ? .max : ns
    case .scaled(let factor):
      let ns = (Double(max(0, us)) * 1000 / factor).rounded()
      return Int64(exactly: ns) ?? .max
    }
  }
}
