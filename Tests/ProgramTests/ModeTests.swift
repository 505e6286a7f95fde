import Foundation
import Testing

/// Record modes do what their names say: `/a` was recorded, and its answer has changed since.
@Suite struct ModeTests {
  /// A cassette with `/a` = old, whose upstream now answers `/a` = new and anything else = other.
  private static func recorded() throws -> (recording: Recording, upstream: ScriptedUpstream) {
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let target = text(ScriptedUpstream.target(of: request))
        let content = connection.number == 0 ? "old" : target == "/a" ? "new" : "other"
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n\(content)")
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    #expect(try Client(port: recorder.port()).get("/a")?.text == "old")
    #expect(recorder.stop().status == 0)
    return (recording, upstream)
  }

  /// What `/a` and `/b` get, nil for a miss; what the upstream was asked; what the file then holds.
  struct Expected {
    let answers: [String?]
    let asked: [String]
    let targets: [String]
    let isUnchanged: Bool
  }

  static let modes: [(mode: String, expected: Expected)] = [
    ("once", Expected(answers: ["old", nil], asked: [], targets: ["/a"], isUnchanged: true)),
    ("none", Expected(answers: ["old", nil], asked: [], targets: ["/a"], isUnchanged: true)),
    (
      "new-episodes",
      Expected(
        answers: ["old", "other"], asked: ["/b"], targets: ["/a", "/b"], isUnchanged: false)
    ),
    (
      "all",
      Expected(
        answers: ["new", "other"], asked: ["/a", "/b"], targets: ["/a", "/b"], isUnchanged: false)
    ),
  ]

  @Test(arguments: modes)
  func `an existing file is played, added to or replaced, as the mode says`(
    mode: String, expected: Expected
  ) throws {
    let (recording, upstream) = try Self.recorded()
    let before = try recording.folder.states()
    let recorder = try recording.recorder(upstream, ["--no-redact", "--mode", mode])
    let client = try Client(port: recorder.port())
    let answers = try ["/a", "/b"].map { try #require(client.get($0)) }
    #expect(answers.map { $0.status == 501 ? nil : $0.text } == expected.answers)
    #expect(recorder.stop().status == 0)
    let asked = upstream.requests.dropFirst().map { text(ScriptedUpstream.target(of: $0)) }
    #expect(asked == expected.asked)
    #expect(try recording.folder.names() == ["x.db"])
    #expect(try (recording.folder.states() == before) == expected.isUnchanged)
    let targets = try recording.interactions().map { interaction in
      (interaction["request"] as? [String: Any])?["target"] as? String
    }
    #expect(targets == expected.targets)
    if mode == "all" {
      let replayer = try recording.replayer()
      #expect(try Client(port: replayer.port()).get("/a")?.text == "new")
    }
  }

  /// Who could not read the old file can't read the new one, not even while it is recorded.
  @Test func `a replacement has the permissions of what it replaces`() throws {
    let (recording, upstream) = try Self.recorded()
    let folder = recording.folder
    let permissions = { (name: String) in
      try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
    }
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: folder.path("x.db"))
    let recorder = try recording.recorder(upstream, ["--no-redact", "--mode", "all"])
    _ = try Client(port: recorder.port()).get("/a")
    for name in try folder.names() { #expect(try permissions(name) == 0o600, "\(name)") }
    #expect(recorder.stop().status == 0)
    #expect(try folder.names() == ["x.db"])
    #expect(try permissions("x.db") == 0o600)
  }

  @Test(arguments: modes.map(\.mode))
  func `a run that records nothing leaves the file as it was`(mode: String) throws {
    let (recording, upstream) = try Self.recorded()
    let before = try recording.folder.states()
    let recorder = try recording.recorder(upstream, ["--no-redact", "--mode", mode])
    let port = try recorder.port()
    if mode == "new-episodes" {
      #expect(try Client(port: port).get("/a")?.text == "old")
    }
    #expect(recorder.stop().status == 0)
    #expect(try recording.folder.states() == before)
  }

  @Test(arguments: ["once", "new-episodes", "all"])
  func `without a file each recording mode makes one, if there is something to record`(
    mode: String
  ) throws {
    let upstream = try ScriptedUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let recording = try Recording()
    let idle = try recording.recorder(upstream, ["--mode", mode])
    _ = try idle.port()
    #expect(idle.stop().status == 0)
    #expect(try recording.folder.names() == [])
    let recorder = try recording.recorder(upstream, ["--mode", mode])
    #expect(try Client(port: recorder.port()).get("/a")?.status == 200)
    #expect(recorder.stop().status == 0)
    #expect(try recording.folder.names() == ["x.db"])
  }

  @Test func `none without a file, and a file without a mode, are usage errors`() throws {
    let (recording, upstream) = try Self.recorded()
    let before = try recording.folder.states()
    let arguments = ["record", "--upstream", upstream.url, "--listen", "127.0.0.1:0"]
    let unsaid = try Program.run(arguments + ["x.db"], in: recording.folder)
    #expect(unsaid.status == 2)
    #expect(unsaid.errors.contains("x.db exists"))
    let none = try Program.run(arguments + ["--mode", "none", "y.db"], in: recording.folder)
    #expect(none.status == 2)
    #expect(none.errors.contains("y.db does not exist"))
    #expect(try recording.folder.states() == before)
  }
}
