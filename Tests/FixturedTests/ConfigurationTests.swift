import FixtureCassette
import FixtureHTTP
import Testing

@testable import fixtured

/// `fixtured.conf` beside a cassette, and the options that go before it.
@Suite struct ConfigurationTests {
  private func command(_ line: String, _ configuration: String) throws -> Command {
    let parsed = try FolderConfiguration(parsing: Array(configuration.utf8))
    return try Command(arguments: line.split(separator: " ").map(String.init)) { _ in parsed }
  }

  private func replay(_ line: String, _ configuration: String) throws -> ReplayOptions {
    guard case .replay(let options) = try command("replay \(line)", configuration) else {
      throw UsageError(.commandMissing)
    }
    return options
  }

  private func record(_ line: String, _ configuration: String) throws -> RecordOptions {
    guard case .record(let options) = try command("record \(line)", configuration) else {
      throw UsageError(.commandMissing)
    }
    return options
  }

  @Test func `an option changes what the file says, a list replaces it`() throws {
    let file = "match +header:Accept\nmatch -query"
    #expect(try replay("a.db", file).match.words == "method,path,header:accept,content")
    #expect(
      try replay("a.db --match +query --match=-header:accept", file).match == MatchOptions())
    #expect(try replay("a.db --match method,path", file).match.words == "method,path")
    #expect(
      try record("--upstream http://a --match -content", file).match.words
        == "method,path,header:accept")
  }

  @Test func `upstreams are those of the command line, or of the file`() throws {
    let file = "upstream api=http://a\nupstream img=http://b"
    #expect(try record("x.db", file).upstreams.map(\.name) == ["api", "img"])
    #expect(try record("x.db --upstream http://c", file).upstreams.map(\.name) == [nil])
  }

  @Test func `redactions add up unless they are turned off`() throws {
    let file = "redact header:X-One"
    #expect(
      try record("--upstream http://a --redact query:two", file).redactions?.words
        == ["header:x-one", "query:two"])
    #expect(try record("--upstream http://a --no-redact", file).redactions == nil)
  }

  @Test func `the file is looked for beside the cassette`() throws {
    var asked: [String] = []
    for line in ["replay d/x.db", "replay x.db", "record --upstream http://a", "inspect d/x.db"] {
      _ = try Command(arguments: line.split(separator: " ").map(String.init)) { cassette in
        asked.append(cassette)
        return FolderConfiguration()
      }
    }
    #expect(asked == ["d/x.db", "x.db", "cassettes/"])
  }

  @Test func `words that can't be followed are refused with their place`() {
    #expect(
      problem("replay a.db --match path,+querry")
        == .valueRefused(.match, reason: #"there is no "querry" at 7, did you mean query?"#))
  }
}
