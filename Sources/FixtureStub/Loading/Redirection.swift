import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where a redirect leads (RFC 9110 §15.4), decided as Apple's URLSession does.
enum Redirection {
  /// So many are followed; the next one is an error.
  static let redirectsMax = 20

  /// The request that follows a response; nil when none does.
  ///
  /// 303 makes a GET of everything but HEAD, 301 and 302 of POST; 307 and 308 keep method and
  /// content. What the request said to one origin alone (RFC 9110 §11.6.2) does not go to another.
  static func next(
    after request: URLRequest, status: Int, location: String?
  ) -> (request: URLRequest, keepsContent: Bool)? {
    guard let url = request.url, let location,
      let target = URL(string: location, relativeTo: url)?.absoluteURL,
      let scheme = target.scheme?.lowercased(), scheme == "http" || scheme == "https",
      target.host != nil
    else { return nil }
    let method = request.httpMethod ?? "GET"
    let becomesGet: Bool
    switch status {
    case 301, 302: becomesGet = method == "POST"
    case 303: becomesGet = method != "HEAD" && method != "GET"
    case 307, 308: becomesGet = false
    default: return nil
    }
    var next = request
    next.url = target
    if becomesGet {
      next.httpMethod = "GET"
      // The one that was set last takes the place of the other.
      next.httpBodyStream = nil
      next.httpBody = nil
      for name in contentFields { next.setValue(nil, forHTTPHeaderField: name) }
    }
    if !isSameOrigin(url, target) {
      for name in originFields { next.setValue(nil, forHTTPHeaderField: name) }
    }
    return (next, keepsContent: !becomesGet)
  }

  private static let contentFields = [
    "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Transfer-Encoding",
  ]
  private static let originFields = ["Authorization", "Cookie", "Host"]

  private static func isSameOrigin(_ left: URL, _ right: URL) -> Bool {
    func port(_ url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
    return left.scheme?.lowercased() == right.scheme?.lowercased()
      && left.host?.lowercased() == right.host?.lowercased() && port(left) == port(right)
  }
}
