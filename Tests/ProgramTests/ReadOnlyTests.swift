import Foundation
import Testing

/// A replay writes nothing, not even beside the cassette.
@Suite struct ReadOnlyTests {
  private static let targets = (0..<20).map { "/\($0)" }

  private static func recorded() throws -> (recording: Recording, upstream: ScriptedUpstream) {
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let target = text(ScriptedUpstream.target(of: request))
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(target.count)\r\n\r\n\(target)")
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let client = try Client(port: recorder.port())
    for target in targets { #expect(client.get(target)?.text == target) }
    #expect(recorder.stop().status == 0)
    return (recording, upstream)
  }

  /// Asks two replays at once for everything, several times.
  private static func replay(_ replayers: [Program]) throws {
    let clients = try replayers.map { try Client(port: $0.port()) }
    for _ in 0..<3 {
      for target in targets {
        for client in clients { #expect(client.get(target)?.text == target) }
      }
    }
    for replayer in replayers { #expect(replayer.stop().status == 0) }
  }

  @Test func `two replays at once leave file and folder as they were`() throws {
    let (recording, _) = try Self.recorded()
    let before = try recording.folder.states()
    try Self.replay([recording.replayer(), recording.replayer()])
    #expect(try recording.folder.states() == before)
  }

  private static let setpriv = "/usr/bin/setpriv"

  /// Runs a program without the right to write what the permissions do not let it write: as it is,
  /// or, for root, without the capabilities that set permissions aside.
  private static var unprivileged: [String] {
    let rights = "-dac_override,-dac_read_search"
    return geteuid() == 0 ? [setpriv, "--inh-caps=\(rights)", "--bounding-set=\(rights)"] : []
  }

  private static var canDropRights: Bool {
    geteuid() != 0 || FileManager.default.isExecutableFile(atPath: setpriv)
  }

  @Test(.enabled(if: canDropRights, "needs setpriv to give up root's rights"))
  func `a file and a folder that nobody may write are enough`() throws {
    let (recording, upstream) = try Self.recorded()
    let folder = recording.folder.path("only")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: recording.folder.path("x.db"), toPath: "\(folder)/x.db")
    chmod("\(folder)/x.db", 0o444)
    chmod(folder, 0o555)
    // So that the folder can be removed.
    defer { chmod(folder, 0o755) }
    let before = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/x.db"))
    let listen = ["--listen", "127.0.0.1:0"]
    try Self.replay(
      try (0..<2).map { _ in
        try Program(
          ["replay"] + listen + ["only/x.db"], in: recording.folder, through: Self.unprivileged)
      })
    // The permissions do hold: recording is refused.
    let refused = try Program(
      ["record", "--upstream", upstream.url, "--mode", "all"] + listen + ["only/x.db"],
      in: recording.folder, through: Self.unprivileged
    ).waitForEnd()
    #expect(refused.status == 1)
    #expect(refused.errors.contains("only/x.db"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["x.db"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/x.db")) == before)
  }

  /// Larger than what is kept in memory, so that it has to be read from what is left.
  @Test func `a cassette that is cut while it is replayed fails, and nothing looks whole`() throws {
    let content = String(repeating: "x", count: 3 << 20)
    let upstream = try ScriptedUpstream.answering(
      "HTTP/1.1 200 OK\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)")
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    #expect(try Client(port: recorder.port()).get("/")?.content.count == content.utf8.count)
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer()
    let port = try replayer.port()
    truncate(recording.folder.path("x.db"), 50_000)
    let answer = try Answer.to(BytesTests.request("/"), port: port)
    #expect(answer.end == .reset)
    #expect(answer.bytes.count < content.utf8.count)
    let ended = replayer.stop()
    #expect(ended.status == 1)
    #expect(ended.errors.contains("fixtured: x.db: "))
  }
}
