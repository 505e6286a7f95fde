import FixtureStub
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Many requests at once.
enum Load {
  private static let site = "https://api.example.com/a"

  private static func source() throws -> URL {
    guard let url = URL(string: site) else { throw URLError(.badURL) }
    return url
  }

  /// - Returns: whether each of 3,200 requests a run got its own session's answer.
  static func parallel(runs: Int) async throws -> Bool {
    let source = try source()
    var isRight = true
    for run in 1...runs {
      let right = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<64 {
          group.addTask {
            let fixture = try Fixture(replaying: [.get("/a", .text("answer \(number)"))])
            let session = fixture.session
            var right = 0
            for _ in 0..<50 {
              let (data, _) = try await session.data(from: source)
              right += String(decoding: data, as: UTF8.self) == "answer \(number)" ? 1 : 0
            }
            return fixture.exchanges.count == 50 ? right : 0
          }
        }
        return try await group.reduce(0, +)
      }
      print("run \(run): \(right) of 3200")
      isRight = isRight && right == 3200
    }
    return isRight
  }

  /// Ends of tasks, told on any thread.
  private final class Ends: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func add(_ data: Data?, _ error: (any Error)?) {
      let end = data.map { String(decoding: $0, as: UTF8.self) } ?? code(error)
      counts.withLock { $0[end, default: 0] += 1 }
    }

    private func code(_ error: (any Error)?) -> String {
      (error as? URLError).map { "\($0.code.rawValue)" } ?? "another error"
    }

    var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    /// Waits for so many, and a little longer for those that may not come.
    func all(_ expected: Int) async throws -> [String: Int] {
      let limit = ContinuousClock.now + .seconds(60)
      while count < expected, ContinuousClock.now < limit {
        try await Task.sleep(for: .milliseconds(10))
      }
      try await Task.sleep(for: .milliseconds(100))
      return counts.withLock { $0 }
    }
  }

  private static func begin(
    _ count: Int, _ session: URLSession, _ ends: Ends
  ) throws -> [URLSessionDataTask] {
    let source = try source()
    let tasks = (0..<count).map { _ in
      session.dataTask(with: source) { data, _, error in ends.add(data, error) }
    }
    for task in tasks { task.resume() }
    return tasks
  }

  /// - Returns: whether each of 10,000 requests a run was answered.
  static func delayed(runs: Int) async throws -> Bool {
    var isRight = true
    for run in 1...runs {
      let fixture = try Fixture(
        replaying: [.get("/a", .text("late"))], scenario: "*: delay 200ms..1500ms")
      let ends = Ends()
      _ = try begin(10_000, fixture.session, ends)
      let all = try await ends.all(10_000)
      print("run \(run): \(all)")
      isRight = isRight && all == ["late": 10_000]
    }
    return isRight
  }

  /// - Returns: whether each of 1,000 tasks ended once, with -999, and left nothing behind.
  static func cancelled() async throws -> Bool {
    weak var gone: Fixture?
    var ends = Ends()
    var all: [String: Int] = [:]
    do {
      let fixture = try Fixture(
        replaying: [.get("/a", .text("late"))], scenario: "*: delay 60s")
      gone = fixture
      let session = fixture.session
      let tasks = try begin(1000, session, ends)
      while fixture.exchanges.count < 1000 { try await Task.sleep(for: .milliseconds(5)) }
      for task in tasks { task.cancel() }
      all = try await ends.all(1000)
      try await fixture.waitUntilSettled()
      session.invalidateAndCancel()
    }
    ends = Ends()
    for _ in 0..<300 where gone != nil { try await Task.sleep(for: .milliseconds(10)) }
    print("cancelled: \(all), fixture \(gone == nil ? "gone" : "left behind")")
    return all == ["-999": 1000] && gone == nil
  }
  /// - Returns: whether each of 5,000 tasks ended once, though some were cancelled in the very
  ///   moment in which their answer came.
  static func stormed() async throws -> Bool {
    let fixture = try Fixture(
      replaying: [.get("/a", .text("late"))], scenario: "*: delay 1ms..40ms, trickle 1B/1ms")
    let ends = Ends()
    let session = fixture.session
    for index in 0..<5000 {
      guard let task = try begin(1, session, ends).first else { continue }
      DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(index * 7919 % 45_000)) {
        task.cancel()
      }
    }
    let all = try await ends.all(5000)
    try await fixture.waitUntilSettled()
    print("stormed: \(all)")
    return Set(all.keys).isSubset(of: ["late", "-999"]) && all.values.reduce(0, +) == 5000
  }
}
