import Glibc
import Testing

@testable import FixtureEventLoop

/// These need a real clock. Early is wrong by any margin; late is only bounded loosely.
@Suite struct EventLoopTimerTests {
  let loop: EventLoop

  init() throws {
    loop = try EventLoop()
  }

  @Test func `timers fire in the order of their deadlines and none fires early`() {
    let start_ns = MonotonicClock.now_ns()
    var fired: [Int64] = []
    // 20 ms in steps of 100,003 ns, armed in another order.
    let alarms = (0..<200).map { index in
      let deadline_ns = start_ns + Int64(index * 77 % 200) * 100_003
      let alarm = Alarm()
      alarm.onFire = { [loop] in
        #expect(MonotonicClock.now_ns() >= deadline_ns)
        #expect(loop.due_ns == deadline_ns)
        fired.append(deadline_ns)
        if fired.count == 200 { loop.stop() }
      }
      loop.arm(alarm.timer, at: deadline_ns)
      return alarm
    }
    runToStop(loop)
    #expect(fired == (0..<200).map { start_ns + Int64($0) * 100_003 })
    #expect(alarms.allSatisfy { !$0.timer.isArmed })
  }

  @Test func `equal deadlines fire in the order they were armed`() {
    let deadline_ns = MonotonicClock.now_ns() + 2_000_000
    var fired: [Int] = []
    let alarms = (0..<50).map { index in
      Alarm { [loop] in
        fired.append(index)
        if index == 49 { loop.stop() }
      }
    }
    for alarm in alarms { loop.arm(alarm.timer, at: deadline_ns) }
    runToStop(loop)
    #expect(fired == Array(0..<50))
  }

  @Test func `a timer moved to later fires once, then`() {
    let start_ns = MonotonicClock.now_ns()
    var fired_ns: [Int64] = []
    let moved = Alarm { [loop] in
      fired_ns.append(loop.now_ns)
      loop.stop()
    }
    let mover = Alarm { [loop] in loop.arm(moved.timer, at: start_ns + 30_000_000) }
    loop.arm(moved.timer, at: start_ns + 10_000_000)
    loop.arm(mover.timer, at: start_ns + 2_000_000)
    runToStop(loop)
    #expect(fired_ns.count == 1)
    #expect(fired_ns.allSatisfy { $0 >= start_ns + 30_000_000 })
  }

  @Test func `a timer moved to earlier does not wait for its first deadline`() {
    let start_ns = MonotonicClock.now_ns()
    let moved = Alarm { [loop] in loop.stop() }
    let mover = Alarm { [loop] in loop.arm(moved.timer, at: start_ns + 2_000_000) }
    loop.arm(moved.timer, at: start_ns + 3_600_000_000_000)
    loop.arm(mover.timer, at: start_ns + 1_000_000)
    runToStop(loop)
    #expect(!moved.timer.isArmed)
  }

  @Test func `a timer disarmed by another that is due with it does not fire`() {
    let now_ns = MonotonicClock.now_ns()
    var fired = 0
    let victim = Alarm { fired += 1 }
    let first = Alarm { [loop] in loop.disarm(victim.timer) }
    loop.arm(first.timer, at: now_ns + 1_000_000)
    loop.arm(victim.timer, at: now_ns + 1_000_000)
    run(loop, for_ms: 10)
    #expect(fired == 0)
    #expect(!victim.timer.isArmed)
  }

  @Test func `a timer released while armed is disarmed`() {
    var fired = 0
    var released: Alarm? = Alarm { fired += 1 }
    let others = (0..<5).map { _ in Alarm() }
    let start_ns = MonotonicClock.now_ns()
    for alarm in others { loop.arm(alarm.timer, at: start_ns + 1_000_000) }
    loop.arm(released!.timer, at: start_ns)
    released = nil
    run(loop, for_ms: 5)
    #expect(fired == 0)
    #expect(others.allSatisfy { !$0.timer.isArmed })
  }

  @Test func `a timer released while armed is found among several loops of a thread`() throws {
    let second = try EventLoop()
    let third = try EventLoop()
    for owner in [loop, second, third] {
      var released: LoopTimer? = LoopTimer()
      owner.arm(released!, at: .max)
      released = nil
      #expect(owner.timers.count == 0)
    }
  }

  @Test func `timers that outlive their loop are disarmed`() throws {
    let timer = LoopTimer()
    do {
      let short = try EventLoop()
      short.arm(timer, at: .max)
      #expect(timer.isArmed)
    }
    #expect(!timer.isArmed)
    loop.arm(timer, at: .max)
    #expect(timer.isArmed)
  }

  @Test func `a deadline in the past fires, also zero and negative ones`() {
    var fired: [Int64] = []
    let alarms = [5, 0, -5].map { (deadline_ns: Int64) in
      let alarm = Alarm { fired.append(deadline_ns) }
      loop.arm(alarm.timer, at: deadline_ns)
      return alarm
    }
    run(loop, for_ms: 1)
    #expect(fired == [-5, 0, 5])
    #expect(alarms.allSatisfy { !$0.timer.isArmed })
  }

  @Test func `a timer that is always due starves neither descriptors nor posted jobs`() throws {
    let link = try Link()
    let greedy = Alarm()
    greedy.onFire = { [loop] in loop.arm(greedy.timer, at: 0) }
    loop.arm(greedy.timer, at: 0)
    let probe = Probe { [loop] _ in
      loop.remove(link.server)
      loop.handle.post { [handle = loop.handle] in handle.stop() }
    }
    try loop.add(link.server, interest: .readable, watcher: probe)
    #expect(send(link.client, [1]) == .bytes(1))
    runToStop(loop)
    #expect(probe.reported == [.readable])
    loop.disarm(greedy.timer)
  }

  @Test func `counted from its due time a timer does not drift`() {
    let start_ns = MonotonicClock.now_ns()
    var due: [Int64] = []
    let ticker = Alarm()
    ticker.onFire = { [loop] in
      due.append(loop.due_ns - start_ns)
      if due.count == 50 { return loop.stop() }
      loop.arm(ticker.timer, at: loop.due_ns + 1_000_000)
    }
    loop.arm(ticker.timer, at: start_ns + 1_000_000)
    runToStop(loop)
    #expect(due == (1...50).map { Int64($0) * 1_000_000 })
  }

  @Test func `due timers are looked after between busy descriptors`() throws {
    let link = try Link()
    #expect(send(link.client, [1]) == .bytes(1))
    var served = 0
    var servedBeforeTimer: Int?
    // A hundred watchers, all ready in one round, that take 0.5 ms each.
    let probes = (0..<100).map { _ in Probe { _ in served += spin(500_000) } }
    let numbers = probes.map { _ in dup(link.server) }
    defer { for number in numbers { Socket.close(number) } }
    for (probe, number) in zip(probes, numbers) {
      try loop.add(number, interest: .readable, watcher: probe)
    }
    let alarm = Alarm { [loop] in
      servedBeforeTimer = served
      loop.stop()
    }
    loop.arm(alarm.timer, at: MonotonicClock.now_ns() + 1_000_000)
    runToStop(loop)
    for number in numbers { loop.remove(number) }
    #expect(try #require(servedBeforeTimer) < 100)
  }
}

/// Keeps the thread busy, and counts as one.
private func spin(_ duration_ns: Int64) -> Int {
  let end_ns = MonotonicClock.now_ns() + duration_ns
  while MonotonicClock.now_ns() < end_ns {}
  return 1
}
