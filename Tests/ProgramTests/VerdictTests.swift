import Foundation
import Testing

/// What a replay says of its client at its end.
@Suite struct VerdictTests {
  private let get = bytes("GET /feed HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
  private let other = bytes("GET /user HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

  private func recorded() throws -> Recording {
    let recording = try Recording()
    let upstream = try ScriptedUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let recorder = try recording.recorder(upstream)
    for request in [get, other] { _ = try Answer.to(request, port: recorder.port()) }
    #expect(recorder.stop().status == 0)
    upstream.stop()
    return recording
  }

  private struct Written: Decodable, Equatable {
    struct Finding: Decodable, Equatable {
      let check: String
      let exchanges: [Int]
    }
    let version: Int
    let judged: Int
    let dropped: Int
    let failed: [String]
    let findings: [Finding]
  }

  @Test func `a client that comes too early fails the replay, and the evidence is written`()
    throws
  {
    let recording = try recorded()
    let replayer = try recording.replayer([
      "--rule", "GET /feed: first 1, status 503, retry-after 30s", "--verdict", "verdict.json",
      "--fail-on", "retry-after,misses",
    ])
    for _ in 0..<2 { _ = try Answer.to(get, port: replayer.port()) }
    let ended = replayer.stop()
    #expect(ended.status == 1)
    #expect(ended.errors.contains("verdict: retry-after: GET /feed was repeated after "))
    #expect(ended.errors.contains("its answer said after 30 s (exchanges 1, 2)"))
    let written = try JSONDecoder().decode(
      Written.self, from: Data(try recording.folder.bytes("verdict.json")))
    #expect(
      written
        == Written(
          version: 1, judged: 2, dropped: 0,
          failed: ["retry-after", "retry-at-once", "unused"].filter(written.failed.contains),
          findings: written.findings))
    #expect(written.findings.first == .init(check: "retry-after", exchanges: [1, 2]))
  }

  @Test func `where a verdict can't be written, nothing is replayed`() throws {
    let recording = try recorded()
    let ended = try Program.run(
      ["replay", "--listen", "127.0.0.1:0", "--verdict", "none/verdict.json", recording.cassette],
      in: recording.folder)
    #expect(ended.status == 1)
    #expect(ended.output == "")
    #expect(
      ended.errors == "fixtured: the verdict could not be written, open: No such file or directory,"
        + " none/verdict.json, name another FILE\n")
  }

  @Test func `an older verdict does not outlast the start of a replay`() throws {
    let recording = try recorded()
    let file = recording.folder.url.appendingPathComponent("verdict.json")
    try Data("{\"failed\":[]}".utf8).write(to: file)
    let replayer = try recording.replayer(["--verdict", "verdict.json"])
    _ = try replayer.port()
    #expect(replayer.stop(SIGKILL).status == 128 + SIGKILL)
    #expect(try Data(contentsOf: file).isEmpty)
  }

  @Test func `a client that does nothing wrong passes`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer(["--fail-on", "retry-after,misses,unused"])
    for request in [get, other] { _ = try Answer.to(request, port: replayer.port()) }
    let ended = replayer.stop()
    #expect(ended.status == 0)
    #expect(ended.errors.contains("verdict: nothing against the client in 2 exchanges"))
  }

  @Test func `connections in use at once are held against their limit`() throws {
    let recording = try recorded()
    let replayer = try recording.replayer([
      "--rule", "*: delay 30s", "--fail-on", "connections", "--connections-max", "1",
      "--threads", "1",
    ])
    let first = try RawSocket(port: replayer.port())
    let second = try RawSocket(port: replayer.port())
    #expect(first.send(get))
    #expect(second.send(other))
    // Both heads were read when a third is answered by the miss.
    _ = try Answer.to(
      bytes("GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
      port: replayer.port())
    let ended = replayer.stop()
    #expect(ended.status == 1)
    #expect(ended.errors.contains("verdict: connections: "))
  }

  @Test(arguments: [
    (["--fail-on", "retry-early"], "give names of checks"),
    (["--fail-on", "connections"], "give --connections-max N"),
    (["--fail-on", "after-end"], "leave it out"),
    (["--connections-max", "0"], "a number from 1"),
  ])
  func `what can't be judged is refused`(_ options: [String], _ reason: String) throws {
    let ended = try Program.run(["replay", "x.db"] + options, in: Folder())
    #expect(ended.status == 2)
    #expect(ended.errors.contains(reason))
  }
}
