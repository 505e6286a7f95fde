import Glibc
import Testing

@testable import FixtureEventLoop

@Suite struct EventLoopWatchingTests {
  let loop: EventLoop

  init() throws {
    loop = try EventLoop()
  }

  @Test func `readiness is reported again until it is dealt with`() throws {
    let link = try Link()
    #expect(send(link.client, [1, 2]) == .bytes(2))
    let probe = Probe()
    probe.onReady = { [loop] _ in
      guard probe.reported.count == 3 else { return }
      #expect(receive(link.server).bytes == [1, 2])
      loop.handle.post { [handle = loop.handle] in handle.post { handle.stop() } }
    }
    try loop.add(link.server, interest: .readable, watcher: probe)
    runToStop(loop)
    #expect(probe.reported == [.readable, .readable, .readable])
  }

  @Test func `only what a watcher is interested in is reported`() throws {
    let link = try Link()
    #expect(send(link.client, [1]) == .bytes(1))
    let probe = Probe()
    let plan: [Interest] = [[.readable, .writable], .writable, .readable, []]
    probe.onReady = { [loop] _ in loop.modify(link.server, interest: plan[probe.reported.count]) }
    try loop.add(link.server, interest: plan[0], watcher: probe)
    run(loop, for_ms: 10)
    #expect(probe.reported == [[.readable, .writable], .writable, .readable])
  }

  @Test func `a watcher removed by another in the same round is not called`() throws {
    let links = [try Link(), try Link()]
    for link in links { #expect(send(link.client, [1]) == .bytes(1)) }
    var called: [Int] = []
    for (index, link) in links.enumerated() {
      let probe = Probe { [loop] _ in
        called.append(index)
        for link in links { loop.remove(link.server) }
      }
      try loop.add(link.server, interest: .readable, watcher: probe)
    }
    run(loop, for_ms: 10)
    #expect(called.count == 1)
  }

  @Test func `a descriptor used again in the same round gets no event of its former owner`() throws
  {
    let links = [try Link(), try Link()]
    let quiet = try Link()
    for link in links { #expect(send(link.client, [1]) == .bytes(1)) }
    let successor = Probe()
    var called: [Int] = []
    for (index, link) in links.enumerated() {
      let other = links[1 - index].server
      let probe = Probe { [loop] _ in
        called.append(index)
        loop.remove(link.server)
        loop.remove(other)
        // The other descriptor's number now belongs to a connection on which nothing has come.
        dup2(quiet.server, other)
        #expect(throws: Never.self) {
          try loop.add(other, interest: .readable, watcher: successor)
        }
      }
      try loop.add(link.server, interest: .readable, watcher: probe)
    }
    run(loop, for_ms: 10)
    #expect(called.count == 1)
    #expect(successor.reported == [])
  }

  @Test func `a timer may remove a descriptor that is ready in the same round`() throws {
    let link = try Link()
    let probe = Probe()
    let alarm = Alarm { [loop] in
      #expect(send(link.client, [1]) == .bytes(1))
      loop.remove(link.server)
    }
    try loop.add(link.server, interest: .readable, watcher: probe)
    loop.arm(alarm.timer, at: 0)
    run(loop, for_ms: 5)
    #expect(probe.reported == [])
  }

  @Test func `a watcher is retained until it is removed, also by itself`() throws {
    let link = try Link()
    #expect(send(link.client, [1]) == .bytes(1))
    weak var watched: Probe?
    do {
      let probe = Probe()
      watched = probe
      probe.onReady = { [loop, unowned probe] _ in
        loop.remove(link.server)
        #expect(probe.reported.count == 1)
        loop.stop()
      }
      try loop.add(link.server, interest: .readable, watcher: probe)
    }
    #expect(watched != nil)
    runToStop(loop)
    #expect(watched == nil)
    #expect(loop.watchedCount == 0)
  }

  @Test func `a descriptor can be watched again after it was removed`() throws {
    let link = try Link()
    #expect(send(link.client, [1]) == .bytes(1))
    let (former, present) = (Probe(), Probe())
    present.onReady = { [loop] _ in
      loop.remove(link.server)
      loop.stop()
    }
    try loop.add(link.server, interest: .readable, watcher: former)
    loop.remove(link.server)
    #expect(!loop.isWatching(link.server))
    try loop.add(link.server, interest: .readable, watcher: present)
    runToStop(loop)
    #expect(former.reported == [])
    #expect(present.reported == [.readable])
  }

  @Test func `a high descriptor is found like a low one`() throws {
    let link = try Link()
    // Within the soft limit, and beyond what the table holds at first.
    let high = fcntl(link.server, F_DUPFD_CLOEXEC, 900)
    try #require(high >= 900)
    defer { Socket.close(high) }
    #expect(send(link.client, [1]) == .bytes(1))
    let probe = Probe { [loop] _ in
      loop.remove(high)
      loop.stop()
    }
    try loop.add(high, interest: .readable, watcher: probe)
    runToStop(loop)
    #expect(probe.reported == [.readable])
  }

  @Test func `what can't be watched is refused and leaves nothing behind`() throws {
    let file = open("/proc/self/exe", O_RDONLY)
    defer { Socket.close(file) }
    #expect(throws: SystemError(call: "epoll_ctl", errno: EPERM)) {
      try loop.add(file, interest: .readable, watcher: Probe())
    }
    #expect(!loop.isWatching(file))
    #expect(loop.watchedCount == 0)
  }

  @Test func `a loop releases its watchers when it goes`() throws {
    let link = try Link()
    weak var watched: Probe?
    do {
      let short = try EventLoop()
      let probe = Probe()
      watched = probe
      try short.add(link.server, interest: .readable, watcher: probe)
    }
    #expect(watched == nil)
  }

  @Test func `an idle connection with a deadline costs less than 100 bytes`() {
    // From the class's metadata, with malloc's own 8 bytes: malloc_usable_size would be that of
    // the block, and malloc also gives larger ones that were freed before.
    let metadata = unsafeBitCast(LoopTimer.self, to: UnsafeRawPointer.self)
    let timerSize = Int(metadata.load(fromByteOffset: 24, as: UInt32.self)) + 8
    let slotSize = MemoryLayout<WatcherTable.Slot>.stride
    let entrySize = MemoryLayout<TimerHeap.Entry>.stride
    #expect([timerSize, slotSize, entrySize] == [48, 24, 16])
  }
}
