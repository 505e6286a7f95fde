/// The head of a response: status line and header section (RFC 9112 §4).
package struct ResponseHead: Equatable, Sendable {
  package var version: HTTPVersion
  /// 100–999.
  package var status: Int
  /// The reason phrase as opaque bytes; may be empty.
  package var reason: [UInt8]
  package var fields: FieldSection

  package init(
    version: HTTPVersion = .http11, status: Int, reason: [UInt8], fields: FieldSection = .init()
  ) {
    self.version = version
    self.status = status
    self.reason = reason
    self.fields = fields
  }

  /// 1xx (RFC 9110 §15.2).
  package var isInterim: Bool { status < 200 }
}
