import FixtureCassette
import FixtureHTTP
import Testing

@testable import fixtured

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct DumpCommandTests {
  private let folder = ScratchFolder()

  private func text(_ path: String) throws -> String? {
    try File.contents(path).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `a dump is written and compared`() throws {
    let cassette = try folder.cassette(
      [Sample.draft(Sample.interaction(), response: "hello\n")],
      description: CassetteDescription(
        upstreams: [CassetteDescription.Upstream(name: "api", url: "https://api.example.com")],
        redactions: ["header:x-key"]))
    let dump = folder.file("a.db.txt")
    #expect(Fixtured.status(for: ["dump", cassette, "-o", dump]) == .success)
    #expect(
      try text(dump) == """
        fixtured dump, format 3
        upstream: api=https://api.example.com
        redaction: on, with header:x-key

        interaction 1, to https://api.example.com
        > GET /feed HTTP/1.1
        < HTTP/1.1 200 OK
            Content-Type: text/plain
          content: 6 bytes, framing length, sha256 \
        5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03
            | hello
          outcome: complete

        """)
    #expect(Fixtured.status(for: ["dump", cassette, "--check"]) == .success)
    #expect(Fixtured.status(for: ["dump", cassette, "--check", "--times"]) == .failure)
  }

  @Test func `a comparison without a dump fails`() throws {
    let cassette = try folder.cassette([])
    #expect(Fixtured.status(for: ["dump", cassette, "--check"]) == .failure)
  }

  @Test func `the cassette is never the output`() throws {
    let cassette = try folder.cassette([])
    let before = try File.contents(cassette)
    #expect(Fixtured.status(for: ["dump", cassette, "-o", cassette]) == .usage)
    #expect(try File.contents(cassette) == before)
  }

  @Test func `a missing cassette is a failure`() {
    #expect(Fixtured.status(for: ["dump", folder.file("no.db")]) == .failure)
    #expect(Fixtured.status(for: ["inspect", folder.file("no.db")]) == .failure)
  }

  @Test func `an output that cannot be written is a failure`() throws {
    let cassette = try folder.cassette([])
    #expect(Fixtured.status(for: ["dump", cassette, "-o", folder.path]) == .failure)
    #expect(Fixtured.status(for: ["dump", cassette, "-o", folder.path + "/no/x"]) == .failure)
  }

  @Test func `a full device is a failure`() {
    #expect(throws: Output.Failure.self) {
      let output = Output(descriptor: try File.create("/dev/full"))
      output.write("x")
      try output.finish()
    }
  }

  @Test func `a reader that is gone is told apart`() {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    defer { close(ends[1]) }
    let output = Output(descriptor: ends[1])
    output.write("x")
    #expect(throws: Output.Failure.readerGone) { try output.finish() }
    #expect(!output.isOpen)
  }

  /// The expected text comes byte by byte.
  private func difference(
    _ expected: String, _ parts: String...
  ) throws -> LineComparison.Difference? {
    var rest = Array(expected.utf8)
    var comparison = LineComparison { rest.isEmpty ? [] : [rest.removeFirst()] }
    for part in parts {
      if let difference = try comparison.take(part) { return difference }
    }
    return try comparison.finish()
  }

  @Test func `the first line that differs`() throws {
    #expect(try difference("a\nb\n", "a\n", "b\n") == nil)
    #expect(try difference("a\nb\n", "a\nc\n") == .init(line: 2, expected: "b", found: "c"))
    #expect(try difference("a\n", "a\n", "b\n") == .init(line: 2, expected: nil, found: "b"))
    #expect(try difference("a\nb\n", "a\n") == .init(line: 2, expected: "b", found: nil))
    #expect(try difference("a\r\n", "a\n") == .init(line: 1, expected: "a\\r", found: "a"))
    #expect(try difference("a", "a\n") == .init(line: 1, expected: "a", found: "a"))
    #expect(try difference("", "") == nil)
  }
}
