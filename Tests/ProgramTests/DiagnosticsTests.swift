import Foundation
import Testing

/// What it says while it serves.
@Suite struct DiagnosticsTests {
  /// A program that starts it with a pipe and never reads from that is a common mistake.
  @Test(arguments: ["record", "replay"])
  func `serving and stopping don't wait for a reader of standard error`(command: String) throws {
    let upstream = try ScriptedUpstream.answering("HTTP/1.1 204 No Content\r\n\r\n")
    let recording = try Recording()
    var arguments = ["record", "--upstream", upstream.url]
    if command == "replay" {
      _ = try recording.both(upstream, [BytesTests.getRequest])
      arguments = ["replay"]
    }
    let errors = Pipe()
    let program = try Program(
      arguments + ["--listen", "127.0.0.1:0", recording.cassette], in: recording.folder,
      errors: errors)
    let client = try RawSocket(port: program.port())
    // A line for each: more than a pipe holds.
    for number in 0..<1500 {
      let target = "/\(number)/" + String(repeating: "x", count: 80)
      client.send("GET \(target) HTTP/1.1\r\nHost: a.test\r\n\r\n")
      let answer = client.receive(within: .seconds(3)) { !$0.isEmpty }
      try #require(answer.bytes.starts(with: bytes("HTTP/1.1 ")), "request \(number)")
    }
    let ended = program.stop()
    #expect(ended.status == 0)
    #expect(ended.duration < .seconds(2))
    withExtendedLifetime(errors) {}
  }
}
