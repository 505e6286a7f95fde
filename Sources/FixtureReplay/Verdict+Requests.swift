import FixtureHTTP

/// What was asked though the client knew better.
extension Verdict {
  static func unconditional(_ attempts: [Attempt]) -> [Finding] {
    var known: [[UInt8]: Attempt] = [:]
    var findings: [Finding] = []
    for attempt in attempts where attempt.request.method == .get {
      let place = (attempt.field(.host) ?? []) + [0x20] + attempt.request.target
      if let first = known[place], let end_ns = first.end_ns, attempt.received_ns >= end_ns,
        !attempt.hasCondition, attempt.isAnsweredAlike(first)
      {
        findings.append(
          Finding(
            .revalidation, [first.number, attempt.number],
            "\(attempt.name) was asked again without If-None-Match or If-Modified-Since, its "
              + "answer had \(first.hasTag ? "an ETag" : "a Last-Modified")"))
      }
      if attempt.givesValidator { known[place] = attempt }
    }
    return findings
  }

  static func credentialsStale(_ attempts: [Attempt]) -> [Finding] {
    var refused: [[UInt8]: Attempt] = [:]
    var findings: [Finding] = []
    for attempt in attempts {
      guard let credentials = attempt.field(.authorization) else { continue }
      let place = (attempt.field(.host) ?? []) + [0x20] + credentials
      if let first = refused[place], let end_ns = first.end_ns, attempt.received_ns >= end_ns {
        findings.append(
          Finding(
            .staleCredentials, [first.number, attempt.number],
            "\(attempt.name) was sent with the credentials that \(first.name) was refused with"))
      }
      if attempt.status == 401, attempt.isAnswered {
        refused[place] = attempt
      } else if let status = attempt.status, status < 300 {
        refused[place] = nil
      }
    }
    return findings
  }

  static func credentialsElsewhere(_ attempts: [Attempt]) -> [Finding] {
    var redirects: [(attempt: Attempt, authority: [UInt8])] = []
    var findings: [Finding] = []
    for attempt in attempts {
      let host = attempt.field(.host) ?? []
      for (first, authority) in redirects
      where authority == host && attempt.received_ns >= first.end_ns ?? .max {
        let names = [("Authorization", FieldName.authorization), ("Cookie", .cookie)].filter {
          first.field($0.1) != nil && first.field($0.1) == attempt.field($0.1)
        }.map(\.0)
        guard !names.isEmpty else { continue }
        findings.append(
          Finding(
            .credentialsElsewhere, [first.number, attempt.number],
            "the \(names.joined(separator: " and ")) of \(first.name) went to another host after "
              + "a redirect"))
        break
      }
      if let authority = attempt.redirectAuthority, authority != host {
        redirects.append((attempt, authority))
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
        "\(attempt.name) named a deadline of \(PrintableText.milliseconds(ns: deadline_ns)), its "
          + "client was there for \(PrintableText.milliseconds(ns: spent_ns))")
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
      if let end_ns = attempt.end_ns { events.append((end_ns, true, attempt)) }
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

  static func afterEnd(_ attempts: [Attempt], _ end_ns: Int64?) -> [Finding] {
    guard let end_ns else { return [] }
    return attempts.filter { $0.received_ns > end_ns }.map { attempt in
      let late_ns = attempt.received_ns - end_ns
      return Finding(
        .afterEnd, [attempt.number],
        "\(attempt.name) came \(PrintableText.milliseconds(ns: late_ns)) after the test had ended")
    }
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

  static func misses(_ entries: [JournalEntry]) -> [Finding] {
    entries.compactMap { entry in
      guard case .miss(let text) = entry.source else { return nil }
      return Finding(.misses, [entry.number], text)
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
    return vary.allSatisfy { request.fields.values(of: $0) == first.request.fields.values(of: $0) }
  }

  /// Of a redirection to an absolute URL, lower case.
  fileprivate var redirectAuthority: [UInt8]? {
    guard let response, 300..<400 ~= response.status,
      let location = response.fields.first(.location),
      let start = RequestTarget.schemeEnd(of: Array(location))
    else { return nil }
    let rest = Array(location)[start...]
    let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? rest.endIndex
    return rest[..<end].map(\.asciiLowercased)
  }

  /// As the client said it: `X-Client-Deadline-Ms: 1000`, `grpc-timeout: 1S`.
  fileprivate var deadline_ns: Int64? {
    if let value = field(.clientDeadline) { return Self.number(value[...], unit_ns: 1_000_000) }
    guard let value = field(.grpcTimeout), let unit = value.last else { return nil }
    let unit_ns: Int64? =
      switch unit {
      case UInt8(ascii: "H"): 3_600_000_000_000
      case UInt8(ascii: "M"): 60_000_000_000
      case UInt8(ascii: "S"): 1_000_000_000
      case UInt8(ascii: "m"): 1_000_000
      case UInt8(ascii: "u"): 1000
      case UInt8(ascii: "n"): 1
      default: nil
      }
    return unit_ns.flatMap { Self.number(value.dropLast(), unit_ns: $0) }
  }

  private static func number(_ digits: ArraySlice<UInt8>, unit_ns: Int64) -> Int64? {
    guard !digits.isEmpty, digits.count < 12, digits.allSatisfy(\.isDigit) else { return nil }
    return Int64(String(decoding: digits, as: UTF8.self))?.saturatingMultiplied(by: unit_ns)
  }
}

extension FieldSection {
  /// Of all lines of this name, whatever its case.
  fileprivate func values(of name: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    let name = name.map(\.asciiLowercased)
    return (0..<count).filter { self.name(at: $0).map(\.asciiLowercased) == name }
      .map { value(at: $0) }
  }
}
