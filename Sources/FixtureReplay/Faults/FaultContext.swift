import FixtureCassette
import FixtureHTTP

/// What faults may know beside the script that they change.
package struct FaultContext: Sendable {
  package var method: Method
  /// As sent.
  package var target: [UInt8]
  /// What the answer counts from: the end of the request, or its head for a client that waits for
  /// leave to send more.
  package var anchor: Anchor
  /// Now, seconds since 1970.
  package var date: Int64
  /// What a `Last-Modified` counts from, seconds since 1970: the same for a whole session, since it
  /// is a validator.
  package var began: Int64
  /// Which request of its connection it is, from 1.
  package var exchange: Int64
  /// The recorded content without its codings, for faults that edit it; nil when there is none, or
  /// it can't be had.
  package var content: [UInt8]?
  /// Contents of files, by path as rules name them.
  package var files: [String: [UInt8]]
  /// Where drawn contents are kept.
  package var drawn: DrawnBodies

  package init(
    method: Method, target: [UInt8], anchor: Anchor = .requestEnd, date: Int64,
    began: Int64? = nil, exchange: Int64 = 1, content: [UInt8]? = nil,
    files: [String: [UInt8]] = [:], drawn: DrawnBodies = DrawnBodies()
  ) {
    self.method = method
    self.target = target
    self.anchor = anchor
    self.date = date
    self.began = began ?? date
    self.exchange = exchange
    self.content = content
    self.files = files
    self.drawn = drawn
  }
}

/// An answer with everything that rules do to it.
package struct FaultedAnswer: Equatable, Sendable {
  package var script: Script
  /// Faults that an earlier end of the answer left without effect.
  package var overruled: [Encounter.Met]
  /// Faults that the answer gave no place to: edits of what is no JSON, or has no such place.
  package var unapplied: [Encounter.Met] = []
}

extension Encounter {
  /// The answer that a recorded one becomes.
  ///
  ///     response changes ─▶ derivation (304, 206) ─▶ timing ─▶ connection
  ///
  /// - Parameters:
  ///   - script: of the recorded answer.
  ///   - derive: what answers the request's preconditions and ranges from the changed response.
  package func changing(
    _ script: Script, _ context: FaultContext, derive: (Script) -> Script = { $0 }
  ) -> FaultedAnswer {
    var script = script
    let unapplied = applyContent(to: &script, context)
    applyFields(to: &script, context)
    var answer = finishing(derive(script), context)
    answer.unapplied = unapplied
    return answer
  }

  /// The answer that rules make without a recording.
  /// - Precondition: `isMade`.
  package func making(
    _ context: FaultContext, derive: (Script) -> Script = { $0 }
  ) -> FaultedAnswer {
    changing(madeScript(context), context, derive: derive)
  }

  private func finishing(_ script: Script, _ context: FaultContext) -> FaultedAnswer {
    var script = script
    applyTiming(to: &script)
    let overruled = applyEndings(to: &script)
    applyConnection(to: &script, context)
    return FaultedAnswer(script: script, overruled: overruled)
  }

  /// The answer to a repeated request, as `idempotency` says.
  /// - Parameter script: of the first answer.
  func repeating(
    _ script: Script, _ idempotency: Idempotency, _ context: FaultContext
  ) -> FaultedAnswer {
    switch idempotency {
    case .replay:
      var answer = changing(script, context)
      answer.script.changeHead { $0.fields.append("Idempotency-Replayed", "true") }
      return answer
    case .conflict: return finishing(Self.conflict(context, retryAfter: nil), context)
    case .inProgress: return finishing(Self.conflict(context, retryAfter: 1), context)
    }
  }

  private static func conflict(_ context: FaultContext, retryAfter: Int?) -> Script {
    var fields = FieldSection()
    fields.append("Date", HTTPDate(secondsSince1970: context.date).imfFixdate)
    fields.append("Content-Length", "0")
    if let retryAfter { fields.append("Retry-After", "\(retryAfter)") }
    let head = ResponseHead(
      status: 409, reason: Array(ReasonPhrase.standard(409).utf8), fields: fields)
    return Script(answering: context.method, head, [], at: context.anchor)
  }

  /// An answer that ends before anything is done with the request: nil when none does.
  package func endingBeforeCommit(_ context: FaultContext) -> FaultedAnswer? {
    var script = Script(steps: [Step(context.anchor, .zero, .end)], framing: .none)
    let overruled = applyEndings(to: &script)
    let isEarly = met.contains { met in
      switch met.fault {
      case .reset(let point), .close(let point), .hang(let point):
        point == .before(.request) || point == .before(.commit)
      default: false
      }
    }
    return isEarly ? FaultedAnswer(script: script, overruled: overruled) : nil
  }
}
