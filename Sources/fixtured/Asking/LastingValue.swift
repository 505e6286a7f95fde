import FixtureCassette
import FixtureHTTP

/// Field values without what differs between two recordings of the same traffic: the moment, the
/// port that our own listener happened to have, the boundary that a client drew.
struct LastingValue {
  private let section: FieldSection
  /// What `Date` says; other dates are told by their distance from it.
  private let date: HTTPDate?

  init(in section: FieldSection) {
    self.section = section
    date = section.first(.date).flatMap { HTTPDate(parsing: $0) }
  }

  /// All lines of a section as they are compared between two recordings.
  static func bytes(of section: FieldSection) -> [UInt8] {
    let lasting = LastingValue(in: section)
    return section.lines.indices.flatMap { index in
      section.name(at: index) + Array(": \(lasting.text(at: index))\n".utf8)
    }
  }

  /// The value of one line, escaped.
  func text(at index: Int) -> String {
    let value = section.value(at: index)
    let name = section.name(at: index).map(\.asciiLowercased)
    switch String(decoding: name, as: UTF8.self) {
    case "date": return date == nil ? String(escaping: value) : "(date)"
    case "expires", "retry-after": return distance(value) ?? String(escaping: value)
    case "set-cookie": return cookie(value)
    case "host": return host(value)
    case "content-type": return contentType(value)
    default: return String(escaping: value)
    }
  }

  /// How long after `Date` a date is. One that is not later is a constant, as in
  /// `Expires: Thu, 01 Jan 1970 00:00:00 GMT`.
  private func distance(_ value: ArraySlice<UInt8>) -> String? {
    guard let date, let other = HTTPDate(parsing: value), other > date else { return nil }
    return "(date + \(other.secondsSince1970 - date.secondsSince1970) s)"
  }

  private func cookie(_ value: ArraySlice<UInt8>) -> String {
    value.split(separator: 0x3B, omittingEmptySubsequences: false).map { part in
      let start = part.drop { $0 == 0x20 }
      guard start.prefix(8).equalsIgnoringCase("expires=".utf8),
        let distance = distance(start.dropFirst(8))
      else { return String(escaping: part) }
      return String(escaping: part[..<(start.startIndex + 8)]) + distance
    }.joined(separator: ";")
  }

  /// A client draws the boundary of a multipart anew for each request.
  private func contentType(_ value: ArraySlice<UInt8>) -> String {
    guard case .multipart(let boundary) = ContentKind(contentType: value), !boundary.isEmpty else {
      return String(escaping: value)
    }
    return String(escaping: Array(value).replacing(boundary, with: Array("(boundary)".utf8)))
  }

  /// The port of a loopback address is that of a recorder or a test's own server.
  private func host(_ value: ArraySlice<UInt8>) -> String {
    for name in ["127.0.0.1", "localhost", "[::1]"] {
      let rest = value.dropFirst(name.utf8.count)
      if value.prefix(name.utf8.count).equalsIgnoringCase(name.utf8), rest.first == 0x3A,
        rest.count > 1, rest.dropFirst().allSatisfy(\.isDigit)
      {
        return "\(name):(port)"
      }
    }
    return String(escaping: value)
  }
}
