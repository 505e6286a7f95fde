#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Writes a journal file on a thread of its own: when it is woken, what there is to write a moment
/// later, in one transaction.
///
/// @unchecked Sendable: `file` is touched by the writer's thread alone once that runs, the rest is
/// guarded by its monitors.
package final class JournalWriter: @unchecked Sendable {
  /// How long is waited for more to write, which is what a kill may cost.
  static let gathering_ns: Int64 = 250_000_000

  private struct State: Sendable {
    var isWoken = false
    var isClosed = false
  }

  private enum End {
    case running
    case ended(StoreError?)
  }

  private let path: String
  private var file: JournalFile?
  private let rows: @Sendable () -> [JournalRow]
  private let onFailure: @Sendable (StoreError) -> Void
  private let state = Monitor(State())
  private let end = Monitor(End.running)

  /// Makes the file and starts the thread.
  /// - Parameters:
  ///   - rows: what there is to write, in order; called on the thread. After a failure what it
  ///     gives is thrown away.
  ///   - onFailure: called once when nothing can be written any more.
  /// - Throws: why the file can't be made; see `JournalFile`.
  package init(
    creating path: String, createdBy: String, rows: @escaping @Sendable () -> [JournalRow],
    onFailure: @escaping @Sendable (StoreError) -> Void
  ) throws(StoreError) {
    self.path = path
    self.rows = rows
    self.onFailure = onFailure
    file = try JournalFile(creating: path, createdBy: createdBy)
    do throws(NoThread) {
      // The only failures are misuses.
      _ = pthread_detach(try JoinableThread.start { self.run() })
    } catch {
      throw .system(path: path, call: "pthread_create", errno: error.code)
    }
  }

  /// There is something to write.
  package func wake() {
    state.withLock { $0.isWoken = true }
    state.signal()
  }

  /// Writes what there is and leaves the file as one without side files, unless somebody reads it.
  /// - Throws: what kept it from being written.
  package func close() throws(StoreError) {
    state.withLock { $0.isClosed = true }
    state.signal()
    let failure: StoreError? = end.wait { end in
      if case .ended(let failure) = end { return .some(failure) }
      return nil
    }
    if let failure { throw failure }
  }

  private func run() {
    var failure: StoreError?
    var isLast = false
    while !isLast {
      isLast = waitForWork()
      let rows = rows()
      guard failure == nil, !rows.isEmpty else { continue }
      do throws(StoreError) {
        try file?.write(rows)
      } catch {
        failure = error
        onFailure(error)
      }
    }
    do throws(StoreError) {
      try file?.finish()
    } catch {
      if failure == nil {
        failure = error
        onFailure(error)
      }
    }
    file = nil
    end.withLock { $0 = .ended(failure) }
    end.signal()
  }

  /// Waits for something to write, and a little longer for more of it.
  /// - Returns: whether there will be nothing after it.
  private func waitForWork() -> Bool {
    state.wait { $0.isWoken || $0.isClosed ? () : nil }
    state.wait(atMost_ns: Self.gathering_ns) { $0.isClosed ? () : nil }
    return state.withLock { state in
      state.isWoken = false
      return state.isClosed
    }
  }
}
