import FixtureHTTP

// Answers without a recording: status, redirect, challenge, quota, early.

extension Encounter {
  /// The answer as it is before its content and its fields are changed.
  func madeScript(_ context: FaultContext) -> Script {
    var fields = FieldSection()
    fields.append("Date", HTTPDate(secondsSince1970: context.date).imfFixdate)
    fields.append("Content-Length", "0")
    for met in met {
      switch met.fault {
      case .redirect(.to(let target)): fields.append("Location", target)
      case .redirect(.loop): fields.append("Location", context.target)
      case .challenge(.basic): fields.append("WWW-Authenticate", "Basic realm=\"fixtured\"")
      case .challenge(.bearer): fields.append("WWW-Authenticate", "Bearer")
      case .quota:
        if let wait = met.wait { fields.append("Retry-After", "\(wait.wholeSeconds)") }
      default: break
      }
    }
    let status = madeStatus
    let reason = Array(ReasonPhrase.standard(status).utf8)
    let isEarly = met.contains { $0.fault.word == .early }
    return Script(
      answering: context.method, ResponseHead(status: status, reason: reason, fields: fields), [],
      at: isEarly ? .requestHead : context.anchor)
  }

  /// An exhausted quota stands before everything else, then what `status` or `early` say.
  private var madeStatus: Int {
    if met.contains(where: { $0.wait != nil }) { return 429 }
    for met in met.reversed() {
      switch met.fault {
      case .status(let own), .early(let own): return own
      default: continue
      }
    }
    return met.contains { $0.fault.word == .challenge } ? 401 : 302
  }
}

extension Duration {
  /// Rounded up: who waits so long has waited long enough.
  var wholeSeconds: Int64 {
    let (seconds, attoseconds) = components
    return attoseconds > 0 ? seconds + 1 : seconds
  }
}
