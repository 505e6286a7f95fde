import FixtureCassette
import FixtureHTTP

/// Makes recorded responses look as if they were made now: what was fresh for a minute when it was
/// recorded is fresh for a minute from now.
///
///     Date                            now
///     Expires, Retry-After dates,     keep their distance from the recorded Date
///     Expires of cookies
///     Last-Modified                   the same distance for a whole session: it is a validator
///     Age, and what is no date        stay
///
/// What expires at its `Date` or before stays, so that "long ago" stays what it is. A response that
/// was recorded without a `Date` counts from when it came (RFC 9110 §6.6.1), and gets none.
package struct TimeShift: Equatable, Sendable {
  package let policy: DatePolicy
  /// Seconds added to every `Last-Modified`, and taken off the dates in requests that come from
  /// one.
  package let lastModified_s: Int64

  /// - Parameters:
  ///   - start: when the session starts, seconds since 1970; not needed of a frozen clock.
  ///   - latest: the latest date in the cassette, so that no `Last-Modified` comes to lie after its
  ///     `Date`; nil when there is none.
  package init(_ policy: DatePolicy, start: Int64, latest: HTTPDate?) {
    self.policy = policy
    guard let latest = latest?.secondsSince1970 else {
      lastModified_s = 0
      return
    }
    lastModified_s =
      switch policy {
      case .shift: start - latest
      case .recorded: 0
      case .frozen(let date): date.secondsSince1970 - latest
      }
  }

  /// What the session's clock says.
  /// - Parameter now: what the real one says, seconds since 1970.
  package func now(_ now: Int64) -> Int64 {
    if case .frozen(let date) = policy { return date.secondsSince1970 }
    return now
  }

  /// The script with the dates of its heads moved.
  /// - Parameters:
  ///   - interaction: the one that the script replays.
  ///   - now: as the session's clock has it.
  package func moved(_ script: Script, of interaction: Interaction, now: Int64) -> Script {
    guard policy != .recorded else { return script }
    var script = script
    for (index, step) in script.steps.enumerated() {
      guard var head = step.action.head else { continue }
      let places = places(in: head.fields, of: interaction, now: now)
      guard !places.isEmpty else { continue }
      head.fields = Self.moved(head.fields, places, now: now)
      script.steps[index].action.head = head
    }
    return script
  }

  /// The script of a play with the dates of its heads moved.
  package func moved(_ play: PreparedPlay, now: Int64) -> Script {
    moved(play.script, of: play.interaction, now: now)
  }

  /// Recorded validators as the client knows them.
  package func moved(_ validators: Validators?) -> Validators? {
    guard var moved = validators else { return nil }
    moved.lastModified = moved.lastModified?.advanced(by: lastModified_s)
    return moved
  }

  /// The request with the dates in its conditions moved to where they are in the cassette.
  package func movedBack(_ request: RequestHead) -> RequestHead {
    guard lastModified_s != 0,
      !Preconditions.Presence(request.fields).isDisjoint(with: .dated)
    else { return request }
    var request = request
    request.fields = request.fields.mapValues { name, value in
      let isDated = name.withUnsafeBytes {
        FieldName.ifModifiedSince.matches($0) || FieldName.ifUnmodifiedSince.matches($0)
          || FieldName.ifRange.matches($0)
      }
      guard isDated, let date = HTTPDate(parsing: value) else { return value }
      return date.advanced(by: -lastModified_s).imfFixdate[...]
    }
    return request
  }
}

extension TimeShift {
  /// A date within the value of a field line.
  struct Place: Equatable {
    enum Becomes: Equatable {
      /// This long after now.
      case now(plus: Int64)
      case fixed(HTTPDate)
    }

    /// Of the section.
    let line: Int
    /// Of the value, from its start.
    let range: Range<Int>
    let becomes: Becomes
  }

  /// The dates of a response that move.
  func places(in fields: FieldSection, of interaction: Interaction, now: Int64) -> [Place] {
    guard policy != .recorded, fields.mayHoldDates else { return [] }
    var places: [Place] = []
    for line in fields.lines.indices {
      guard let dated = Dated(nameAt: line, of: fields),
        let (date, range) = dated.date(in: fields.value(at: line))
      else { continue }
      let becomes: Place.Becomes
      switch dated {
      case .date: becomes = .now(plus: 0)
      case .lastModified:
        guard lastModified_s != 0 else { continue }
        becomes = .fixed(date.advanced(by: lastModified_s))
      case .retryAfter, .expires, .cookie:
        let made = fields.date(.date)?.secondsSince1970 ?? interaction.received
        let distance = date.secondsSince1970 - made
        // Unless a clock that was set back would make it fresh.
        if dated != .retryAfter, distance <= 0, date.secondsSince1970 <= now { continue }
        becomes = .now(plus: distance)
      }
      places.append(Place(line: line, range: range, becomes: becomes))
    }
    return places
  }

