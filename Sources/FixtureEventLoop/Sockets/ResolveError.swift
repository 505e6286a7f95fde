/// A host name without an address.
package struct ResolveError: Error, Equatable, Sendable {
  /// The name as it was given.
  package let host: String
  /// Why, in getaddrinfo's words or ours.
  package let message: String
}

extension ResolveError: CustomStringConvertible {
  /// `getaddrinfo api.example.com: Name or service not known`
  package var description: String { "getaddrinfo \(host): \(message)" }
}
