import Glibc
import Synchronization
import Testing

@testable import FixtureEventLoop

@Suite struct LoopHandleTests {
  @Test func `jobs of several threads all run, each thread's in its order`() throws {
    let loop = try EventLoop()
    let handle = loop.handle
    let ran = Mutex([[Int]](repeating: [], count: 4))
    let onLoop = LoopReference(loop, on: loop)
    let threads = try (0..<4).map { number in
      try SystemThread.start(name: "poster") {
        for index in 0..<1000 {
          handle.post {
            _ = onLoop.object
            let done = ran.withLock { ran in
              ran[number].append(index)
              return ran.allSatisfy { $0.count == 1000 }
            }
            if done { handle.stop() }
          }
        }
      }
    }
    runToStop(loop)
    for thread in threads { pthread_join(thread, nil) }
    #expect(ran.withLock { $0 } == [[Int]](repeating: Array(0..<1000), count: 4))
  }

  @Test func `a job posted by a job runs in a later round`() throws {
    let loop = try EventLoop()
    let handle = loop.handle
    let order = Mutex<[Int]>([])
    handle.post {
      handle.post {
        order.withLock { $0.append(3) }
        handle.stop()
      }
      order.withLock { $0.append(1) }
    }
    handle.post { order.withLock { $0.append(2) } }
    runToStop(loop)
    #expect(order.withLock { $0 } == [1, 2, 3])
  }

  @Test func `jobs for the end of a round run after all of it, and those they add after them`()
    throws
  {
    let loop = try EventLoop()
    let order = Mutex<[Int]>([])
    let onLoop = LoopReference(loop, on: loop)
    let note = { @Sendable number in order.withLock { $0.append(number) } }
    loop.handle.post {
      onLoop.object?.atEndOfRound {
        note(3)
        onLoop.object?.atEndOfRound { note(5) }
      }
      onLoop.object?.atEndOfRound { note(4) }
      onLoop.object?.handle.post {
        note(6)
        onLoop.object?.stop()
      }
      note(1)
    }
    loop.handle.post { note(2) }
    runToStop(loop)
    #expect(order.withLock { $0 } == [1, 2, 3, 4, 5, 6])
  }

  @Test func `stop from another thread wakes a loop that waits`() throws {
    let loop = try EventLoop()
    let thread = try SystemThread.start(name: "stopper") { [handle = loop.handle] in
      usleep(5_000)
      handle.stop()
    }
    runToStop(loop)
    pthread_join(thread, nil)
  }

  @Test func `a stopped loop does not run again`() throws {
    let loop = try EventLoop()
    loop.stop()
    var fired = 0
    let alarm = Alarm { fired += 1 }
    loop.arm(alarm.timer, at: 0)
    loop.run()
    loop.run()
    #expect(fired == 0)
  }

  @Test func `a loop that has gone takes no jobs and releases those it had`() throws {
    let handle: LoopHandle
    weak var held: Token?
    do {
      let loop = try EventLoop()
      let token = Token()
      held = token
      handle = loop.handle
      handle.post { token.use() }
    }
    #expect(held == nil)
    #expect(!handle.post {})
    handle.stop()
  }

  @Test func `a loop thread sets up, runs and can be joined`() throws {
    let counter = Counter()
    let thread = try LoopThread.start(name: "a name longer than fifteen") { loop in
      let alarm = Alarm()
      alarm.onFire = { [alarm] in
        counter.add(alarm.timer.isArmed ? 100 : 1)
        loop.stop()
      }
      loop.arm(alarm.timer, at: 0)
    }
    thread.join()
    thread.join()
    #expect(counter.value == 1)
    #expect(!thread.handle.post {})
  }

  @Test func `a loop thread whose body runs the loop itself ends when that returns`() throws {
    let counter = Counter()
    let thread = try LoopThread.start(name: "runs itself") { loop in
      loop.run()
      counter.add(1)
    }
    thread.stop()
    thread.join()
    #expect(counter.value == 1)
  }

  @Test func `use off the loop's thread stops the program`() async {
    await #expect(processExitsWith: .failure) {
      nonisolated(unsafe) let loop = try EventLoop()
      let thread = try SystemThread.start(name: "intruder") { loop.run() }
      pthread_join(thread, nil)
    }
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      let bound = LoopReference(loop, on: loop)
      let thread = try SystemThread.start(name: "intruder") { _ = bound.object }
      pthread_join(thread, nil)
    }
  }

  @Test func `watching twice and removing twice stop the program`() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      let link = try Link()
      try loop.add(link.server, interest: .readable, watcher: Probe())
      try loop.add(link.server, interest: .readable, watcher: Probe())
    }
    await #expect(processExitsWith: .failure) {
      try EventLoop().remove(0)
    }
  }
}

private final class Token: Sendable {
  func use() {}
}
