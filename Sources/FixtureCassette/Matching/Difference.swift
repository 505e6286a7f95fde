/// One thing that is not the same in a recorded request and in one that is asked, as it may be
/// shown: values are cut, and what stands in a redacted place is left out.
package struct Difference: Equatable, Sendable {
  package enum Place: Equatable, Sendable {
    case method, path, upstream, authority
    /// Whether there is a query.
    case queryPresence
    /// A pair of the query, by its decoded name.
    case query([UInt8])
    /// A field, by its name in lower case.
    case field([UInt8])
    /// The content as a whole: whether there is any, how it is compared, how long it is.
    case content
    case json(JSONPointer)
    /// A pair of a form, by its decoded name.
    case form([UInt8])
    /// A part of a multipart, by its name; nil when it has none.
    case part([UInt8]?, Aspect)
    /// The first byte that is another one.
    case byte(offset: Int)
  }

  /// What of a part.
  package enum Aspect: Equatable, Sendable {
    /// Whether it is there.
    case presence
    case fileName, disposition, type, content
    case byte(offset: Int)
  }

  package let place: Place
  /// nil when it is not there.
  package let recorded: ValueExcerpt?
  package let asked: ValueExcerpt?
  /// The change of `--match` that makes it count no more; nil when there is none that anybody
  /// should make.
  package let change: String?

  /// What stands where the recording has lost a secret may be one, and is not shown; names that
  /// look like credentials neither.
  package init(_ place: Place, recorded: ValueExcerpt?, asked: ValueExcerpt?, change: String?) {
    self.place = place.concealed
    self.recorded = recorded
    let isHidden = recorded?.holdsPlaceholder ?? false
    self.asked = asked.map { isHidden && !$0.holdsPlaceholder ? .secret : $0 }
    self.change = change
  }
}

extension Difference.Place {
  fileprivate var concealed: Difference.Place {
    switch self {
    case .method, .path, .upstream, .authority, .queryPresence, .content, .byte: self
    case .query(let name): .query(CredentialShape.concealed(name))
    case .field(let name): .field(CredentialShape.concealed(name))
    case .json(let pointer):
      .json(JSONPointer(tokens: pointer.tokens.map(CredentialShape.concealed)))
    case .form(let name): .form(CredentialShape.concealed(name))
    case .part(let name, let aspect): .part(name.map(CredentialShape.concealed), aspect)
    }
  }
}

/// The beginning of a value.
package struct ValueExcerpt: Equatable, Sendable {
  /// Enough to tell values apart, little enough for three recordings on a screen.
  package static let bytesMax = 64
  /// Enough bytes to see what stands there.
  static let hexBytesMax = 16

  package let bytes: [UInt8]
  /// Whether there is more of it.
  package let isCut: Bool

  /// - Parameter value: what looks like a credential in it is left out.
  package init(_ value: some Collection<UInt8>) {
    let begun = value.prefix(Self.bytesMax + Self.credentialBytesMax)
    let shown = CredentialShape.concealed(Array(begun))
    var end = min(shown.count, Self.bytesMax)
    isCut = end < shown.count || begun.endIndex < value.endIndex
    // Not inside a character.
    if end < shown.count {
      var back = 0
      while back < 3, shown[end] & 0xC0 == 0x80, end > 0 {
        end -= 1
        back += 1
      }
    }
    bytes = Array(shown[..<end])
  }

  /// One that begins in what is shown is recognized when it is not longer.
  private static let credentialBytesMax = 64 << 10

  package init(_ text: String) { self.init(Array(text.utf8)) }

  /// Instead of what may not be shown.
  static let secret = ValueExcerpt("REDACTED")

  fileprivate var holdsPlaceholder: Bool { bytes.withUnsafeBytes { Placeholder.mayOccur(in: $0) } }

  /// Two digits for each byte that follows a position; nil at the end.
  init?(hexOf bytes: [UInt8], from offset: Int) {
    guard offset < bytes.count else { return nil }
    let shown = bytes[offset...].prefix(Self.hexBytesMax)
    let digits = Array("0123456789abcdef".utf8)
    self.bytes = Array(
      shown.map { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }.joined(separator: [0x20]))
    isCut = offset + shown.count < bytes.count
  }
}

/// Differences as they are found: the first ones, and how many there are.
package struct Differences: Equatable, Sendable {
  /// Kept of each recording.
  package static let max = 8
  /// Nobody counts further: two contents that have nothing in common take no longer.
  package static let countMax = 1000

  package private(set) var first: [Difference] = []
  package private(set) var count = 0
  /// What `--match` would have to say; nil when words do not help.
  private var changes: [String]? = []

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// - Parameter difference: made only if it is kept.
  package mutating func append(
    change: @autoclosure () -> String?, _ difference: (_ change: String?) -> Difference
  ) {
    count += 1
    guard changes != nil || first.count < Self.max else { return }
    let change = change().flatMap { Self.mayBeSaid($0) ? $0 : nil }
    if first.count < Self.max { first.append(difference(change)) }
    guard let change, changes != nil else {
      changes = nil
      return
    }
    // Byte for byte: to `==` some names are equal that are not the same.
    let isKnown = changes?.contains { $0.utf8.elementsEqual(change.utf8) } ?? true
    if !isKnown { changes?.append(change) }
  }

  /// Not with a name that looks like a credential.
  private static func mayBeSaid(_ change: String) -> Bool {
    Array(change.utf8).withUnsafeBytes { CredentialShape.all(in: $0).isEmpty }
  }

  package mutating func append(_ difference: Difference) {
    append(change: difference.change) { _ in difference }
  }

  var isFull: Bool { count >= Self.countMax }

  /// What to add to `--match` so that nothing differs any more; nil when no words do it, or none
  /// that anybody should say.
  ///
  /// More than a few places of one kind are better left out as a whole.
  package var change: String? {
    guard let changes, !changes.isEmpty else { return nil }
    var words: [String] = []
    for (whole, part) in [("-query", "+query-ignore:"), ("-content", "+content-ignore:")] {
      let parts = changes.filter { $0.hasPrefix(part) }
      if changes.contains(whole) || parts.count > Self.partsMax {
        words.append(whole)
      } else {
        words += parts
      }
    }
    words += changes.filter { !$0.hasPrefix("+") && !["-query", "-content"].contains($0) }
    return words.joined(separator: ",")
  }

  private static let partsMax = 4
}
