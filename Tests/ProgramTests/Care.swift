import Foundation
import Testing

/// A recorded cassette to be looked after, made through the recorder.
struct Care {
  let recording: Recording
  var folder: Folder { recording.folder }

  /// Records a GET of each target, which is answered with its content.
  /// - Parameter answers: target, further field lines, content.
  init(
    _ answers: [(target: String, fields: String, content: [UInt8])], options: [String] = []
  ) throws {
    recording = try Recording()
    let upstream = try Self.upstream(answers)
    let recorder = try recording.recorder(upstream, options)
    let port = try recorder.port()
    for answer in answers {
      let request = "GET \(answer.target) HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"
      _ = try Answer.to(bytes(request), port: port)
    }
    let ended = recorder.stop()
    #expect(ended.status == 0, "\(ended.errors)")
    upstream.stop()
  }

  static func upstream(
    _ answers: [(target: String, fields: String, content: [UInt8])]
  ) throws -> ScriptedUpstream {
    let table = Dictionary(answers.map { (bytes($0.target), $0) }) { first, _ in first }
    return try ScriptedUpstream { connection in
      while let request = connection.request() {
        guard let answer = table[ScriptedUpstream.target(of: request)] else {
          connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
          continue
        }
        connection.send(
          bytes(
            "HTTP/1.1 200 OK\r\n\(answer.fields)Content-Length: \(answer.content.count)\r\n\r\n")
            + answer.content)
      }
    }
  }

  /// Runs `fixtured`, which has to end with this status.
  @discardableResult
  func run(
    _ arguments: [String], status: Int32 = 0, environment: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Program.Ended {
    let wrapper = environment.isEmpty ? [] : ["/usr/bin/env"] + environment.map { "\($0)=\($1)" }
    let ended = try Program(arguments, in: folder, through: wrapper).waitForEnd()
    #expect(
      ended.status == status, "\(arguments): \(ended.output)\(ended.errors)",
      sourceLocation: sourceLocation)
    return ended
  }

  /// What replay answers to a GET.
  func answer(_ target: String) throws -> String {
    let replayer = try recording.replayer()
    let answer = try Answer.to(
      bytes("GET \(target) HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"),
      port: replayer.port())
    #expect(replayer.stop().status == 0)
    return text(answer.bytes)
  }

  func dump(_ id: Int) throws -> String {
    try run(["inspect", recording.cassette, String(id)]).output
  }

  /// Whether the bytes stand anywhere in the cassette, as `strings` would find them.
  func holds(_ word: String) throws -> Bool {
    try folder.bytes(recording.cassette).firstRange(of: bytes(word)) != nil
  }

  /// The cassette is sound and nothing lies beside it.
  func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try run(["verify", recording.cassette], sourceLocation: sourceLocation)
    #expect(try folder.names() == [recording.cassette], sourceLocation: sourceLocation)
  }
}
