import FixtureHTTP

/// What was asked though the client knew better.
extension Verdict {
  static func unconditional(_ attempts: [Attempt]) -> [Finding] {
    var known: [Place: Attempt] = [:]
    var findings: [Finding] = []
    for attempt in attempts {
      guard attempt.request.method == .get else {
        for place in attempt.changed { known[place] = nil }
        continue
      }
      let place = Place(asker: attempt.asker, target: attempt.request.target)
      if let first = known[place], let end_ns = first.end_ns, attempt.received_ns >= end_ns,
        !attempt.hasCondition, !attempt.isReload, attempt.isAnsweredAlike(first)
      {
        findings.append(
          Finding(
            .revalidation, [first.number, attempt.number],
            "\(attempt.name) was asked again without If-None-Match or If-Modified-Since, its "
              + "answer had \(first.hasTag ? "an ETag" : "a Last-Modified")"))
      }
      if attempt.givesValidator {
        known[place] = attempt
      } else if attempt.isAnswered, [200, 404, 410].contains(attempt.status) {
        known[place] = nil
      }
    }
    return findings
  }

  static func credentialsStale(_ attempts: [Attempt]) -> [Finding] {
    struct Credentials: Hashable {
      let asker: [UInt8]
      /// A proof that comes with them, new for each request (RFC 9449 §4).
      let proof: [UInt8]?
    }
    var refused: [Credentials: Attempt] = [:]
    var findings: [Finding] = []
    for attempt in attempts where attempt.field(.authorization) != nil {
      let credentials = Credentials(asker: attempt.asker, proof: attempt.field(.proof))
      let isAccepted = attempt.isAnswered && 200..<300 ~= attempt.status ?? 0
      // Elsewhere they may do, as to have them renewed.
      if let first = refused[credentials], let end_ns = first.end_ns, attempt.received_ns >= end_ns,
        !isAccepted || attempt.request.target == first.request.target
      {
        findings.append(
          Finding(
            .staleCredentials, [first.number, attempt.number],
            "\(attempt.name) was sent with the credentials that \(first.name) was refused with"))
      }
      if attempt.status == 401, attempt.isAnswered {
        refused[credentials] = attempt
      } else if isAccepted {
        refused[credentials] = nil
      }
    }
    return findings
  }

  static func credentialsElsewhere(_ attempts: [Attempt]) -> [Finding] {
    var redirects: [Redirection: [Attempt]] = [:]
    // What clients sent to a host of their own accord.
    var own: Set<Sent> = []
    var findings: [Finding] = []
    for attempt in attempts {
      let host = Redirection.authority(attempt.field(.host) ?? [])
      let to = Redirection(authority: host, target: attempt.request.target)
      let first = redirects[to]?.last { attempt.received_ns >= $0.end_ns ?? .max }
      let sent = attempt.credentials.map { Sent(host: host, field: $0.name, value: $0.value) }
      if let first {
        let names = sent.filter { sent in
          !own.contains(sent) && first.credentials.contains { $0.value == sent.value }
            && (sent.field != "Cookie" || !to.sharesCookies(with: first.field(.host) ?? []))
        }.map(\.field)
        if !names.isEmpty {
          findings.append(
            Finding(
              .credentialsElsewhere, [first.number, attempt.number],
              "the \(names.joined(separator: " and ")) of \(first.name) went to another host after "
                + "a redirect"))
        }
      } else {
        own.formUnion(sent)
      }
      if let to = attempt.redirection, to.authority != host {
        redirects[to, default: []].append(attempt)
      }
    }
    return findings
  }

  static func pastDeadline(_ attempt: Attempt) -> [Finding] {
    guard let deadline_ns = attempt.deadline_ns, let end_ns = attempt.end_ns else { return [] }
    let spent_ns = end_ns - attempt.received_ns
    guard spent_ns > deadline_ns.saturatingAdding(deadlineGrace_ns) else { return [] }
    return [
      Finding(
        .deadline, [attempt.number],
        "\(attempt.name) named a deadline of \(PrintableText.about(ns: deadline_ns)), its "
          + "client was there for \(PrintableText.about(ns: spent_ns))")
    ]
  }

  /// To hear of the end, and for a busy machine.
  private static let deadlineGrace_ns: Int64 = 100_000_000

