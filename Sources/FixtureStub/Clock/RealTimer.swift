import Dispatch
import Synchronization

/// One timer of the system for any number of deadlines: nobody holds a thread to wait.
final class RealTimer: Sendable {
  let queue = DispatchQueue(label: "fixture clock", qos: .userInitiated)
  private let begun_ns = DispatchTime.now().uptimeNanoseconds
  private let source: Mutex<Source?> = Mutex(nil)

  /// A source may be used from any thread, and is only under the lock.
  private struct Source: @unchecked Sendable {
    let timer: any DispatchSourceTimer
  }

  deinit {
    source.withLock { $0?.timer.cancel() }
  }

  /// Since the timer was made.
  var now_ns: Int64 { Int64(clamping: DispatchTime.now().uptimeNanoseconds - begun_ns) }

  /// Calls `action` on the queue, not before the deadline. Takes the place of what was armed
  /// before; the first action is the one that is called.
  ///
  /// - Parameter deadline_ns: asked while nobody else arms the timer, so that the latest answer
  ///   counts; nil: it stays as it is.
  func arm(at deadline_ns: () -> Int64?, do action: @escaping @Sendable () -> Void) {
    source.withLock { source in
      guard let deadline_ns = deadline_ns() else { return }
      let deadline = time(deadline_ns)
      if let source { return source.timer.schedule(deadline: deadline, leeway: .nanoseconds(0)) }
      let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
      timer.setEventHandler(handler: action)
      timer.schedule(deadline: deadline, leeway: .nanoseconds(0))
      timer.activate()
      source = Source(timer: timer)
    }
  }

  private func time(_ deadline_ns: Int64) -> DispatchTime {
    let (sum, overflow) = begun_ns.addingReportingOverflow(UInt64(max(0, deadline_ns)))
    // Beyond this the system takes instants for negative.
    return overflow || sum > UInt64(Int64.max)
      ? .distantFuture : DispatchTime(uptimeNanoseconds: sum)
  }
}
