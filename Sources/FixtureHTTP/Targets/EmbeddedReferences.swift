/// Where the URI references lie in field values that hold more than a reference.
package enum EmbeddedReferences {
  /// Of `Link` (RFC 8288 §3): what stands between `<` and `>` outside quoted strings, in order. One
  /// that is not closed reaches to the end.
  package static func inLink(_ value: ArraySlice<UInt8>) -> [Range<Int>] {
    var references: [Range<Int>] = []
    var index = value.startIndex
    var quoted = false
    while index < value.endIndex {
      switch value[index] {
      case 0x22: quoted.toggle()
      case 0x5C where quoted: index += 1
      case 0x3C where !quoted:
        let end = value[index...].firstIndex(of: 0x3E) ?? value.endIndex
        references.append((index + 1)..<end)
        index = end
      default: break
      }
      index += 1
    }
    return references
  }

  /// Of `Refresh` (WHATWG HTML §4.2.5.3): what follows the first `;`, `,` or whitespace, without
  /// `url=` before it and the quotes around it. nil without such a separator.
  package static func inRefresh(_ value: ArraySlice<UInt8>) -> Range<Int>? {
    let isSeparator: (UInt8) -> Bool = { $0 == 0x3B || $0 == 0x2C }
    let seconds = value.drop(while: \.isOptionalWhitespace)
      .prefix { !isSeparator($0) && !$0.isOptionalWhitespace }
    guard seconds.endIndex < value.endIndex else { return nil }
    var reference = value[seconds.endIndex...].drop(while: \.isOptionalWhitespace)
    if let first = reference.first, isSeparator(first) {
      reference = reference.dropFirst().drop(while: \.isOptionalWhitespace)
    }
    if reference.prefix(3).equalsIgnoringCase("url".utf8) {
      let behind = reference.dropFirst(3).drop(while: \.isOptionalWhitespace)
      if behind.first == 0x3D {
        reference = behind.dropFirst().drop(while: \.isOptionalWhitespace)
      }
    }
    if let quote = reference.first, quote == 0x22 || quote == 0x27 {
      reference = reference.dropFirst().prefix { $0 != quote }
    }
    return reference.indices
  }
}
