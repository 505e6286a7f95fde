import FixtureStub
import Foundation
import Synchronization

/// A request that came when the test was over whose session it used.
struct LateRequest: Error, CustomStringConvertible {
  let description: String

  init(of test: String, _ straggler: Fixture.Straggler) {
    description =
      "a request came after its test was over, \(test): \(straggler.method) \(straggler.url)"
  }
}

/// Requests that came after their XCTest was over. XCTest takes failures only from a test that is
/// running: the next one with a fixture tells of them, and standard error at once.
enum LateRequests {
  typealias Entry = (request: LateRequest, file: StaticString, line: UInt)

  private static let waiting = Mutex<[Entry]>([])

  static func add(_ request: LateRequest, _ file: StaticString, _ line: UInt) {
    waiting.withLock { $0.append((request, file, line)) }
    FileHandle.standardError.write(Data("\(file):\(line): error: \(request)\n".utf8))
  }

  static func take() -> [Entry] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}
