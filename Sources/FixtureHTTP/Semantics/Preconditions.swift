/// Decides what the conditions of a request make of its answer (RFC 9110 §13).
package enum Preconditions {
  package enum Outcome: Equatable, Sendable {
    /// The answer is what it would be without them, but for a range.
    case proceed
    /// 304.
    case notModified
    /// 412.
    case failed
  }

  /// Which fields of a request have to do with conditions and ranges.
  package struct Presence: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    package static let ifMatch = Presence(rawValue: 1)
    package static let ifNoneMatch = Presence(rawValue: 2)
    package static let ifModifiedSince = Presence(rawValue: 4)
    package static let ifUnmodifiedSince = Presence(rawValue: 8)
    package static let ifRange = Presence(rawValue: 16)
    package static let range = Presence(rawValue: 32)

    /// Those that have a date as their value, or may have one.
    package static let dated: Presence = [.ifModifiedSince, .ifUnmodifiedSince, .ifRange]
    package static let conditions: Presence = [
      .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
    ]

    /// Reads the fields once: nearly all requests have none of these.
    package init(_ fields: FieldSection) {
      var found: Presence = []
      fields.bytes.withUnsafeBytes { bytes in
        for line in fields.lines {
          let start = Int(line.nameStart)
          let count = Int(line.nameEnd) - start
          // `if-` or `range`, in any case.
          guard count >= 5, bytes[start] | 0x20 == (count == 5 ? 0x72 : 0x69) else { continue }
          found.formUnion(
            Self.named(UnsafeRawBufferPointer(rebasing: bytes[start..<(start + count)])))
        }
      }
      self = found
    }

    private static func named(_ name: UnsafeRawBufferPointer) -> Presence {
      if FieldName.ifNoneMatch.matches(name) { return .ifNoneMatch }
      if FieldName.ifModifiedSince.matches(name) { return .ifModifiedSince }
      if FieldName.range.matches(name) { return .range }
      if FieldName.ifRange.matches(name) { return .ifRange }
      if FieldName.ifMatch.matches(name) { return .ifMatch }
      if FieldName.ifUnmodifiedSince.matches(name) { return .ifUnmodifiedSince }
      return []
    }
  }

  /// Evaluates the conditions in the order of RFC 9110 §13.2.2. Only for a request that would be
  /// answered with a 2xx without them (§13.2.1).
  ///
  /// A date that is none, and any date when the representation has no `Last-Modified`, is ignored
  /// (§13.1.3, §13.1.4); so is `If-Modified-Since` beside `If-None-Match`, and
  /// `If-Unmodified-Since` beside `If-Match`.
  /// - Parameter current: of the target's current representation; nil when it has none.
  package static func evaluate(
    _ method: Method, _ fields: FieldSection, against current: Validators?
  ) -> Outcome {
    let isRead = method == .get || method == .head
    if let list = EntityTagList(.ifMatch, in: fields) {
      // "An origin server MUST use the strong comparison function".
      guard let current, list.holds(current.entityTag, by: EntityTag.matchesStrongly) else {
        return .failed
      }
    } else if let since = fields.date(.ifUnmodifiedSince), let modified = current?.lastModified,
      modified > since
    {
      return .failed
    }
    if let list = EntityTagList(.ifNoneMatch, in: fields) {
      // "A recipient MUST use the weak comparison function".
      guard let current, list.holds(current.entityTag, by: EntityTag.matchesWeakly) else {
        return .proceed
      }
      return isRead ? .notModified : .failed
    }
    if isRead, let since = fields.date(.ifModifiedSince), let modified = current?.lastModified,
      modified <= since
    {
      return .notModified
    }
    return .proceed
  }

  /// Whether two requests have the same conditions and the same range, value by value.
  package static func areSame(_ left: FieldSection, _ right: FieldSection) -> Bool {
    let names: [FieldName] = [
      .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange, .range,
    ]
    return names.allSatisfy { left.all($0) == right.all($0) }
  }

  /// Whether `If-Range` lets a range be answered with a part; true without the field. What is
  /// neither a tag nor a date lets none (RFC 9110 §13.1.5).
  package static func allowRange(_ fields: FieldSection, of current: Validators) -> Bool {
    guard let value = fields.first(.ifRange) else { return true }
    if let tag = EntityTag(parsing: value) {
      return current.entityTag.map { tag.matchesStrongly($0) } ?? false
    }
    guard let date = HTTPDate(parsing: value), let modified = current.lastModified,
      date == modified
    else { return false }
    // RFC 9110 §8.8.2.2: a date is a strong validator only if nothing can have changed within its
    // second after the response was made.
    return current.date.map { $0 > modified } ?? true
  }
}
