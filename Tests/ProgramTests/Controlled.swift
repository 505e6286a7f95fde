import Foundation
import Synchronization
import Testing

/// A replay with its control API, and JSON from it.
final class Controlled {
  let recording: Recording
  let program: Program
  let port: UInt16
  let control: UInt16

  convenience init(_ options: [String] = [], targets: [String] = ["/feed", "/user"]) throws {
    let recording = try Recording()
    let upstream = try ScriptedUpstream.answering(
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let recorder = try recording.recorder(upstream)
    for target in targets { _ = try Answer.to(Self.get(target), port: recorder.port()) }
    #expect(recorder.stop().status == 0)
    upstream.stop()
    try self.init(recording: recording, options)
  }

  init(recording: Recording, _ options: [String] = []) throws {
    self.recording = recording
    program = try recording.replayer(["--control", "127.0.0.1:0"] + options)
    port = try program.port()
    control = try program.controlPort()
  }

  static func get(_ target: String) -> [UInt8] {
    bytes("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
  }

  func status(_ target: String, port: UInt16? = nil) throws -> Int {
    try Answer.to(Self.get(target), port: port ?? self.port).status
  }

  /// - Parameter fields: further ones, each with its CRLF.
  func ask(
    _ line: String, _ content: String? = nil, host: String? = nil, fields: String = ""
  ) throws -> (status: Int, json: [String: Any]) {
    let type = content == nil ? "" : "Content-Type: application/json\r\n"
    let length = "Content-Length: \((content ?? "").utf8.count)\r\n"
    let head =
      "\(line) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(control)")\r\nConnection: close\r\n"
    let answer = try Answer.to(
      bytes(head + type + length + fields + "\r\n" + (content ?? "")), port: control)
    let json = try JSONSerialization.jsonObject(with: Data(answer.content))
    return (answer.status, try #require(json as? [String: Any]))
  }

  /// Makes a session.
  func session(_ content: String) throws -> (id: String, port: UInt16) {
    let (status, json) = try ask("POST /v1/sessions", content)
    #expect(status == 201)
    let urls = try #require(json["urls"] as? [[String: Any]])
    let url = try #require((urls.first?["url"] as? String).flatMap { URL(string: $0) })
    return (try #require(json["id"] as? String), UInt16(try #require(url.port)))
  }

  /// Whether a port is refused that a session had whose answers hold `mark`. Where another test has
  /// been given the port since, what that answers has no such mark.
  func isRefused(_ port: UInt16, mark: String) throws -> Bool {
    if let errno = RawSocket.attempt(port: port, within: .seconds(5)).errno {
      return errno == ECONNREFUSED
    }
    let answer = try Answer.to(Self.get("/feed"), port: port, within: .seconds(5))
    return answer.end != .open && !text(answer.bytes).contains(mark)
  }

  /// Waits until a session has so many exchanges.
  func waitForExchanges(_ count: Int, in id: String) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      let (_, json) = try ask("GET /v1/sessions/\(id)")
      if (json["exchanges"] as? Int ?? 0) >= count { return }
    }
    Issue.record("there are no \(count) exchanges in \(id)")
  }
}

/// Clients that ask for the same target again and again, each on a connection that it keeps.
final class Load: Sendable {
  private struct State {
    var isOver = false
    var statuses: Set<Int> = []
    var failures = 0
  }

  private let state = Mutex(State())
  private let group = DispatchGroup()

  init(target: String, port: UInt16, connections: Int) {
    for _ in 0..<connections {
      DispatchQueue.global().async(group: group) { [self] in
        guard let socket = try? RawSocket(port: port) else {
          return state.withLock { $0.failures += 1 }
        }
        while !state.withLock({ $0.isOver }) {
          let isSent = socket.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
          let (received, end) = socket.receive(within: .seconds(30)) {
            Answer(bytes: $0, end: .open).isWhole
          }
          let status = Answer(bytes: received, end: end).status
          state.withLock { state in
            if isSent, status > 0 { state.statuses.insert(status) } else { state.failures += 1 }
          }
          if end != .open { return }
        }
      }
    }
  }

  func end() {
    state.withLock { $0.isOver = true }
    group.wait()
  }

  var statuses: Set<Int> { state.withLock { $0.statuses } }
  var failures: Int { state.withLock { $0.failures } }
}

extension Answer {
  /// 0 for what is no response.
  var status: Int {
    let words = text(bytes.prefix(16)).split(separator: " ")
    return words.count > 1 ? Int(words[1]) ?? 0 : 0
  }

  var content: [UInt8] {
    bytes.firstRange(of: Array("\r\n\r\n".utf8)).map { Array(bytes[$0.upperBound...]) } ?? []
  }

  /// Whether the content is there that the head tells of.
  var isWhole: Bool {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
    let lines = text(bytes[..<end.lowerBound]).lowercased().split(separator: "\r\n")
    let length = lines.first { $0.hasPrefix("content-length:") }?.dropFirst(15)
    return content.count >= Int(length?.trimmingCharacters(in: .whitespaces) ?? "0") ?? 0
  }
}

extension RawSocket {
  /// Sends a request on a connection that is kept, and receives its answer.
  func ask(_ request: String) -> Answer {
    send(request)
    let (bytes, end) = receive(within: .seconds(30)) { Answer(bytes: $0, end: .open).isWhole }
    return Answer(bytes: bytes, end: end)
  }
}
