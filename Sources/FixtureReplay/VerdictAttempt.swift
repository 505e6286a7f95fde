import FixtureCassette
import FixtureHTTP

extension Verdict {
  /// An exchange as the checks look at it.
  struct Attempt {
    let number: Int
    let connection: Int
    let request: RequestHead
    let response: ResponseHead?
    let received_ns: Int64
    let receivedAt_us: Int64
    /// When it ended; nil while it is open.
    let end_ns: Int64?
    let outcome: JournalEntry.Outcome
    /// Whether the request was read to its end, so that it may have had an effect.
    let wasRead: Bool
    let digest: [UInt8]

    init(_ entry: JournalEntry) {
      number = entry.number
      connection = entry.connection
      request = entry.request
      response = entry.response
      received_ns = entry.received_ns
      receivedAt_us = entry.receivedAt_us
      end_ns = entry.end_ns
      outcome = entry.outcome
      wasRead = entry.requestEnd_ns != nil
      digest = SHA256.digest(of: entry.content)
    }

    var status: Int? { response?.status }

    /// Whether the client was given a whole response.
    var isAnswered: Bool { outcome == .completed }

    /// Whether its answer says to try again, or none came: 408, 425, 429, 5xx.
    var hasFailed: Bool {
      switch outcome {
      case .open: false
      case .completed:
        switch status ?? 0 {
        case 408, 425, 429, 500...599: true
        default: false
        }
      case .closed, .reset, .aborted, .stopped: true
      }
    }

    func field(_ name: FieldName) -> [UInt8]? { request.fields.first(name).map(Array.init) }

    var idempotencyKey: [UInt8]? { field(.idempotencyKey) }

    /// `POST /orders`, without the query, which may hold secrets.
    var name: String {
      let path = RequestTarget.split(request.target).path
      let method = String(decoding: request.method.bytes, as: UTF8.self)
      return "\(method) \(PrintableText.of(Array(path)))"
    }

    /// What is the same of all attempts of one request.
    var identity: Identity {
      Identity(
        method: request.method, target: request.target, host: field(.host) ?? [], digest: digest)
    }
  }

  struct Identity: Hashable {
    let method: Method
    let target: [UInt8]
    let host: [UInt8]
    let digest: [UInt8]
  }
}

extension Verdict.Attempt {
  /// The attempts of each request, in order, those of the first request first.
  static func chains(of attempts: [Self]) -> [[Self]] {
    var places: [Verdict.Identity: Int] = [:]
    var chains: [[Self]] = []
    for attempt in attempts {
      let identity = attempt.identity
      if let place = places[identity] {
        chains[place].append(attempt)
      } else {
        places[identity] = chains.count
        chains.append([attempt])
      }
    }
    return chains
  }

  /// Pairs of a failed attempt and the first that came after its end.
  static func retries(in chain: [Self]) -> [(failed: Self, retry: Self, gap_ns: Int64)] {
    chain.indices.compactMap { index in
      let failed = chain[index]
      guard failed.hasFailed, let end_ns = failed.end_ns else { return nil }
      let next = chain[(index + 1)...].first { $0.received_ns >= end_ns }
      return next.map { (failed, $0, $0.received_ns - end_ns) }
    }
  }
}

extension FieldName {
  static let idempotencyKey = FieldName("idempotency-key")
  static let clientDeadline = FieldName("x-client-deadline-ms")
  static let grpcTimeout = FieldName("grpc-timeout")
}
