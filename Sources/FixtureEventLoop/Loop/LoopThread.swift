import Glibc
import Synchronization

/// A thread with an event loop of its own.
package final class LoopThread: Sendable {
  /// Where to post to the loop and stop it.
  package let handle: LoopHandle
  private let thread: pthread_t
  private let isJoined = Atomic(false)

  private init(handle: LoopHandle, thread: pthread_t) {
    self.handle = handle
    self.thread = thread
  }

  deinit {
    if !isJoined.load(ordering: .acquiring) { pthread_detach(thread) }
  }

  /// Starts a thread that creates a loop, calls `body`, and then runs the loop until it's stopped.
  ///
  /// - Parameters:
  ///   - name: the thread's name; 15 bytes of it are kept.
  ///   - body: sets things up on the loop. It may run the loop itself.
  /// - Throws: what prevented the thread or its loop; then neither is left behind.
  package static func start(
    name: String, body: @escaping @Sendable (EventLoop) -> Void
  ) throws(SystemError) -> LoopThread {
    let started = Rendezvous<Result<LoopHandle, SystemError>>()
    let thread = try SystemThread.start(name: name) {
      let loop: EventLoop
      do throws(SystemError) {
        loop = try EventLoop()
      } catch {
        return started.give(.failure(error))
      }
      started.give(.success(loop.handle))
      body(loop)
      loop.run()
    }
    switch started.take() {
    case .success(let handle):
      return LoopThread(handle: handle, thread: thread)
    case .failure(let error):
      pthread_join(thread, nil)
      throw error
    }
  }

  /// Asks the loop to stop at the end of its round.
  package func stop() {
    handle.stop()
  }

  /// Waits until the loop was stopped and the thread has ended; not from the thread itself. A
  /// second call returns at once.
  package func join() {
    guard !isJoined.exchange(true, ordering: .acquiringAndReleasing) else { return }
    precondition(pthread_equal(thread, pthread_self()) == 0, "a thread can't wait for its own end")
    pthread_join(thread, nil)
  }
}
