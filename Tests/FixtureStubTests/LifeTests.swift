import FixtureStub
import Foundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Nobody gets the answers of another, and nothing stays behind (B57).
@Suite struct Lives {
  @Test func `sessions in parallel, on one URL, each with its own cassette`() async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<32 {
        group.addTask {
          let fixture = try Fixture(.get("/a", .text("\(number)")))
          let session = fixture.session
          var right = 0
          for _ in 0..<25 {
            right += try await session.answer("/a").text == "\(number)" ? 1 : 0
          }
          return fixture.exchanges.count == 25 ? right : 0
        }
      }
      let right = try await group.reduce(0, +)
      #expect(right == 32 * 25)
    }
  }

  @Test func `what is open at the end, and what comes later, ends with an error`() async throws {
    let fixture = try Fixture(.get("/a", .text("hello")), scenario: "*: hang", clock: .manual)
    let session = fixture.session
    let open = (0..<10).map { _ in
      Task {
        do {
          return "\(try await session.answer("/a"))"
        } catch {
          return error.localizedDescription
        }
      }
    }
    while fixture.waiting < 10 { try await Task.sleep(for: .milliseconds(5)) }
    fixture.finish()
    for task in open { #expect(await task.value.contains("the inline cassette is over")) }
    #expect(fixture.stragglers.filter(\.wasOpen).count == 10)
    #expect(fixture.exchanges.allSatisfy { $0.outcome == .stopped })

    let later = await #expect(throws: URLError.self) { try await session.answer("/a") }
    #expect(later?.localizedDescription.contains("the inline cassette is over") == true)
    #expect(fixture.stragglers.count == 11)
    #expect(fixture.exchanges.count == 10)
  }

  @Test func `cancelling ends a task once, and frees it`() async throws {
    let fixture = try Fixture(.get("/a", .text("hello")), scenario: "*: hang", clock: .manual)
    let session = fixture.session
    let codes = Mutex<[Int]>([])
    let source = try url("/a")
    let tasks = (0..<200).map { _ in
      session.dataTask(with: source) { _, _, error in
        codes.withLock { $0.append((error as? URLError)?.code.rawValue ?? 0) }
      }
    }
    for task in tasks { task.resume() }
    while fixture.waiting < 200 { try await Task.sleep(for: .milliseconds(5)) }
    for task in tasks { task.cancel() }
    try await fixture.waitUntilSettled()
    while codes.withLock({ $0.count }) < 200 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(codes.withLock { $0 } == Array(repeating: -999, count: 200))
    #expect(fixture.exchanges.allSatisfy { $0.outcome == .aborted })
  }

  @Test func `a task that waits for an answer can be cancelled`() async throws {
    let fixture = try Fixture(.get("/a", .text("hello")), scenario: "*: hold answer")
    let session = fixture.session
    let task = Task { try await session.answer("/a") }
    try await fixture.gate("answer").waitUntilEntered()
    task.cancel()
    let error = await #expect(throws: URLError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    try await fixture.waitUntilSettled()
    #expect(fixture.gate("answer").waiting == 0)
  }

  @Test func `a session keeps its fixture, and lets go of it`() async throws {
    weak var gone: Fixture?
    var session: URLSession?
    do {
      let fixture = try Fixture(.get("/a", .text("hello")))
      gone = fixture
      session = fixture.session
    }
    #expect(try await session?.answer("/a").text == "hello")
    session?.invalidateAndCancel()
    session = nil
    for _ in 0..<200 where gone != nil { try await Task.sleep(for: .milliseconds(10)) }
    #expect(gone == nil)
  }

  @Test func `the app's own protocols don't come before ours`() async throws {
    final class Other: URLProtocol {
      override class func canInit(with request: URLRequest) -> Bool { true }
    }
    let fixture = try Fixture(.get("/a", .text("hello")))
    let configuration = fixture.configuration
    configuration.protocolClasses = [Other.self]
    let session = URLSession(configuration: configuration)
    #expect(try await session.answer("/a").text == "hello")
  }
}
