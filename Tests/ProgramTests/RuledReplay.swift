import Testing

/// A replay by rules of a cassette with one request, which is answered with 200.
final class RuledReplay {
  /// The recorded answer.
  static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  let port: UInt16
  private let recording: Recording
  private let program: Program

  init(of request: [UInt8], by rules: [String], threads: Int = 2) throws {
    recording = try Self.recorded(request)
    let options = rules.flatMap { ["--rule", $0] } + ["--seed", "1", "--threads", "\(threads)"]
    program = try recording.replayer(options)
    port = try program.port()
  }

  func stop() -> Program.Ended { program.stop() }

  private static func recorded(_ request: [UInt8]) throws -> Recording {
    let recording = try Recording()
    let upstream = try ScriptedUpstream { connection in
      while connection.request() != nil { connection.send(ok) }
    }
    let recorder = try recording.recorder(upstream)
    _ = try Answer.to(request, port: recorder.port())
    #expect(recorder.stop().status == 0)
    upstream.stop()
    return recording
  }
}
