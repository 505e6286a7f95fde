import Glibc
import Synchronization
import Testing

@testable import FixtureEventLoop

@Suite struct SignalWatcherTests {
  // Signals are sent to the loop's thread alone: the test runner's other threads don't block them.
  @Test func `signals arrive on the loop, and none after cancel`() throws {
    let received = Mutex<[Int32]>([])
    let thread = try LoopThread.start(name: "signals") { loop in
      SignalWatcher.block([SIGUSR1, SIGUSR2])
      var watcher: SignalWatcher?
      watcher = try? SignalWatcher([SIGUSR1, SIGUSR2], on: loop) { signal in
        received.withLock { $0.append(signal) }
        if signal == SIGUSR1 { pthread_kill(pthread_self(), SIGUSR2) }
        guard signal == SIGUSR2 else { return }
        watcher?.cancel()
        watcher = nil
        // Blocked, and nobody is left to receive it.
        pthread_kill(pthread_self(), SIGUSR1)
        loop.stop()
      }
      pthread_kill(pthread_self(), SIGUSR1)
      loop.run()
    }
    thread.join()
    #expect(received.withLock { $0 } == [SIGUSR1, SIGUSR2])
  }

  // A process of its own, whose only other threads are the test library's.
  @Test func `a signal to the process reaches the loop when every thread blocks it`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      SignalWatcher.block([SIGTERM])
      let loop = try EventLoop()
      let watcher = try SignalWatcher([SIGTERM], on: loop) { signal in
        exit(signal == SIGTERM ? 7 : 1)
      }
      pthread_kill(pthread_self(), SIGTERM)
      runToStop(loop)
      watcher.cancel()
    }
  }
}
