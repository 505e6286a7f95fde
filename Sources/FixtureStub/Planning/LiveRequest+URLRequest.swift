import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
#if canImport(Glibc)
  import Glibc
#endif

extension LiveRequest {
  /// - Parameter additional: of the configuration.
  init(
    _ request: URLRequest, _ url: LiveURL, _ additional: [AnyHashable: Any]?,
    _ content: Content
  ) {
    method = request.httpMethod ?? "GET"
    self.url = url
    // A dictionary has no order; this one is the same each time.
    fields = (request.allHTTPHeaderFields ?? [:]).map { (name: $0.key, value: $0.value) }
      .sorted { $0.name < $1.name }
    self.additional = (additional ?? [:]).compactMap { field in
      guard let name = field.key as? String, let value = field.value as? String else { return nil }
      return (name: name, value: value)
    }.sorted { $0.name < $1.name }
    self.content = content
    sender = .current
  }
}

extension LiveRequest.Sender {
  /// This process.
  static let current = LiveRequest.Sender(
    userAgent: "\(ProcessInfo.processInfo.processName) (unknown version) \(network)",
    language: Locale.current.language.languageCode?.identifier)

  #if canImport(Glibc)
    /// As URLSession calls libcurl: `curl/7.88.1`. Without a number where it is not to be found.
    private static var network: String {
      typealias Version = @convention(c) () -> UnsafePointer<CChar>?
      guard let symbol = dlsym(nil, "curl_version"),
        let text = unsafeBitCast(symbol, to: Version.self)().map({ String(cString: $0) })
      else { return "curl" }
      let word = text.prefix { $0 != " " }
      return word.hasPrefix("libcurl/") ? "curl/" + word.dropFirst("libcurl/".count) : "curl"
    }
  #else
    private static var network: String { "CFNetwork" }
  #endif
}
