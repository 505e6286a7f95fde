import Testing

@testable import FixtureEventLoop

@Suite struct TimerHeapTests {
  @Test func `deadlines come out in order whatever order they went in`() {
    let heap = TimerHeap()
    let timers = (0..<1000).map { _ in LoopTimer() }
    // 389 and 1000 have no common factor, so every deadline occurs once.
    for (index, timer) in timers.enumerated() { heap.arm(timer, at: Int64(index * 389 % 1000)) }
    #expect(drain(heap) == Array(0..<1000))
    #expect(timers.allSatisfy { !$0.isArmed })
  }

  @Test func `equal deadlines come out in the order they were armed`() {
    let heap = TimerHeap()
    let timers = (0..<100).map { _ in LoopTimer() }
    for timer in timers { heap.arm(timer, at: 7) }
    var order: [Int?] = []
    while heap.count > 0 {
      let timer = heap.removeEarliest()
      order.append(timers.firstIndex { $0 === timer })
    }
    #expect(order == Array(0..<100))
  }

  @Test func `a timer armed again moves and counts as armed last`() {
    let heap = TimerHeap()
    let (first, second, third) = (LoopTimer(), LoopTimer(), LoopTimer())
    heap.arm(first, at: 1)
    heap.arm(second, at: 2)
    heap.arm(third, at: 3)
    heap.arm(first, at: 3)
    heap.arm(third, at: 0)
    #expect(heap.count == 3)
    #expect(heap.removeEarliest() === third)
    #expect(heap.removeEarliest() === second)
    #expect(heap.removeEarliest() === first)
  }

  @Test func `disarming takes out that timer and keeps the order of the others`() {
    for removed in 0..<40 {
      let heap = TimerHeap()
      let timers = (0..<40).map { _ in LoopTimer() }
      for (index, timer) in timers.enumerated() { heap.arm(timer, at: Int64(index * 17 % 40)) }
      heap.disarm(timers[removed])
      heap.disarm(timers[removed])
      #expect(!timers[removed].isArmed)
      let left = withExtendedLifetime(timers) { drain(heap) }
      #expect(left == (0..<40).filter { $0 != Int64(removed * 17 % 40) })
    }
  }

  @Test func `a heap knows which timers are its own`() {
    let heap = TimerHeap()
    let other = TimerHeap()
    let (own, foreign) = (LoopTimer(), LoopTimer())
    heap.arm(own, at: 1)
    other.arm(foreign, at: 1)
    #expect(heap.contains(own))
    #expect(!heap.contains(foreign))
    #expect(!heap.contains(LoopTimer()))
    heap.removeAll()
    other.removeAll()
    #expect(!own.isArmed)
  }

  private func drain(_ heap: TimerHeap) -> [Int64] {
    var deadlines: [Int64] = []
    while let earliest_ns = heap.earliest_ns {
      deadlines.append(earliest_ns)
      _ = heap.removeEarliest()
    }
    return deadlines
  }
}
