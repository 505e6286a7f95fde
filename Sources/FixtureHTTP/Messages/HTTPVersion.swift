/// A protocol version as in `HTTP/1.1` (RFC 9110 §2.5); each part is one digit in HTTP/1.
package struct HTTPVersion: Hashable, Sendable, Comparable {
  package var major: UInt8
  package var minor: UInt8

  package init(major: UInt8, minor: UInt8) {
    self.major = major
    self.minor = minor
  }

  package static let http10 = HTTPVersion(major: 1, minor: 0)
  package static let http11 = HTTPVersion(major: 1, minor: 1)

  package static func < (left: HTTPVersion, right: HTTPVersion) -> Bool {
    left.major < right.major || (left.major == right.major && left.minor < right.minor)
  }

  // The one that `Comparable` gives is generic, and every request asks.
  package static func >= (left: HTTPVersion, right: HTTPVersion) -> Bool { !(left < right) }

  /// `HTTP/1.1`, as it stands on the wire and in a cassette.
  package var description: String {
    switch self {
    // Spelled out, because each message that is recorded asks.
    case .http11: "HTTP/1.1"
    case .http10: "HTTP/1.0"
    default: "HTTP/\(major).\(minor)"
    }
  }
}
