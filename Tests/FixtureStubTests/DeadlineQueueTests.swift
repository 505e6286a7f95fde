import Testing

@testable import FixtureStub

@Suite struct DeadlineQueues {
  @Test func `the earliest comes first, at one instant the one that was named first`() {
    var queue = DeadlineQueue<String>()
    let (a, b, c) = (queue.newToken(), queue.newToken(), queue.newToken())
    queue.add("c at 5", at: 5, as: c)
    queue.add("b at 5", at: 5, as: b)
    queue.add("a at 9", at: 9, as: a)
    #expect(queue.earliest_ns == 5)
    #expect(queue.removeEarliest(dueBy: 4) == nil)
    #expect(queue.removeEarliest(dueBy: 5)?.element == "b at 5")
    #expect(queue.removeEarliest(dueBy: 9)?.element == "c at 5")
    #expect(queue.removeEarliest(dueBy: 8) == nil)
    #expect(queue.removeEarliest(dueBy: 9)?.deadline_ns == 9)
    #expect(queue.count == 0)
    #expect(queue.earliest_ns == nil)
  }

  @Test func `what is removed never comes, and is removed once`() {
    var queue = DeadlineQueue<Int>()
    let tokens = (0..<3).map { _ in queue.newToken() }
    for (index, token) in tokens.enumerated() { queue.add(index, at: Int64(index), as: token) }
    #expect(queue.remove(tokens[0]) == 0)
    #expect(queue.remove(tokens[0]) == nil)
    #expect(queue.earliest_ns == 1)
    #expect(queue.removeEarliest(dueBy: 9)?.element == 1)
    #expect(queue.remove(tokens[1]) == nil)
    #expect(queue.remove(queue.newToken()) == nil)
    #expect(queue.removeEarliest(dueBy: 9)?.element == 2)
  }

  @Test func `thousands come out in order, also when most were removed`() {
    var queue = DeadlineQueue<Int64>()
    var order: UInt64 = 1
    var kept: [Int64] = []
    for index in 0..<10_000 {
      order = order &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let deadline_ns = Int64(order >> 44)
      let token = queue.newToken()
      queue.add(deadline_ns, at: deadline_ns, as: token)
      if index.isMultiple(of: 5) {
        kept.append(deadline_ns)
      } else {
        #expect(queue.remove(token) == deadline_ns)
      }
    }
    #expect(queue.count == 2000)
    var seen: [Int64] = []
    while let (_, element) = queue.removeEarliest(dueBy: .max) { seen.append(element) }
    #expect(seen == kept.sorted())
  }
}