  /// How many connections had an exchange open at the same time.
  static func connections(_ attempts: [Attempt], _ connectionsMax: Int?) -> [Finding] {
    guard let connectionsMax else { return [] }
    var events: [(at_ns: Int64, isEnd: Bool, attempt: Attempt)] = []
    for attempt in attempts {
      events.append((attempt.received_ns, false, attempt))
      // What is answered at once ends a moment later, else its end would come before it.
      if let end_ns = attempt.end_ns {
        events.append((max(end_ns, attempt.received_ns.saturatingAdding(1)), true, attempt))
      }
    }
    // What ends at an instant makes room for what begins at it.
    events.sort { ($0.at_ns, $0.isEnd ? 0 : 1) < ($1.at_ns, $1.isEnd ? 0 : 1) }
    var open: [Int: Attempt] = [:]
    var most: [Int: Attempt] = [:]
    for (_, isEnd, attempt) in events {
      open[attempt.connection] = isEnd ? nil : attempt
      if open.count > most.count { most = open }
    }
    guard most.count > connectionsMax else { return [] }
    return [
      Finding(
        .connections, most.values.map(\.number).sorted(),
        "\(most.count) connections were in use at once, the limit is \(connectionsMax)")
    ]
  }

  static func unused(_ recordings: [Int64]) -> [Finding] {
    guard !recordings.isEmpty else { return [] }
    // `1, 3-7, 9`
    var ranges: [ClosedRange<Int64>] = []
    for id in recordings.sorted() {
      if let last = ranges.last, last.upperBound == id - 1 {
        ranges[ranges.count - 1] = last.lowerBound...id
      } else {
        ranges.append(id...id)
      }
    }
    let numbers = ranges.map { range in
      range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
    }
    let text =
      recordings.count == 1
      ? "interaction \(numbers[0]) was never asked for"
      : "\(recordings.count) interactions were never asked for: "
        + numbers.joined(separator: ", ")
    return [Finding(.unused, [], text)]
  }

  static func misses(_ attempts: [Attempt]) -> [Finding] {
    attempts.compactMap { attempt in
      attempt.miss.map { Finding(.misses, [attempt.number], $0) }
    }
  }
}

extension Verdict.Attempt {
  fileprivate var hasCondition: Bool {
    [FieldName.ifNoneMatch, .ifModifiedSince, .ifMatch, .ifRange, .range].contains {
      request.fields.contains($0)
    }
  }

  fileprivate var hasTag: Bool { response?.fields.contains(.etag) ?? false }

  /// Whether the client has a whole representation and something to ask about it with.
  fileprivate var givesValidator: Bool {
    guard isAnswered, status == 200, let fields = response?.fields else { return false }
    return (fields.contains(.etag) || fields.contains(.lastModified))
      && !fields.list(.cacheControl, holds: "no-store")
      && !request.fields.list(.cacheControl, holds: "no-store")
  }

  /// Whether what `Vary` of the earlier answer names is the same (RFC 9111 §4.1).
  fileprivate func isAnsweredAlike(_ first: Self) -> Bool {
    guard let vary = first.response?.fields.list(.vary) else { return true }
    return vary.allSatisfy { name in
      name != [0x2A] && request.fields.values(of: name) == first.request.fields.values(of: name)
    }
  }

  /// A client that wants what is there now, not what it has (RFC 9111 §5.2.1.4).
  fileprivate var isReload: Bool {
    request.fields.list(.cacheControl, holds: "no-cache")
      || request.fields.list(.cacheControl, holds: "no-store")
  }

  /// What a client forgets after it has changed something (RFC 9111 §4.4).
  fileprivate var changed: [Verdict.Place] {
    guard !request.method.isSafe, 200..<400 ~= status ?? 0 else { return [] }
    let named = [FieldName.location, .contentLocation].compactMap { response?.fields.first($0) }
    let host = Redirection.authority(field(.host) ?? [])
    let targets = named.compactMap { reference -> [UInt8]? in
      guard let place = Redirection(reference) else { return Array(reference) }
      return place.authority == host ? place.target : nil
    }
    return ([request.target] + targets).map { Verdict.Place(asker: asker, target: $0) }
  }

  fileprivate var credentials: [(name: String, value: [UInt8])] {
    [("Authorization", FieldName.authorization), ("Cookie", .cookie)].compactMap { name, field in
      self.field(field).map { (name, $0) }
    }
  }

  /// Where its answer leads, by an absolute URL.
  fileprivate var redirection: Redirection? {
    guard let response, 300..<400 ~= response.status else { return nil }
    return response.fields.first(.location).flatMap { Redirection($0) }
  }
}

extension Verdict {
  fileprivate struct Place: Hashable {
    let asker: [UInt8]
    let target: [UInt8]
  }

  fileprivate struct Sent: Hashable {
    let host: [UInt8]
    let field: String
    let value: [UInt8]
  }
}

extension FieldName {
  fileprivate static let proof = FieldName("dpop")
}

extension FieldSection {
  /// Of all lines of this name, whatever its case.
  fileprivate func values(of name: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    let name = name.map(\.asciiLowercased)
    return (0..<count).filter { self.name(at: $0).map(\.asciiLowercased) == name }
      .map { value(at: $0) }
  }
}
