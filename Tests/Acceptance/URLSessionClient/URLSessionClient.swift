import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Asks a server at the URL given for a fixed list of requests, through `URLSession`, and prints
/// what came of each: status, final URL without the port, fields in order of name, content.
///
/// Run against the recorder and then against the replay, it must print the same.
@main
struct URLSessionClient {
  static func main() async throws {
    guard CommandLine.arguments.count == 2, let base = URL(string: CommandLine.arguments[1]) else {
      print("usage: URLSessionClient URL")
      exit(2)
    }
    let session = URLSession(configuration: .ephemeral)
    for request in requests(base) {
      print(await result(request, session))
    }
    // Several at a time, on connections of their own.
    let bodies = await withTaskGroup(of: String.self) { group in
      for number in 0..<6 {
        group.addTask {
          let url = base.appending(path: "anything/parallel-\(number)")
          return await result(URLRequest(url: url), session)
        }
      }
      var bodies: [String] = []
      for await body in group {
        bodies.append(body)
      }
      return bodies
    }
    print(bodies.sorted().joined(separator: "\n"))
  }

  static func requests(_ base: URL) -> [URLRequest] {
    let targets = [
      "/get?a=1&b=two%20words", "/json", "/gzip", "/deflate", "/brotli", "/image/png",
      "/stream/10", "/stream-bytes/20000?seed=7&chunk_size=999", "/redirect/3",
      "/absolute-redirect/2", "/status/404", "/status/418", "/status/503", "/status/204",
      "/etag/abc", "/cookies/set?flavour=oat", "/cookies", "/encoding/utf8", "/uuid", "/uuid",
      "/delay/1", "/bytes/100000?seed=5",
    ]
    var requests = targets.map { target in
      var request = URLRequest(url: URL(string: base.absoluteString + target)!)
      request.timeoutInterval = 20
      return request
    }
    requests += ["POST", "PUT", "PATCH", "DELETE"].map { method in
      var request = URLRequest(url: base.appending(path: "anything/body"))
      request.httpMethod = method
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data("{\"method\": \"\(method)\"}".utf8)
      return request
    }
    var conditional = URLRequest(url: base.appending(path: "etag/abc"))
    conditional.setValue("\"abc\"", forHTTPHeaderField: "If-None-Match")
    var large = URLRequest(url: base.appending(path: "post"))
    large.httpMethod = "POST"
    large.httpBody = Data(repeating: 0x61, count: 2_000_000)
    return requests + [conditional, large]
  }

  static func result(_ request: URLRequest, _ session: URLSession) async -> String {
    let name = "\(request.httpMethod ?? "GET") \(request.url?.path ?? "")"
    do {
      let (data, response) = try await session.data(for: request)
      guard let response = response as? HTTPURLResponse else { return "\(name): not HTTP" }
      let fields = response.allHeaderFields
        .map { "\($0.key): \($0.value)" }
        .filter { !$0.hasPrefix("Connection:") && !$0.hasPrefix("Keep-Alive:") }
        .sorted()
      return """
        \(name): \(response.statusCode) at \(response.url?.path ?? "")
          \(fields.joined(separator: "\n  "))
          \(data.count) bytes: \(data.base64EncodedString())
        """
    } catch {
      return "\(name): \((error as? URLError)?.errorCode ?? 0) \(error.localizedDescription)"
    }
  }
}
