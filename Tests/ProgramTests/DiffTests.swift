import Foundation
import Testing

/// What `diff` tells of two cassettes, and what git does with cassettes when it is told how.
@Suite struct DiffTests {
  private func care() throws -> Care {
    try Care([
      ("/a", "Content-Type: application/json\r\n", bytes(#"{"user":{"name":"Ada"},"l":[1,2]}"#)),
      ("/b", "X-B: 1\r\n", bytes("one\ntwo\nthree\n")),
      ("/c", "", bytes("\0\u{1}")),
      ("/d", "", bytes("d")),
    ])
  }

  private func copy(_ care: Care, to name: String = "y.db") throws {
    try FileManager.default.copyItem(
      atPath: care.folder.path("x.db"), toPath: care.folder.path(name))
  }

  @Test func `equal cassettes have no differences`() throws {
    let care = try care()
    try copy(care)
    #expect(try care.run(["diff", "x.db", "y.db"]).output == "")
  }

  @Test func `recordings of the same traffic have no differences but with times`() throws {
    let first = try care()
    let second = try care()
    try FileManager.default.copyItem(
      atPath: second.folder.path("x.db"), toPath: first.folder.path("y.db"))
    // The upstream has another port each time.
    let output = try first.run(["diff", "x.db", "y.db"], status: 1).output
    #expect(!output.contains("content") && !output.contains("status"), "\(output)")
    let times = try first.run(["diff", "x.db", "y.db", "--times"], status: 1).output
    #expect(times.contains("  started: "))
  }

  @Test func `what differs is told by interaction`() throws {
    let care = try care()
    try copy(care)
    let text = bytes(#"{"user":{"name":"Grace"},"l":[1,2,{"n":1.0}],"new":null}"#)
    try Data(text).write(to: care.folder.url.appendingPathComponent("file"))
    for change in [
      ["1", "body", "@file"], ["1", "field", "Content-Type: application/problem+json"],
      ["2", "status", "404"], ["2", "field", "X-B"], ["2", "body", "one\n2\nthree\n"],
      ["3", "body", "text"],
    ] {
      try care.run(["set", "y.db"] + change)
    }
    try care.run(["rm", "y.db", "4"])
    let output = try care.run(["diff", "x.db", "y.db"], status: 1).output
    #expect(
      output == """
        GET /a, interaction 1
          fields of the response:
          - Content-Type: application/json
          - Content-Length: 33
          + Content-Type: application/problem+json
          + Content-Length: 56
          content of the response, JSON:
          - /user/name: "Ada"
          + /user/name: "Grace"
          + /l/2: {"n":1.0}
          + /new: null
          notes: none -> edited

        GET /b, interaction 2
          status: HTTP/1.1 200 OK -> HTTP/1.1 404 Not Found
          fields of the response:
          - X-B: 1
          - Content-Length: 14
          + Content-Length: 12
          content of the response:
          - two
          + 2
          notes: none -> edited

        GET /c, interaction 3
          fields of the response:
          - Content-Length: 2
          + Content-Length: 4
          content of the response: 2 bytes, sha256 \
        b413f47d13ee2fe6c845b2ee141af81de858df4ec549a58b7970bb96645bc8d2 -> 4 bytes, sha256 \
        982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1
          notes: none -> edited

        - GET /d, interaction 4

        """, "\(output)")
    #expect(
      try care.run(["diff", "y.db", "x.db"], status: 1).output.hasSuffix(
        "+ GET /d, interaction 4\n"))
  }

  @Test func `what cannot be compared is a failure of its own`() throws {
    let care = try care()
    let ended = try care.run(["diff", "x.db", "no.db"], status: 1)
    #expect(
      ended.errors == "fixtured: no.db: no such cassette; check the path or record it first\n")
    try care.run(["diff", "x.db"], status: 2)
    try care.run(["diff", "x.db", "x.db", "x.db"], status: 2)
  }

  // MARK: git

  private func git(_ folder: Folder, _ arguments: [String], status: Int32 = 0) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      [
        "HOME=\(folder.url.path)", "GIT_CONFIG_NOSYSTEM=1", "git", "-c", "user.name=a", "-c",
        "user.email=a@a.test", "-c", "init.defaultBranch=main",
      ] + arguments
    process.currentDirectoryURL = folder.url
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = text(Array(pipe.fileHandleForReading.readDataToEndOfFile()))
    process.waitUntilExit()
    #expect(process.terminationStatus == status, "git \(arguments): \(output)")
    return output
  }

  /// A repository with the cassette, set up as the README says.
  private func repository(_ care: Care) throws {
    let folder = care.folder
    _ = try git(folder, ["init", "-q"])
    let program = "'\(Program.path)'"
    _ = try git(folder, ["config", "diff.fixtured.textconv", "\(program) dump"])
    _ = try git(folder, ["config", "merge.fixtured.driver", "\(program) merge --git %O %A %B"])
    try Data("*.db diff=fixtured merge=fixtured\n".utf8)
      .write(to: folder.url.appendingPathComponent(".gitattributes"))
    _ = try git(folder, ["add", ".gitattributes", "x.db"])
    _ = try git(folder, ["commit", "-qm", "one"])
  }

  @Test func `git shows what changed in a cassette`() throws {
    let care = try care()
    try repository(care)
    try care.run(["set", "x.db", "2", "status", "404"])
    let output = try git(care.folder, ["diff"])
    #expect(output.contains("\n-< HTTP/1.1 200 OK\n+< HTTP/1.1 404 Not Found\n"), "\(output)")
  }

  @Test func `git merges what two branches changed`() throws {
    let care = try care()
    try repository(care)
    _ = try git(care.folder, ["checkout", "-qb", "other"])
    try care.run(["set", "x.db", "2", "status", "404"])
    _ = try git(care.folder, ["commit", "-qam", "two"])
    _ = try git(care.folder, ["checkout", "-q", "main"])
    try care.run(["rm", "x.db", "4"])
    _ = try git(care.folder, ["commit", "-qam", "three"])
    _ = try git(care.folder, ["merge", "-q", "other", "-m", "both"])
    #expect(try care.answer("/b").hasPrefix("HTTP/1.1 404 Not Found\r\n"))
    #expect(try care.answer("/d").contains(" 501 "))
    try care.run(["verify", "x.db"])
    #expect(try git(care.folder, ["status", "--short", "-uno"]) == "")
  }

  @Test func `git is told of a conflict, ours stays`() throws {
    let care = try care()
    try repository(care)
    _ = try git(care.folder, ["checkout", "-qb", "other"])
    try care.run(["set", "x.db", "2", "status", "404"])
    _ = try git(care.folder, ["commit", "-qam", "two"])
    _ = try git(care.folder, ["checkout", "-q", "main"])
    try care.run(["set", "x.db", "2", "status", "403"])
    _ = try git(care.folder, ["commit", "-qam", "three"])
    let output = try git(care.folder, ["merge", "-q", "other", "-m", "both"], status: 1)
    #expect(
      output.contains("conflict, GET /b: both sides changed what it is answered, ours is kept"))
    #expect(output.contains("CONFLICT (content): Merge conflict in x.db"))
    #expect(try care.answer("/b").hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
  }
}
