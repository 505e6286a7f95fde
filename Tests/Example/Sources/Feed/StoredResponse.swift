import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A response that may be used again (RFC 9111).
struct StoredResponse<Time: Clock>: Sendable where Time.Duration == Duration {
  let content: Data
  /// For a conditional request (RFC 9110 §13.1.2); nil: it can't be revalidated.
  let entityTag: String?
  private let lifetime: Duration
  /// How old it was when it came (RFC 9111 §5.1).
  private let ageAtArrival: Duration
  private let arrived: Time.Instant

  /// nil when the response must not be stored, or would be of no use.
  init?(_ response: HTTPURLResponse, content: Data, arrived: Time.Instant) {
    let directives = (response.value(forHTTPHeaderField: "Cache-Control") ?? "")
      .split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    guard response.statusCode == 200, !directives.contains("no-store") else { return nil }
    entityTag = response.value(forHTTPHeaderField: "ETag")
    let maxAge = directives.first { $0.hasPrefix("max-age=") }.flatMap { Int($0.dropFirst(8)) }
    lifetime = directives.contains("no-cache") ? .zero : .seconds(maxAge ?? 0)
    ageAtArrival = .seconds(response.value(forHTTPHeaderField: "Age").flatMap(Int.init) ?? 0)
    guard lifetime > .zero || entityTag != nil else { return nil }
    self.content = content
    self.arrived = arrived
  }

  /// RFC 9111 §4.2.
  func isFresh(at now: Time.Instant) -> Bool {
    ageAtArrival + arrived.duration(to: now) < lifetime
  }
}
