import CFixtureSQLite
import Synchronization

/// What a test does to one connection: chosen SQLite calls fail, the disk is small, buffers are.
///
/// For the tests that ask what becomes of a file when the Nth call fails. Calls that release
/// something (finalize, reset, close) always run and are not counted.
package final class TestConditions: Sendable {
  private let calls = Atomic<Int>(0)
  private let first: Int
  private let lasting: Bool
  private let code: Int32
  /// A limit on the pages of the file, as a small disk would set it; nil for none.
  package let pagesMax: Int?

  /// Replaces `StoreLimits.openBodyBytesMax`.
  package let openBodyBytesMax: Int

  /// - Parameters:
  ///   - first: the call that fails, counted from 1; `Int.max` only counts.
  ///   - lasting: every call after it fails too, as on a disk that has gone.
  ///   - code: what the failing call returns; it is not performed.
  package init(
    first: Int = .max, lasting: Bool = false, code: Int32 = SQLITE_IOERR, pagesMax: Int? = nil,
    openBodyBytesMax: Int = StoreLimits.openBodyBytesMax
  ) {
    self.first = first
    self.lasting = lasting
    self.code = code
    self.pagesMax = pagesMax
    self.openBodyBytesMax = openBodyBytesMax
  }

  /// How many calls were made or failed so far.
  package var count: Int { calls.load(ordering: .relaxed) }

  /// The code to return instead of performing the next call; nil to perform it.
  func next() -> Int32? {
    let number = calls.add(1, ordering: .relaxed).newValue
    return number == first || (lasting && number > first) ? code : nil
  }
}
