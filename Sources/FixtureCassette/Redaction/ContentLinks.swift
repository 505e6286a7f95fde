import FixtureHTTP

/// Counts the absolute links in text. Nobody changes those on their way to a client, so one that
/// follows them asks their origin and not the address that it was given in its place.
///
/// A link is `http://` or `https://` behind a quote, `=` or `(`, as it stands in JSON (escaped or
/// not), HTML and style sheets, but no name of an XML namespace, which leads nowhere.
package struct ContentLinks: Equatable, Sendable {
  /// How many lead to each origin, spelled as by `BaseURL.origin`.
  package private(set) var counts: [String: Int] = [:]

  /// Different origins that are counted.
  private static let originsMax = 1000
  /// A name of a host has at most 253 characters (RFC 1035 §2.3.4); then a port.
  private static let authorityBytesMax = 260

  package init() {}

  /// Counts what stands in a text.
  package mutating func read(_ text: UnsafeRawBufferPointer) {
    // Of two slashes one has an even place; `\/\/`, as JSON may spell them, has both of its
    // backslashes or both of its slashes there.
    var index = 2
    while index < text.count {
      let byte = text[index]
      guard byte == 0x2F || byte == 0x5C, let start = Self.authorityStart(in: text, near: index)
      else {
        index += 2
        continue
      }
      let end = Self.authorityEnd(in: text, from: start.authority)
      count(text[start.scheme..<start.colon], text[start.authority..<end])
      index = max(index + 2, end)
    }
  }

  private mutating func count(
    _ scheme: Slice<UnsafeRawBufferPointer>, _ authority: Slice<UnsafeRawBufferPointer>
  ) {
    let text =
      String(decoding: scheme, as: UTF8.self) + "://"
      + String(decoding: authority, as: UTF8.self)
    // An authority that is none leads nowhere.
    guard let origin = try? BaseURL(parsing: text).origin,
      counts[origin] != nil || counts.count < Self.originsMax
    else { return }
    counts[origin, default: 0] += 1
  }

  /// Where scheme, colon and authority of a link begin whose slashes have a byte at `index`.
  private static func authorityStart(
    in text: UnsafeRawBufferPointer, near index: Int
  ) -> (scheme: Int, colon: Int, authority: Int)? {
    guard let colon = (1...3).lazy.map({ index - $0 }).first(where: { $0 > 3 && text[$0] == 0x3A })
    else { return nil }
    var scheme = colon
    while scheme > 0, colon - scheme < 5, text[scheme - 1] | 0x20 >= 0x61,
      text[scheme - 1] | 0x20 <= 0x7A
    {
      scheme -= 1
    }
    guard scheme > 0, isLead(text[scheme - 1]), !isNamespace(text, before: scheme - 1) else {
      return nil
    }
    var authority = colon + 1
    for _ in 0..<2 {
      if authority < text.count, text[authority] == 0x5C { authority += 1 }
      guard authority < text.count, text[authority] == 0x2F else { return nil }
      authority += 1
    }
    return (scheme, colon, authority)
  }

  /// What a value may begin behind.
  private static func isLead(_ byte: UInt8) -> Bool {
    byte == 0x22 || byte == 0x27 || byte == 0x3D || byte == 0x28
  }

  /// Whether `xmlns="` or `xmlns:name="` ends at `lead`.
  private static func isNamespace(_ text: UnsafeRawBufferPointer, before lead: Int) -> Bool {
    var start = lead
    while start > 0, lead - start < 64, text[start - 1] > 0x20 { start -= 1 }
    return text[start..<lead].starts(with: "xmlns".utf8)
  }

  private static func authorityEnd(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
    var end = start
    let last = min(text.count, start + authorityBytesMax)
    while end < last {
      switch text[end] {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5B, 0x5D, 0x5F, 0x40: end += 1
      default: return end
      }
    }
    return end
  }
}
