import FixtureCassette
import FixtureHTTP

extension Verdict {
  /// An exchange as the checks look at it.
  package struct Attempt {
    let number: Int
    let connection: Int
    /// Which request of its connection it is, from 1.
    let ordinal: Int
    let request: RequestHead
    let response: ResponseHead?
    let received_ns: Int64
    let receivedAt_us: Int64
    /// When the head of its answer was sent; nil when that is not known.
    let head_ns: Int64?
    /// When it ended; nil while it is open.
    let end_ns: Int64?
    let outcome: JournalEntry.Outcome
    /// Whether the request was read to its end, so that it may have had an effect.
    let wasRead: Bool
    /// Whether its client has got no byte of an answer.
    let isSilent: Bool
    /// Equal for contents that mean the same; of one that is not known, what no other has.
    let digest: [UInt8]
    /// Why there was no recording; nil when there was one.
    let miss: String?

    /// - Parameters:
    ///   - number: of the exchange.
    ///   - received_ns: when its request came, on the same clock as the other two.
    ///   - receivedAt_us: the same as a date, µs since 1970.
    ///   - digest: of the request's content; nil when it is not known.
    package init(
      number: Int, connection: Int, ordinal: Int, request: RequestHead, response: ResponseHead?,
      received_ns: Int64, receivedAt_us: Int64, head_ns: Int64?, end_ns: Int64?,
      outcome: JournalEntry.Outcome, wasRead: Bool, isSilent: Bool, digest: [UInt8]?,
      miss: String?
    ) {
      self.number = number
      self.connection = connection
      self.ordinal = ordinal
      self.request = request
      self.response = response
      self.received_ns = received_ns
      self.receivedAt_us = receivedAt_us
      self.head_ns = head_ns
      self.end_ns = end_ns
      self.outcome = outcome
      self.wasRead = wasRead
      self.isSilent = isSilent
      self.digest = digest ?? Array("\(number)".utf8)
      self.miss = miss
    }

    init(_ entry: JournalEntry) {
      number = entry.number
      connection = entry.connection
      ordinal = entry.ordinal
      request = entry.request
      response = entry.response
      received_ns = entry.received_ns
      receivedAt_us = entry.receivedAt_us
      head_ns = entry.head?.done_ns
      end_ns = entry.end_ns
      outcome = entry.outcome
      wasRead = entry.requestEnd_ns != nil
      isSilent = entry.headBytesSent + entry.bodyBytesSent == 0 && entry.response == nil
      digest = Self.digest(of: entry)
      if case .miss(let text) = entry.source { miss = text } else { miss = nil }
    }

    /// By what its type says: a client that encodes JSON anew for each attempt may give the members
    /// another order, and draws another boundary for each multipart content.
    private static func digest(of entry: JournalEntry) -> [UInt8] {
      if entry.content.isEmpty { return [] }
      let form = ContentForm(entry.request.fields)
      let isWhole = entry.contentCount == entry.content.count
      if isWhole, entry.content.count <= ContentKeys.contentBytesMax,
        case .value(let key) = ContentKeys().key(of: entry.content, form)
      {
        return SHA256.digest(of: key)
      }
      return SHA256.digest(of: entry.content) + Array("\(entry.contentCount)".utf8)
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

    /// Whether the server failed, so that a client that comes again should give it time. Who gets a
    /// 408 or 425 may repeat the request at once (RFC 9110 §15.5.9, RFC 8470 §5.2), and who leaves
    /// may have changed its mind, unless its own deadline had passed.
    var needsTime: Bool {
      switch outcome {
      case .open, .stopped: false
      case .completed: hasFailed && status != 408 && status != 425
      case .closed, .reset: true
      case .aborted:
        if let end_ns, let deadline_ns { end_ns - received_ns >= deadline_ns } else { false }
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

    /// Who asks, as far as the server can tell.
    var asker: [UInt8] { (field(.host) ?? []) + [0x20] + (field(.authorization) ?? []) }

    /// What is the same of all requests for the same.
    var identity: Identity {
      Identity(method: request.method, target: request.target, asker: asker, digest: digest)
    }

    /// What is the same of all attempts of one request: one with a key is that request alone,
    /// however it is encoded.
    var repeated: Identity {
      guard let idempotencyKey else { return identity }
      return Identity(
        method: request.method, target: request.target, asker: asker,
        digest: Array("key ".utf8) + idempotencyKey)
    }
  }

  struct Identity: Hashable {
    let method: Method
    let target: [UInt8]
    let asker: [UInt8]
    let digest: [UInt8]
  }
}

extension FieldName {
  static let idempotencyKey = FieldName("idempotency-key")
  static let clientDeadline = FieldName("x-client-deadline-ms")
  static let grpcTimeout = FieldName("grpc-timeout")
}