  private static func moved(_ fields: FieldSection, _ places: [Place], now: Int64) -> FieldSection {
    var result = fields
    // Nearly every date was recorded in the same format.
    if places.allSatisfy({ $0.range.count == HTTPDate.imfFixdateCount }) {
      for place in places {
        let text = place.becomes.date(now: now).imfFixdate
        result.overwrite(place.range, ofValueAt: place.line, with: text)
      }
      return result
    }
    result = FieldSection()
    result.reserve(bytes: fields.bytes.count, lines: fields.count)
    var next = 0
    for line in fields.lines.indices {
      var value = fields.value(at: line)
      if next < places.count, places[next].line == line {
        let start = value.startIndex
        let range = places[next].range
        value.replaceSubrange(
          (start + range.lowerBound)..<(start + range.upperBound),
          with: places[next].becomes.date(now: now).imfFixdate)
        next += 1
      }
      result.append(name: fields.name(at: line), value: value)
    }
    return result
  }
}

extension TimeShift.Place.Becomes {
  fileprivate func date(now: Int64) -> HTTPDate {
    switch self {
    case .now(let distance): HTTPDate(secondsSince1970: now).advanced(by: distance)
    case .fixed(let date): date
    }
  }
}

/// The fields of a response that hold dates.
private enum Dated {
  case date, expires, lastModified, retryAfter, cookie

  init?(nameAt line: Int, of fields: FieldSection) {
    let found: Dated? = fields.withName(at: line) { name in
      if FieldName.date.matches(name) { return .date }
      if FieldName.expires.matches(name) { return .expires }
      if FieldName.lastModified.matches(name) { return .lastModified }
      if FieldName.retryAfter.matches(name) { return .retryAfter }
      if FieldName.setCookie.matches(name) { return .cookie }
      return nil
    }
    guard let found else { return nil }
    self = found
  }

  /// The date, and where it is in the value, from the value's start.
  func date(in value: ArraySlice<UInt8>) -> (HTTPDate, Range<Int>)? {
    guard self == .cookie else {
      return HTTPDate(parsing: value).map { ($0, 0..<value.count) }
    }
    guard let place = Self.cookieExpiry(value), let date = HTTPDate(parsingCookie: value[place])
    else { return nil }
    return (date, (place.lowerBound - value.startIndex)..<(place.upperBound - value.startIndex))
  }

  /// The value of the last `Expires`, which is the one that counts (RFC 6265 §5.3).
  private static func cookieExpiry(_ value: ArraySlice<UInt8>) -> Range<Int>? {
    let attributes = value.split(separator: 0x3B, omittingEmptySubsequences: false).dropFirst()
    let expiry = attributes.last {
      $0.prefix { $0 != 0x3D }.trimmingOptionalWhitespace.equalsIgnoringCase("expires".utf8)
    }
    guard let expiry, let equals = expiry.firstIndex(of: 0x3D) else { return nil }
    let text = expiry[(equals + 1)...].trimmingOptionalWhitespace
    return text.startIndex..<text.endIndex
  }
}

extension FieldSection {
  fileprivate var mayHoldDates: Bool {
    contains(.date) || contains(.lastModified) || contains(.expires) || contains(.setCookie)
      || contains(.retryAfter)
  }
}

extension Interaction {
  /// When the response came, seconds since 1970.
  fileprivate var received: Int64 {
    startedAt_us.saturatingAdding(max(0, firstByte_us ?? 0)) / 1_000_000
  }
}

extension HTTPDate {
  package func advanced(by seconds: Int64) -> HTTPDate {
    HTTPDate(secondsSince1970: secondsSince1970.saturatingAdding(seconds))
  }
}

extension Action {
  /// The head that the action sends, if it sends one.
  var head: ResponseHead? {
    get {
      switch self {
      case .head(let head), .headBeginning(let head), .interim(let head): head
      case .headRest, .malform, .content, .generated, .paced, .send, .wait, .raw, .trailers, .end,
        .close, .reset:
        nil
      }
    }
    set {
      guard let newValue else { return }
      switch self {
      case .head: self = .head(newValue)
      case .headBeginning: self = .headBeginning(newValue)
      case .interim: self = .interim(newValue)
      case .headRest, .malform, .content, .generated, .paced, .send, .wait, .raw, .trailers, .end,
        .close, .reset:
        break
      }
    }
  }
}
