import Foundation
import Testing

@Suite struct PrintCommandTests {
  /// Statuses and receipts of some requests.
  private static func met(_ port: UInt16) throws -> [String] {
    let client = try Client(port: port)
    return (0..<20).map { number in
      let head = client.get("/c?ts=\(number)")?.head ?? "nothing"
      let lines = head.split(separator: "\r\n").filter { !$0.hasPrefix("Date: ") }
      return lines.joined(separator: "|")
    }
  }

  @Test func `the printed line, run by a shell, gives the same faults`() throws {
    let recording = try Recording()
    let upstream = try ScriptedUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
    let recorder = try recording.recorder(upstream)
    _ = try Client(port: recorder.port()).get("/c?ts=0")
    #expect(recorder.stop().status == 0)
    upstream.stop()
    let name = "it's a \"lab\" $HOME.rules"
    try Data("GET /c: chance 40%, status 503, retry-after 1s".utf8)
      .write(to: recording.folder.url.appendingPathComponent(name))
    // No seed is given: one is drawn, and told.
    let replayer = try recording.replayer([
      "--print-command", "--receipts", "--quiet", "--scenario", name, "--match", "-query",
      "--rule", #"*: chance 30%, set X-Text "it's \"so\", 100 %""#,
    ])
    let met = try Self.met(replayer.port())
    #expect(met.contains { $0.contains(" 503 ") } && met.contains { $0.contains("it's \"so\"") })
    let errors = replayer.stop().errors
    let line = try #require(errors.split(separator: "\n").first { $0.hasPrefix("fixtured ") })
    #expect(line.contains(" --seed "))
    let bin = recording.folder.url.appendingPathComponent("bin")
    try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: bin.appendingPathComponent("fixtured").path, withDestinationPath: Program.path)
    let again = try Program(
      [], in: recording.folder,
      through: ["/bin/sh", "-c", "PATH=\"$PWD/bin:$PATH\"; export PATH; exec \(line)"])
    #expect(try Self.met(again.port()) == met)
    #expect(again.stop().status == 0)
  }
}
