import Foundation
import Testing

/// A recorder in front of an upstream, and then a replay of what it wrote: the two halves that most
/// tests compare.
struct Recording {
  let folder: Folder
  let cassette = "x.db"

  init() throws { folder = try Folder() }

  /// Starts a recorder.
  func recorder(
    _ upstream: ScriptedUpstream, _ options: [String] = ["--no-redact"], limits: String? = nil
  ) throws -> Program {
    try Program(
      ["record", "--upstream", upstream.url, "--listen", "127.0.0.1:0"] + options + [cassette],
      in: folder, limits: limits)
  }

  func replayer(_ options: [String] = []) throws -> Program {
    try Program(["replay", "--listen", "127.0.0.1:0"] + options + [cassette], in: folder)
  }

  /// How each interaction of the cassette ended, in order.
  func outcomes() throws -> [String] {
    try interactions().map { $0["outcome"] as? String ?? "" }
  }

  /// What `inspect --json` lists.
  func interactions() throws -> [[String: Any]] {
    let ended = try Program.run(["inspect", cassette, "--json"], in: folder)
    #expect(ended.status == 0, "\(ended.errors)")
    let json = try JSONSerialization.jsonObject(with: Data(ended.output.utf8))
    return try #require((json as? [String: Any])?["interactions"] as? [[String: Any]])
  }

  /// Sends each request on a connection of its own through a recorder, ends it and the upstream,
  /// and does the same to a replay with the dates as recorded.
  func both(
    _ upstream: ScriptedUpstream, _ requests: [[UInt8]], options: [String] = ["--no-redact"],
    within timeout: Duration? = nil
  ) throws -> (recorded: [Answer], replayed: [Answer]) {
    let recorder = try recorder(upstream, options)
    let recorded = try requests.map { try Answer.to($0, port: recorder.port(), within: timeout) }
    let ended = recorder.stop()
    #expect(ended.status == 0, "\(ended.errors)")
    upstream.stop()
    let replayer = try replayer(["--date", "recorded"])
    let replayed = try requests.map { try Answer.to($0, port: replayer.port(), within: timeout) }
    #expect(replayer.stop().status == 0)
    return (recorded, replayed)
  }
}

/// What a raw client got.
struct Answer: Equatable, CustomStringConvertible {
  let bytes: [UInt8]
  let end: RawSocket.End

  /// Sends bytes and receives until the connection ends or nothing more comes.
  /// - Parameter timeout: nil: a moment after the last that came.
  static func to(
    _ request: [UInt8], port: UInt16, within timeout: Duration? = nil
  ) throws -> Answer {
    let socket = try RawSocket(port: port)
    socket.send(request)
    let (bytes, end) = timeout.map { socket.receive(within: $0) } ?? socket.receiveAnswer()
    return Answer(bytes: bytes, end: end)
  }

  var description: String { "\(String(decoding: bytes, as: UTF8.self).debugDescription) \(end)" }

  /// The field lines and content without the fields of the connection itself.
  var endToEnd: [UInt8] {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return bytes }
    var lines = bytes[..<end.lowerBound].split(separator: 0x0A, omittingEmptySubsequences: false)
    lines.removeAll { line in
      let text = String(decoding: line, as: UTF8.self).lowercased()
      return text.hasPrefix("connection:") || text.hasPrefix("keep-alive:")
    }
    return Array(lines.joined(separator: [0x0A])) + bytes[end.lowerBound...]
  }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
