/// The content codings that a client accepts, and how gladly (RFC 9110 §12.5.3).
package struct AcceptEncoding: Equatable, Sendable {
  /// A weight is in thousandths: 1000 for `q=1`, 0 for "not acceptable" (RFC 9110 §12.4.2).
  package static let weightMax = 1000

  private struct Member: Equatable {
    /// In lower case, `gzip` for `x-gzip`.
    let name: [UInt8]
    let weight: Int
  }

  /// nil without the field.
  private let members: [Member]?

  /// Reads the request's field; repeated lines are one list. A weight that is none counts as 1,
  /// since the coding was named.
  package init(_ fields: FieldSection) {
    members = fields.contains(.acceptEncoding) ? fields.list(.acceptEncoding).map(Self.member) : nil
  }

  /// How gladly the client takes content in this coding, 0 to 1000; 0 means that it must not get
  /// it.
  /// - Parameter coding: its name in any case; `identity` stands for content without a coding.
  package func weight(of coding: some Collection<UInt8>) -> Int {
    // "If no Accept-Encoding header field is in the request, any content coding is considered
    // acceptable by the user agent."
    guard let members else { return Self.weightMax }
    let name = Self.canonical(coding)
    if let weight = weight(members, of: name) { return weight }
    // "*" stands for what the field does not list.
    if let weight = weight(members, of: [0x2A]) { return weight }
    // "If the representation has no content coding, then it is acceptable by default unless
    // specifically excluded."
    return name.elementsEqual("identity".utf8) ? Self.weightMax : 0
  }

  /// Whether the client takes a message with these fields: all the codings that were applied to its
  /// content, or its having none.
  package func accepts(contentOf fields: FieldSection) -> Bool {
    let codings = fields.list(.contentEncoding)
    if codings.isEmpty { return weight(of: "identity".utf8) > 0 }
    return codings.allSatisfy { weight(of: $0) > 0 }
  }

  /// The greatest weight when a coding is named more than once.
  private func weight(_ members: [Member], of name: [UInt8]) -> Int? {
    members.filter { $0.name == name }.map(\.weight).max()
  }

  private static func member(_ bytes: ArraySlice<UInt8>) -> Member {
    let parts = bytes.split(separator: 0x3B, omittingEmptySubsequences: false)
    let parameters = parts.dropFirst().map(\.trimmingOptionalWhitespace)
    let weight = parameters.first { $0.prefix(2).equalsIgnoringCase("q=".utf8) }
    return Member(
      name: canonical((parts.first ?? []).trimmingOptionalWhitespace),
      weight: weight.map { Self.weight($0.dropFirst(2)) } ?? weightMax)
  }

  private static func canonical(_ name: some Collection<UInt8>) -> [UInt8] {
    let name = name.map(\.asciiLowercased)
    // "A recipient SHOULD consider "x-gzip" to be equivalent to "gzip"" (RFC 9110 §8.4.1.3).
    return name.elementsEqual("x-gzip".utf8) ? Array("gzip".utf8) : name
  }

  /// `qvalue`: 0 or 1, and up to three digits after a point. Further digits are ignored.
  private static func weight(_ text: ArraySlice<UInt8>) -> Int {
    guard text.first == 0x30 else { return weightMax }
    let fraction = text.dropFirst(2)
    guard text.count == 1 || text.dropFirst().first == 0x2E,
      fraction.allSatisfy({ (0x30...0x39).contains($0) })
    else { return weightMax }
    return zip(fraction, [100, 10, 1]).reduce(0) { $0 + Int($1.0 - 0x30) * $1.1 }
  }
}
