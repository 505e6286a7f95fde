#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Writes a journal file on a thread of its own, in batches.
///
/// Those that add never wait: beyond `itemsMax` what comes is refused, and whoever adds counts it.
///
/// @unchecked Sendable: `file` is touched by the writer's thread alone once that runs, the rest is
/// guarded by its monitors.
package final class JournalWriter<Item: Sendable>: @unchecked Sendable {
  private struct State: Sendable {
    var items: [Item] = []
    var bytes = 0
    var isClosed = false
    var hasFailed = false
  }

  private enum End {
    case running
    case ended(StoreError?)
  }

  private let path: String
  private var file: JournalFile?
  private let rows: @Sendable ([Item]) -> [JournalRow]
  private let onFailure: @Sendable (StoreError) -> Void
  private let state = Monitor(State())
  private let end = Monitor(End.running)

  /// Makes the file and starts the thread.
  /// - Parameters:
  ///   - rows: what items are in the file, in order; called on the thread.
  ///   - onFailure: called once when nothing can be written any more.
  /// - Throws: why the file can't be made; see `JournalFile`.
  package init(
    creating path: String, createdBy: String,
    rows: @escaping @Sendable ([Item]) -> [JournalRow],
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

  /// - Parameter bytes: what the item keeps in memory beside itself.
  /// - Returns: whether it will be written.
  package func add(_ item: Item, bytes: Int) -> Bool {
    let (isAdded, wakes) = state.withLock { state in
      guard !state.isClosed, !state.hasFailed, state.items.count < JournalLimits.itemsMax,
        state.bytes + bytes <= JournalLimits.bytesMax
      else { return (false, false) }
      state.items.append(item)
      state.bytes += bytes
      return (true, state.items.count == 1 || state.items.count == JournalLimits.batchMax)
    }
    if wakes { state.signal() }
    return isAdded
  }

  /// Writes what was added and leaves the file as one without side files.
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
    while let items = take() {
      guard failure == nil else { continue }
      do throws(StoreError) {
        try file?.write(rows(items))
      } catch {
        failure = error
        state.withLock { $0.hasFailed = true }
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

  /// Waits for items, and a little longer for more of them; nil when there will be none.
  private func take() -> [Item]? {
    state.wait { $0.items.isEmpty && !$0.isClosed ? nil : () }
    state.wait(atMost_ns: JournalLimits.gathering_ns) { state in
      state.items.count >= JournalLimits.batchMax || state.isClosed ? () : nil
    }
    return state.withLock { state in
      guard !state.items.isEmpty else { return nil }
      var items: [Item] = []
      swap(&items, &state.items)
      state.bytes = 0
      return items
    }
  }
}

/// The bounds of a journal's writer.
package enum JournalLimits {
  /// Exchanges that wait to be written: about a second of the fastest client there is.
  package static let itemsMax = 50_000
  /// Contents of those, together.
  package static let bytesMax = 64 << 20
  /// So many are written without waiting for more.
  static let batchMax = 4096
  /// How long a batch is gathered, which is what a kill may cost.
  static let gathering_ns: Int64 = 100_000_000
}
