import FixtureCassette

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The thread of one `CassetteWriter`, and what others do in its place while it has nothing to do.
///
/// @unchecked Sendable: `connection` is touched by whoever has the queue's turn, `end` is guarded
/// by its monitor.
final class WriterThread: @unchecked Sendable {
  private enum End {
    case running
    case ended(StoreError?)
  }

  private let queue: WriterQueue
  private var connection: WriterConnection?
  private let end = Monitor(End.running)

  private init(_ queue: WriterQueue, _ connection: WriterConnection) {
    self.queue = queue
    self.connection = connection
  }

  /// Starts the thread. It ends when the queue is closed.
  static func start(
    _ queue: WriterQueue, _ connection: WriterConnection
  ) throws(StoreError) -> WriterThread {
    let thread = WriterThread(queue, connection)
    do throws(NoThread) {
      // The only failures are misuses.
      _ = pthread_detach(try JoinableThread.start { thread.run() })
    } catch {
      throw .system(path: connection.path, call: "pthread_create", errno: error.code)
    }
    return thread
  }

  /// Waits until the thread has ended and the file is closed.
  /// - Throws: the failure that stopped the recording or kept the file from being finished.
  func join() throws(StoreError) {
    let failure: StoreError? = end.wait { end in
      if case .ended(let failure) = end { return .some(failure) }
      return nil
    }
    // Whoever else waits.
    end.signal()
    if let failure { throw failure }
  }

  /// Stores an interaction on the calling thread, if this one has nothing to do.
  /// - Returns: nil if it has: nothing is stored then.
  func commitInPlace(_ draft: InteractionDraft) -> Result<Void, StoreError>? {
    guard queue.takeTurnIfIdle() else { return nil }
    guard let connection else { preconditionFailure("the file is closed while its queue is open") }
    do throws(StoreError) {
      try connection.perform([.commit([draft], { _ in })])
    } catch {
      queue.fail(error)
      queue.endTurn()
      return .failure(error)
    }
    queue.endTurn(asks: connection.isLogFull)
    return .success(())
  }

  private func run() {
    while let work = queue.take() {
      perform(work)
      queue.endTurn()
    }
    var failure = queue.failure
    do {
      try connection?.finish(hasFailed: failure != nil)
    } catch {
      failure = failure ?? error
    }
    // Closes the file: whoever waits for the end may delete or rename it.
    connection = nil
    end.withLock { $0 = .ended(failure) }
    end.signal()
  }

  private func perform(_ batch: [WriterQueue.Work]) {
    var failure = queue.failure
    if failure == nil, let connection, !batch.isEmpty {
      do {
        try connection.perform(batch)
      } catch {
        failure = error
        queue.fail(error)
      }
    }
    for case .commit(_, let completion) in batch { completion(failure) }
    queue.finished(byteCount: batch.reduce(0) { $0 + $1.byteCount })
    if failure == nil { moveLogIfFull() }
  }

  private func moveLogIfFull() {
    guard let connection, connection.isLogFull else { return }
    do {
      try connection.moveLog()
    } catch {
      queue.fail(error)
    }
  }
}
