/// The head of a request: request line and header section (RFC 9112 §3).
package struct RequestHead: Equatable, Sendable {
  package var method: Method
  /// The request target exactly as sent (RFC 9112 §3.2); never decoded or normalized.
  package var target: [UInt8]
  package var version: HTTPVersion
  package var fields: FieldSection

  package init(
    method: Method, target: [UInt8], version: HTTPVersion = .http11, fields: FieldSection = .init()
  ) {
    self.method = method
    self.target = target
    self.version = version
    self.fields = fields
  }
}
