import FixtureHTTP
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A response as the app sees it.
final class ReplayedResponse: HTTPURLResponse, @unchecked Sendable {
  // As its superclass is: values that don't change, and an atomic one.

  #if canImport(FoundationNetworking)
    /// Who asks `url` on this thread must not learn it; 0: nobody.
    private let blindThread = Atomic<Int>(0)

    /// nil for a session that is about to take an authentication challenge in its own hands: up to
    /// Swift 6.3 a 401 with `WWW-Authenticate: Basic` then never ends, or is sent again over the
    /// network. One from nowhere is passed on as it is.
    override var url: URL? {
      let blind = blindThread.load(ordering: .relaxed)
      return blind != 0 && blind == Self.thread ? nil : super.url
    }

    func withoutChallenge(_ finish: () -> Void) {
      guard statusCode == 401 else { return finish() }
      blindThread.store(Self.thread, ordering: .relaxed)
      finish()
      blindThread.store(0, ordering: .relaxed)
    }

    private static var thread: Int { ObjectIdentifier(Thread.current).hashValue | 1 }
  #else
    func withoutChallenge(_ finish: () -> Void) { finish() }
  #endif

  /// - Parameter head: as it is on the wire.
  static func make(_ head: ResponseHead, for url: URL) -> ReplayedResponse? {
    ReplayedResponse(
      url: url, statusCode: head.status, httpVersion: "HTTP/1.1", headerFields: fields(of: head))
  }

  /// Repeated fields are one, as in URLSession's responses (RFC 9110 §5.3).
  private static func fields(of head: ResponseHead) -> [String: String] {
    var names: [String: String] = [:]
    var fields: [String: String] = [:]
    for index in 0..<head.fields.count {
      let name = String(decoding: head.fields.name(at: index), as: UTF8.self)
      let value = String(decoding: head.fields.value(at: index), as: UTF8.self)
      let first = names[name.lowercased(), default: name]
      names[name.lowercased()] = first
      fields[first] = fields[first].map { $0 + ", " + value } ?? value
    }
    return fields
  }
}
