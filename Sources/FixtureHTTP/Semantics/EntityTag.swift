/// An entity tag, which names one state of a representation (RFC 9110 §8.8.3).
package struct EntityTag: Hashable, Sendable {
  /// Whether it was written with `W/`: then equal tags mean content that is as good, not the same.
  package let isWeak: Bool
  /// What stands between the quotes. Opaque: case counts, nothing in it is an escape.
  package let opaque: [UInt8]
  /// False for what some servers send instead of a tag, and clients then send back: it equals only
  /// itself.
  package let isQuoted: Bool

  /// - Precondition: `opaque` holds no `"`, and nothing that a field value can't hold.
  package init(_ opaque: [UInt8], isWeak: Bool = false, isQuoted: Bool = true) {
    precondition(!opaque.contains(0x22), "a quote within a tag would end it")
    self.opaque = opaque
    self.isWeak = isWeak
    self.isQuoted = isQuoted
  }

  /// Reads a whole field value.
  /// - Returns: nil for what is neither a tag nor a word, as a quote that is not closed, or a small
  ///   `w/` before one.
  package init?(parsing text: ArraySlice<UInt8>) {
    var rest = text.trimmingOptionalWhitespace
    guard let tag = Self.take(from: &rest), rest.isEmpty else { return nil }
    self = tag
  }

  /// The field value.
  package var bytes: [UInt8] {
    guard isQuoted else { return opaque }
    return (isWeak ? [0x57, 0x2F, 0x22] : [0x22]) + opaque + [0x22]
  }

  /// Equal byte for byte: neither is weak (RFC 9110 §8.8.3.2).
  package func matchesStrongly(_ other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && matchesWeakly(other)
  }

  /// Equivalent, weak or not (RFC 9110 §8.8.3.2).
  package func matchesWeakly(_ other: EntityTag) -> Bool {
    opaque == other.opaque && isQuoted == other.isQuoted
  }

  /// Takes a tag from the front of `rest`; nothing when there is none.
  ///
  /// Spaces and control bytes, which RFC 9110 leaves out, are taken as they are: tags with spaces
  /// are sent, and both sides copy them.
  fileprivate static func take(from rest: inout ArraySlice<UInt8>) -> EntityTag? {
    // "W/" is case-sensitive.
    let isWeak = rest.starts(with: [0x57, 0x2F])
    let quoted = isWeak ? rest.dropFirst(2) : rest
    guard quoted.first == 0x22 else { return takeWord(from: &rest) }
    guard let end = quoted.dropFirst().firstIndex(of: 0x22) else { return nil }
    rest = rest[(end + 1)...]
    return EntityTag(Array(quoted[(quoted.startIndex + 1)..<end]), isWeak: isWeak)
  }

  private static func takeWord(from rest: inout ArraySlice<UInt8>) -> EntityTag? {
    let word = rest.prefix { $0 > 0x20 && $0 != 0x22 && $0 != 0x2C && $0 != 0x7F }
    guard !word.isEmpty, !word.elementsEqual([0x2A]) else { return nil }
    rest = rest[word.endIndex...]
    return EntityTag(Array(word), isQuoted: false)
  }
}

/// What `If-Match` and `If-None-Match` hold: any representation, or a list of tags
/// (RFC 9110 §13.1.1, §13.1.2).
package enum EntityTagList: Equatable, Sendable {
  /// `*`.
  case any
  /// Without what is no tag; empty when nothing is.
  case tags([EntityTag])

  /// The list over all lines of the field; nil when there is none.
  package init?(_ name: FieldName, in fields: FieldSection) {
    guard let index = fields.index(of: name) else { return nil }
    if fields.value(at: index).elementsEqual([0x2A]),
      fields.index(of: name, from: index + 1) == nil
    {
      self = .any
      return
    }
    self = .tags(fields.all(name).flatMap(Self.tags))
  }

  /// The tags of a list; what stands between two commas and is no tag is passed over, as empty
  /// members are (RFC 9110 §5.6.1.2).
  private static func tags(_ value: ArraySlice<UInt8>) -> [EntityTag] {
    var tags: [EntityTag] = []
    var rest = value
    while true {
      rest = rest.drop { $0.isOptionalWhitespace || $0 == 0x2C }
      if rest.isEmpty { return tags }
      var after = rest
      if let tag = EntityTag.take(from: &after) {
        after = after.drop(while: \.isOptionalWhitespace)
        if after.isEmpty || after.first == 0x2C { tags.append(tag) }
      }
      rest = after.drop { $0 != 0x2C }
    }
  }

  /// Whether a tag of the list is the representation's, or the list is `*`.
  /// - Parameter tag: nil when the representation has none.
  package func holds(
    _ tag: EntityTag?, by matches: (EntityTag) -> (EntityTag) -> Bool
  ) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tag.map { tag in tags.contains { matches(tag)($0) } } ?? false
    }
  }
}
