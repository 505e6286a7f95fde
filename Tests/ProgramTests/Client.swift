/// A client that keeps its connection and reads whole responses, for tests about many exchanges.
final class Client {
  private let socket: RawSocket
  private var pending: [UInt8] = []

  init(port: UInt16) throws { socket = try RawSocket(port: port) }

  struct Response: Equatable {
    let head: String
    /// Without the chunked coding.
    let content: [UInt8]

    var status: Int { Int(head.split(separator: " ")[1]) ?? 0 }
    var text: String { String(decoding: content, as: UTF8.self) }
  }

  /// Sends a request and reads its response.
  /// - Returns: nil when the connection ends before the response does.
  func exchange(_ request: [UInt8]) -> Response? {
    socket.send(request)
    return response()
  }

  func get(_ target: String) -> Response? {
    exchange(BytesTests.request(target))
  }

  /// Only sends: `response` reads.
  func send(_ request: [UInt8]) { socket.send(request) }

  /// - Parameter hasContent: false for the answer to HEAD.
  func response(hasContent: Bool = true) -> Response? {
    guard let head = take(upTo: "\r\n\r\n") else { return nil }
    let text = String(decoding: head, as: UTF8.self)
    guard hasContent else { return Response(head: text, content: []) }
    let lines = text.lowercased().split(separator: "\r\n")
    if lines.contains("transfer-encoding: chunked") {
      return chunks().map { Response(head: text, content: $0) }
    }
    let length = lines.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) }
    return take(count: length ?? 0).map { Response(head: text, content: $0) }
  }

  /// Waits until this many bytes are here that nobody has read.
  func holds(count: Int) -> Bool {
    while pending.count < count { guard fill() else { return false } }
    return true
  }

  private func chunks() -> [UInt8]? {
    var content: [UInt8] = []
    while let line = take(upTo: "\r\n") {
      guard let size = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16),
        let chunk = take(count: size + 2)
      else { return nil }
      if size == 0 { return content }
      content += chunk.dropLast(2)
    }
    return nil
  }

  private func take(upTo end: String) -> [UInt8]? {
    let end = Array(end.utf8)
    while true {
      if let found = pending.firstRange(of: end) {
        return take(count: found.upperBound)
      }
      guard fill() else { return nil }
    }
  }

  private func take(count: Int) -> [UInt8]? {
    guard holds(count: count) else { return nil }
    defer { pending.removeSubrange(..<count) }
    return Array(pending[..<count])
  }

  private func fill() -> Bool {
    let (received, _) = socket.receive { !$0.isEmpty }
    pending += received
    return !received.isEmpty
  }
}
