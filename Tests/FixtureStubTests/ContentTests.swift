import FixtureStub
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Wherever the content of a request is, it is compared and listed (B56).
@Suite struct Contents {
  private func fixture(_ content: String = "hello") throws -> Fixture {
    try Fixture(
      Cassette.Interaction("POST", "/b", body: Data(content.utf8), .text("taken")))
  }

  private func check(_ fixture: Fixture, _ answer: Answer, _ content: String = "hello") {
    #expect(answer == Answer(200, "taken", at: "/b"))
    #expect(fixture.exchanges.map(\.body) == [Data(content.utf8)])
  }

  @Test func `in the request`() async throws {
    let fixture = try fixture()
    check(fixture, try await fixture.session.answer(try request("POST", "/b", "hello")))
    #expect(fixture.exchanges[0].header("Content-Length") == "5")
    #expect(fixture.exchanges[0].header("Content-Type") == "application/x-www-form-urlencoded")
  }

  @Test(arguments: [5, 5_000_000])
  func `in a stream`(size: Int) async throws {
    let content = String(repeating: "x", count: size)
    let fixture = try fixture(content)
    var request = try request("POST", "/b")
    request.httpBodyStream = InputStream(data: Data(content.utf8))
    check(fixture, try await fixture.session.answer(request), content)
    #expect(fixture.exchanges[0].header("Transfer-Encoding") == "chunked")
  }

  @Test func `in an upload of data`() async throws {
    let fixture = try fixture()
    let (data, response) = try await fixture.session.upload(
      for: try request("POST", "/b"), from: Data("hello".utf8))
    check(fixture, Answer(data, response))
  }

  @Test func `in an upload of a file`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data("hello".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let fixture = try fixture()
    let (data, response) = try await fixture.session.upload(
      for: try request("POST", "/b"), fromFile: file)
    check(fixture, Answer(data, response))
  }

  @Test func `a file that is not there is an error`() async throws {
    let fixture = try fixture()
    let error = await #expect(throws: URLError.self) {
      try await fixture.session.upload(
        for: try request("POST", "/b"), fromFile: URL(filePath: "/nowhere/at-all"))
    }
    #expect(error?.code == .cannotOpenFile)
  }

  @Test func `in a stream of the delegate`() async throws {
    let fixture = try fixture()
    let source = Witness()
    let session = URLSession(
      configuration: fixture.configuration, delegate: source, delegateQueue: nil)
    session.uploadTask(withStreamedRequest: try request("POST", "/b")).resume()
    await source.waitUntilEnd()
    #expect(source.events == ["response 200", "data taken", "end"])
    #expect(fixture.exchanges.map(\.body) == [Data("hello".utf8)])
  }

  @Test func `a GET with content is refused as over the wire`() async throws {
    let fixture = try fixture()
    let error = await #expect(throws: URLError.self) {
      try await fixture.session.data(for: try request("GET", "/b", "hello"))
    }
    #expect(error?.code == .dataLengthExceedsMaximum)
  }
}
