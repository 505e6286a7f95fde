import FixtureCassette
import FixtureHTTP
import FixtureStore
import Testing

@testable import fixtured

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What becomes of the interactions of several cassettes in one.
@Suite struct MergeTests {
  private let folder = ScratchFolder()

  /// `target answer` each, recorded one after the other from `start` on.
  private func cassette(
    _ name: String, _ words: [String], start: Int64 = 1, redacted: Int64 = 0,
    upstream: String = "http://a.test"
  ) throws -> String {
    let drafts = words.enumerated().map { index, word in
      let parts = word.split(separator: " ").map(String.init)
      var interaction = Sample.interaction(
        id: Int64(index) + 1, request: RequestHead(method: .get, target: Array(parts[0].utf8)))
      interaction.startedAt_us = start * 1000 + Int64(index)
      if word.contains("REDACTED") { interaction.notes = [.redacted] }
      interaction.response?.head.fields = fields(("Content-Length", "\(parts[1].utf8.count)"))
      return Sample.draft(interaction, response: parts[1])
    }
    return try folder.cassette(
      drafts,
      description: CassetteDescription(
        upstreams: [.init(name: nil, url: upstream)], redactedCount: redacted), named: name)
  }

  /// Number, target and answer of each interaction.
  private func words(_ path: String) throws -> [String] {
    let reader = try CassetteReader(path: path)
    return try reader.interactionIDs().map { id in
      let interaction = try reader.interaction(id: id)
      let body = try reader.excerpt(interaction.response?.body, of: nil)
      let answer = String(decoding: body?.stored.beginning ?? [], as: UTF8.self)
      #expect(
        interaction.response?.head.fields.first(.contentLength).map {
          String(decoding: $0, as: UTF8.self)
        }
          == "\(answer.utf8.count)")
      return "\(id) \(String(decoding: interaction.request.target, as: UTF8.self)) \(answer)"
    }
  }

  private func merge(_ paths: [String], git: Bool = false) throws -> [String] {
    if git {
      #expect(Fixtured.status(for: ["merge", "--git"] + paths) == .success)
      return try words(paths[1])
    }
    let output = folder.file("out.db")
    #expect(Fixtured.status(for: ["merge"] + paths + ["-o", output]) == .success)
    #expect(try CassetteVerifier.verify(path: output).isSound)
    return try words(output)
  }

  @Test func `what came before is left out, sequences stay`() throws {
    let first = try cassette("1.db", ["/a 1", "/poll wait", "/poll wait", "/poll done"])
    let second = try cassette("2.db", ["/poll wait", "/b 2", "/a 3", "/poll wait", "/poll wait"])
    #expect(
      try merge([first, second]) == [
        "1 /a 1", "2 /poll wait", "3 /poll wait", "4 /poll done", "5 /b 2", "6 /a 3",
        "7 /poll wait",
      ])
  }

  @Test func `what was recorded again is the same but for dates and the port of Host`() throws {
    func cassette(_ name: String, _ second: Int, port: Int) throws -> String {
      var interaction = Sample.interaction(
        id: 1, request: RequestHead(method: .get, target: Array("/a".utf8)))
      interaction.startedAt_us = Int64(second) * 1_000_000
      interaction.request.fields = fields(("Host", "127.0.0.1:\(port)"))
      interaction.response?.head.fields = fields(
        ("Date", "Sun, 06 Nov 1994 08:49:0\(second) GMT"),
        ("Expires", "Sun, 06 Nov 1994 08:50:0\(second) GMT"), ("Content-Length", "1"))
      return try folder.cassette(
        [Sample.draft(interaction, response: "x")],
        description: CassetteDescription(upstreams: [.init(name: nil, url: "http://a.test")]),
        named: name)
    }
    let first = try cassette("1.db", 1, port: 40_001)
    let second = try cassette("2.db", 2, port: 40_002)
    #expect(try merge([first, second]) == ["1 /a x"])
  }

  @Test func `a cassette merged with itself stays the same`() throws {
    let path = try cassette("1.db", ["/a REDACTED-1", "/a REDACTED-2", "/b x"], redacted: 2)
    #expect(try merge([path, path, path]) == ["1 /a REDACTED-1", "2 /a REDACTED-2", "3 /b x"])
  }

  @Test func `different secrets keep different numbers`() throws {
    let first = try cassette("1.db", ["/a?token=REDACTED-1 REDACTED-2"], redacted: 2)
    let second = try cassette(
      "2.db", ["/a?token=REDACTED-1 REDACTED-1,REDACTED-3"], start: 2, redacted: 3)
    #expect(
      try merge([first, second]) == [
        "1 /a?token=REDACTED-1 REDACTED-2", "2 /a?token=REDACTED-3 REDACTED-3,REDACTED-5",
      ])
    #expect(try CassetteReader(path: folder.file("out.db")).description.redactedCount == 5)
  }

  @Test func `copies of one recording keep the numbers of what they share`() throws {
    let first = try cassette("1.db", ["/a REDACTED-1", "/x REDACTED-2"], redacted: 2)
    let second = try cassette(
      "2.db", ["/a REDACTED-1", "/y REDACTED-1", "/z REDACTED-2"], redacted: 2)
    #expect(
      try merge([first, second]) == [
        "1 /a REDACTED-1", "2 /x REDACTED-2", "3 /y REDACTED-1", "4 /z REDACTED-4",
      ])
  }

  @Test func `upstreams get names when there are several`() throws {
    let first = try cassette("1.db", ["/a 1"])
    let second = try cassette("2.db", ["/a 1"], upstream: "http://b.test")
    #expect(try merge([first, second]) == ["1 /a 1", "2 /a 1"])
    let reader = try CassetteReader(path: folder.file("out.db"))
    #expect(reader.description.upstreams.map(\.name) == ["a-test", "b-test"])
    #expect(try reader.interaction(id: 2).upstream == "b-test")
  }

  @Test func `an output that exists is left alone`() throws {
    let path = try cassette("1.db", ["/a 1"])
    let before = try File.contents(path)
    #expect(Fixtured.status(for: ["merge", path, path, "-o", path]) == .failure)
    #expect(try File.contents(path) == before)
  }

  // MARK: For git

  @Test func `what one side added and the other changed is in both`() throws {
    let base = try cassette("o.db", ["/a 1", "/b 2", "/c 3"])
    let ours = try cassette("a.db", ["/a 1", "/b 2", "/c 3", "/ours x"])
    // Theirs took /b out, changed /a and recorded two more.
    let theirs = try cassette("b.db", ["/a 9", "/new y", "/c 3", "/new z"])
    let status = Fixtured.status(for: ["merge", "--git", base, ours, theirs])
    #expect(status == .success)
    // /c began at another microsecond in theirs, but not in ours: it is theirs that changed it.
    #expect(
      try words(ours) == ["1 /a 9", "3 /c 3", "4 /ours x", "5 /new y", "6 /new z"])
  }

  @Test func `both sides recorded the same, each for itself`() throws {
    let base = try cassette("o.db", ["/a 1"])
    let ours = try cassette("a.db", ["/a 1", "/b 1"])
    let theirs = try cassette("b.db", ["/a 1", "/new 3", "/b 1"])
    #expect(try merge([base, ours, theirs], git: true) == ["1 /a 1", "2 /b 1", "3 /new 3"])
  }

  @Test func `both sides changed the same in the same way`() throws {
    let base = try cassette("o.db", ["/a 1"])
    let ours = try cassette("a.db", ["/a 2", "/b 1"])
    let theirs = try cassette("b.db", ["/a 2"])
    #expect(try merge([base, ours, theirs], git: true) == ["1 /a 2", "2 /b 1"])
  }

  @Test func `both sides changed the same in different ways`() throws {
    let base = try cassette("o.db", ["/a 1", "/b 1"])
    let ours = try cassette("a.db", ["/a 2", "/b 1"])
    let theirs = try cassette("b.db", ["/a 3", "/b 2"])
    #expect(Fixtured.status(for: ["merge", "--git", base, ours, theirs]) == .failure)
    #expect(try words(ours) == ["1 /a 2", "2 /b 2"])
  }

  @Test func `both sides added secrets`() throws {
    let base = try cassette("o.db", ["/a REDACTED-1"], redacted: 1)
    let ours = try cassette("a.db", ["/a REDACTED-1", "/b REDACTED-2"], redacted: 2)
    let theirs = try cassette(
      "b.db", ["/a REDACTED-1", "/c REDACTED-1", "/d REDACTED-2"], redacted: 2)
    #expect(
      try merge([base, ours, theirs], git: true) == [
        "1 /a REDACTED-1", "2 /b REDACTED-2", "3 /c REDACTED-1", "4 /d REDACTED-3",
      ])
    #expect(try CassetteReader(path: ours).description.redactedCount == 3)
  }

  @Test func `there may be no common one`() throws {
    let base = folder.file("empty")
    close(try File.create(base))
    let ours = try cassette("a.db", ["/a REDACTED-1"], redacted: 1)
    let theirs = try cassette("b.db", ["/b REDACTED-1"], start: 2, redacted: 1)
    #expect(
      try merge([base, ours, theirs], git: true) == ["1 /a REDACTED-1", "2 /b REDACTED-2"])
  }
}
