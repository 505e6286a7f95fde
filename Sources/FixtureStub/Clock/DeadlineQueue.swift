/// What is to happen at some instants: earliest first, at equal instants in the order in which it
/// was put in.
///
/// A binary heap of keys beside a table of what is still to come: adding and taking out cost
/// O(log n), removing O(1). The keys of what was removed stay in the heap until they come to its
/// top, or are more than half of it.
struct DeadlineQueue<Element> {
  /// Names one element of a queue, never another later on.
  struct Token: Hashable, Sendable {
    fileprivate let order: UInt64
  }

  private struct Key: Comparable {
    let deadline_ns: Int64
    let order: UInt64

    static func < (left: Key, right: Key) -> Bool {
      if left.deadline_ns != right.deadline_ns { return left.deadline_ns < right.deadline_ns }
      return left.order < right.order
    }
  }

  private var heap: [Key] = []
  private var elements: [UInt64: Element] = [:]
  private var orderNext: UInt64 = 0

  init() {}

  /// Of those that are still to come.
  var count: Int { elements.count }

  /// nil when nothing is to come.
  var earliest_ns: Int64? { heap.first?.deadline_ns }

  /// A token for an element that comes later: what has one can be named before it is added.
  mutating func newToken() -> Token {
    orderNext += 1
    return Token(order: orderNext)
  }

  /// - Precondition: `token` is a new one of this queue; at equal deadlines older ones come first.
  mutating func add(_ element: Element, at deadline_ns: Int64, as token: Token) {
    let old = elements.updateValue(element, forKey: token.order)
    precondition(old == nil, "a deadline was added twice")
    heap.append(Key(deadline_ns: deadline_ns, order: token.order))
    rise(from: heap.count - 1)
  }

  /// - Returns: nil when it has been taken out already, or was never added.
  mutating func remove(_ token: Token) -> Element? {
    guard let element = elements.removeValue(forKey: token.order) else { return nil }
    if heap.count > 64, elements.count < heap.count / 2 {
      heap = heap.filter { elements[$0.order] != nil }
      // A sorted array is a heap.
      heap.sort()
    }
    dropRemoved()
    return element
  }

  /// Takes out the earliest, unless it is due later than `now_ns`.
  mutating func removeEarliest(
    dueBy now_ns: Int64
  ) -> (deadline_ns: Int64, element: Element)? {
    guard let first = heap.first, first.deadline_ns <= now_ns,
      let element = elements.removeValue(forKey: first.order)
    else { return nil }
    removeFirst()
    dropRemoved()
    return (first.deadline_ns, element)
  }

  private mutating func dropRemoved() {
    while let first = heap.first, elements[first.order] == nil { removeFirst() }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    sink()
  }

  private mutating func rise(from start: Int) {
    var index = start
    while index > 0, heap[index] < heap[(index - 1) / 2] {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func sink() {
    var index = 0
    while 2 * index + 1 < heap.count {
      let left = 2 * index + 1
      let child = left + 1 < heap.count && heap[left + 1] < heap[left] ? left + 1 : left
      guard heap[child] < heap[index] else { return }
      heap.swapAt(index, child)
      index = child
    }
  }
}

extension DeadlineQueue: Sendable where Element: Sendable {}
