import Foundation
import Testing

/// What rules count, and what they do to the order of recordings.
@Suite struct BurstTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private static let busy = #"/uuid: first 2, status 503, retry-after 1s, body "busy""#

  private func statuses(_ client: Client, _ targets: [String]) -> [Int] {
    targets.compactMap { client.get($0)?.status }
  }

  @Test func `the first two fail, then the recordings come from the first on`() throws {
    let unruled = try Lab(rules: ["/none: delay 1s"], in: folder)
    let plain = try Client(port: unruled.port)
    let recorded = (0..<3).compactMap { _ in plain.get("/uuid")?.text }
    let lab = try Lab(rules: [Self.busy], in: folder)
    let client = try Client(port: lab.port)
    let answers = (0..<5).compactMap { _ in client.get("/uuid") }
    #expect(answers.map(\.status) == [503, 503, 200, 200, 200])
    #expect(answers.prefix(2).map { $0.value("Retry-After") } == ["1", "1"])
    #expect(answers.prefix(2).map(\.text) == ["busy", "busy"])
    #expect(answers.dropFirst(2).map(\.text) == recorded)
  }

  @Test func `of ten at once exactly two fail`() throws {
    let lab = try Lab(rules: [Self.busy], in: folder)
    let clients = try (0..<10).map { _ in try Client(port: lab.port) }
    for client in clients { client.send(Lab.get("/uuid")) }
    let statuses = clients.compactMap { $0.response()?.status }
    #expect(statuses.sorted() == [200, 200, 200, 200, 200, 200, 200, 200, 503, 503])
  }

  @Test func `other queries and methods count apart, and misses not at all`() throws {
    let rule = "/uuid: first 1, delay 1ms, set X-First 1"
    let made = "/uuid: first 1, status 503"
    let lab = try Lab(rules: [rule], in: folder)
    let client = try Client(port: lab.port)
    // Not recorded, so not counted either time.
    #expect(statuses(client, ["/uuid?x=1", "/uuid?x=1"]) == [501, 501])
    #expect(client.get("/uuid")?.value("X-First") == "1")
    #expect(client.get("/uuid")?.value("X-First") == nil)
    let answeringLab = try Lab(rules: [made], in: folder)
    let answering = try Client(port: answeringLab.port)
    // Made by a rule, so counted, each target by itself.
    #expect(
      statuses(answering, ["/uuid", "/uuid?x=1", "/none", "/uuid?x=1", "/uuid"])
        == [503, 503, 501, 501, 200])
    answering.send(bytes("POST /uuid HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"))
    #expect(answering.response()?.status == 503)
  }

  @Test func `every third request fails`() throws {
    let lab = try Lab(rules: ["/json: every 3, status 503"], in: folder)
    #expect(
      statuses(try Client(port: lab.port), Array(repeating: "/json", count: 7))
        == [200, 200, 503, 200, 200, 503, 200])
  }

  @Test func `a fifth fails, the same with the same seed`() throws {
    let patterns = try (0..<2).map { _ in
      let lab = try Lab(rules: ["/json: chance 20%, status 503"], in: folder)
      return statuses(try Client(port: lab.port), Array(repeating: "/json", count: 100))
    }
    #expect(patterns[0] == patterns[1])
    let failures = patterns[0].count { $0 == 503 }
    #expect((5...40).contains(failures))
  }

  @Test func `the answer to HEAD has the length and nothing else`() throws {
    let lab = try Lab(rules: [Self.busy], in: folder)
    let client = try Client(port: lab.port)
    client.send(bytes("HEAD /uuid HTTP/1.1\r\nHost: a\r\n\r\n"))
    let answer = try #require(client.response(hasContent: false))
    #expect(answer.status == 503)
    #expect(answer.value("Content-Length") == "4")
    // What follows is the next answer.
    #expect(client.get("/uuid")?.text == "busy")
  }
}
