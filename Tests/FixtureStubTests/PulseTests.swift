import Foundation
import Testing

@testable import FixtureStub

#if canImport(FoundationNetworking)
  import FoundationNetworking

  /// Where reflection does not find a task's queue, the task is made to load once more.
  @Suite struct Pulses {
    @Test func `delayed answers come without reflection`() async throws {
      let fixture = try Fixture(
        replaying: [.get("/a", .text("abcdef"))], scenario: "*: trickle 2B/5ms", options: .init(),
        clock: .real, errorCodes: .common, findsQueues: false)
      let session = fixture.session
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<50 {
          group.addTask { try await session.answer("/a").text == "abcdef" }
        }
        for try await isRight in group { #expect(isRight) }
      }
    }
  }
#endif
