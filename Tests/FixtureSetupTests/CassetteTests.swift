import FixtureHTTP
import FixtureReplay
import FixtureSetup
import FixtureStore
import Foundation
import Testing

struct CassetteTests {
  /// What a cassette answers.
  private func status(
    _ cassette: Cassette, _ method: String, _ target: String, content: [UInt8]? = nil,
    matching: String = ""
  ) throws -> Int? {
    let setup = try ReplaySetup(
      cassette, scenario: nil, options: FixtureOptions(matching: matching))
    var planning = try setup.planning(
      ReplaySession(), scenario: nil, start: 0, onMiss: { _ in }, onError: { _ in })
    var request = RequestHead(
      method: Method(Array(method.utf8)), target: Array(target.utf8), version: .http11)
    var identity = ContentIdentity.absent
    if let content {
      request.fields.append("Content-Length", "\(content.count)")
      identity = .known(size: Int64(content.count), digest: [UInt8](repeating: 7, count: 32))
    }
    switch try planning.plan(request, upstream: nil, content: identity, date: 0) {
    case .play(let play): return play.interaction.response?.head.status
    case .miss: return nil
    case .ruled, .needsContent: throw Unexpected()
    }
  }

  private struct Unexpected: Error {}

  @Test func `inline interactions answer what they were written for`() throws {
    let cassette: Cassette = [
      .get("/users/42", .json(#"{"id":42}"#)),
      .get("/gone", .status(410)),
    ]
    #expect(try status(cassette, "GET", "/users/42") == 200)
    #expect(try status(cassette, "GET", "/gone") == 410)
    #expect(try status(cassette, "GET", "/users/43") == nil)
    #expect(try status(cassette, "DELETE", "/users/42") == nil)
  }

  @Test func `a POST written without content answers any content, and none`() throws {
    let cassette: Cassette = [.post("/users", .status(201))]
    #expect(try status(cassette, "POST", "/users", content: Array("a".utf8)) == 201)
    #expect(try status(cassette, "POST", "/users") == 201)
  }

  @Test func `answers of one target come in order, whatever the content`() throws {
    let setup = try ReplaySetup(
      [.post("/users", .status(201)), .post("/users", .status(409))], scenario: nil,
      options: FixtureOptions())
    let session = ReplaySession()
    var planning = try setup.planning(
      session, scenario: nil, start: 0, onMiss: { _ in }, onError: { _ in })
    let statuses = try [UInt8(1), 2, 3].map { number in
      let request = RequestHead(method: .post, target: Array("/users".utf8), version: .http11)
      let plan = try planning.plan(
        request, upstream: nil,
        content: .known(size: 5, digest: [UInt8](repeating: number, count: 32)), date: 0)
      guard case .play(let play) = plan else { throw Unexpected() }
      return play.interaction.response?.head.status
    }
    #expect(statuses == [201, 409, 409])
  }

  @Test func `inline content of megabytes is stored whole`() throws {
    let data = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let setup = try ReplaySetup(
      [.get("/large", .data(data))], scenario: nil, options: FixtureOptions())
    let reader = try setup.makeReader()
    let body = try #require(try reader.interaction(id: 1).response?.body)
    #expect(body.size == 3_000_000)
  }

  @Test(arguments: [
    (Cassette.Interaction.get("users", .status(200)), "must begin with /"),
    (.get("/a b", .status(200)), "percent-encode"),
    (.get("/a", .status(99)), "200 to 999"),
    (.get("/a", .text("x", status: 304)), "no content"),
    (.get("/a", .status(200, headers: [("X Y", "1")])), "no token"),
    (.get("/a", .status(200, headers: [("X", "1\r\nY: 2")])), "CR, LF or NUL"),
    (.init("G T", "/a", .status(200)), "no token"),
  ])
  func `an interaction that can't be sent is refused`(
    _ interaction: Cassette.Interaction, _ reason: String
  ) throws {
    let error = #expect(throws: FixtureFailure.self) {
      try ReplaySetup(Cassette([interaction]), scenario: nil, options: FixtureOptions())
    }
    #expect("\(try #require(error))".contains(reason))
  }

  @Test func `a name is looked for beside the test and above it`() throws {
    // `cassettes/httpbin.db` lies beside Package.swift.
    _ = try Cassette(named: "httpbin")
    _ = try Cassette(named: "cassettes/httpbin.db")
  }

  @Test func `a name that nothing has says where it was looked for`() throws {
    let error = #expect(throws: FixtureFailure.self) { try Cassette(named: "nothing-like-it") }
    let text = "\(try #require(error))"
    #expect(text.contains("Tests/FixtureSetupTests/nothing-like-it.db"))
    #expect(text.contains("fixtured record"))
  }

  @Test func `a file that is no cassette is refused with its name`() throws {
    let error = #expect(throws: FixtureFailure.self) {
      try Cassette(contentsOf: URL(fileURLWithPath: #filePath))
    }
    #expect("\(try #require(error))".contains("CassetteTests.swift"))
  }

  @Test func `the file of inline interactions is gone when nobody has the cassette`() throws {
    var cassette: Cassette? = [.get("/", .status(200))]
    var setup: ReplaySetup? = try ReplaySetup(
      try #require(cassette), scenario: nil, options: FixtureOptions())
    let path = try #require(setup?.path)
    #expect(FileManager.default.fileExists(atPath: path))
    cassette = nil
    setup = nil
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `matching by a field takes the words of the command line`() throws {
    let cassette = Cassette([
      .init("GET", "/", headers: [("Accept", "text/html")], .status(201)),
      .init("GET", "/", headers: [], .status(202)),
    ])
    #expect(try status(cassette, "GET", "/", matching: "+header:Accept") == 202)
    #expect(try status(cassette, "GET", "/") == 201)
    let error = #expect(throws: FixtureFailure.self) {
      try status(cassette, "GET", "/", matching: "+haeder:Accept")
    }
    #expect("\(try #require(error))".contains("haeder"))
  }
}

struct FixtureScenarioTests {
  private func setup(_ scenario: FixtureScenario?, seed: UInt64? = nil) throws -> ReplaySetup {
    try ReplaySetup([], scenario: scenario, options: FixtureOptions(seed: seed))
  }

  @Test func `without rules, seed and receipts everything is as recorded`() throws {
    #expect(try setup(nil).scenario == nil)
  }

  @Test func `the seed is the option's, else the scenario's, else 1`() throws {
    #expect(try setup("seed 42\n*: delay 1s", seed: 7).scenario?.seed == 7)
    #expect(try setup("seed 42\n*: delay 1s").scenario?.seed == 42)
    #expect(try setup("*: delay 1s").scenario?.seed == 1)
  }

  @Test func `two scenarios follow each other, the second one's seed counts`() throws {
    let first: FixtureScenario = "seed 3\n*: delay 1s"
    let both = try #require(try setup(first + "GET /a: status 503").scenario)
    #expect(both.rules.map(\.description) == ["*: delay 1s", "GET /a: status 503"])
    #expect(both.seed == 3)
    #expect(try setup(first + "seed 4").scenario?.seed == 4)
  }

  @Test func `what is wrong with a rule is said with its place`() throws {
    let error = #expect(throws: FixtureFailure.self) { try setup("GET /a: statsu 503") }
    #expect("\(try #require(error))".contains("line 1, column 9"))
  }

  @Test func `a file's section is chosen by name, its bodies lie beside it`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "lab.rules")
    try Data("*: delay 1s\n[down]\nGET /a: status 503, body file down.txt\n".utf8).write(to: file)
    try Data("down".utf8).write(to: folder.appending(path: "down.txt"))
    let chosen = try setup(FixtureScenario(contentsOf: file, section: "down")).scenario
    #expect(chosen?.rules.count == 2)
    #expect(chosen?.files == ["down.txt": Array("down".utf8)])
    let error = #expect(throws: FixtureFailure.self) {
      try setup(FixtureScenario(contentsOf: file, section: "up"))
    }
    #expect("\(try #require(error))".contains("its sections are down"))
  }
}
