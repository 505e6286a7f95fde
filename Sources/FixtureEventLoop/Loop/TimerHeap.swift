/// Armed timers, earliest deadline first, equal deadlines in the order they were armed.
///
/// A four-ary heap of (deadline, timer): siblings lie in one cache line, and comparing doesn't
/// touch the timers unless deadlines are equal. Each timer knows its index, so any can be moved
/// or removed in O(log n). The heap doesn't retain its timers: a timer leaves it in its deinit.
///
/// A class: asked several times a round for `earliest_ns`, a struct inside the loop would have each
/// of these accesses checked for exclusivity.
final class TimerHeap {
  struct Entry {
    let deadline_ns: Int64
    let timer: Unmanaged<LoopTimer>

    @inline(__always)
    func place(at index: Int) {
      // Guaranteed by the deinit rule above; retaining for one store would be the heap's main cost.
      timer._withUnsafeGuaranteedRef { $0.position = Int32(truncatingIfNeeded: index) }
    }

    @inline(__always)
    func precedes(_ other: Entry) -> Bool {
      if deadline_ns != other.deadline_ns { return deadline_ns < other.deadline_ns }
      return Int32(bitPattern: order &- other.order) < 0
    }

    private var order: UInt32 { timer._withUnsafeGuaranteedRef(\.order) }
  }

  private var entries: ContiguousArray<Entry> = []
  private var orderNext: UInt32 = 0

  var count: Int { entries.count }

  /// The earliest deadline; nil when no timer is armed.
  private(set) var earliest_ns: Int64?

  func contains(_ timer: LoopTimer) -> Bool {
    let index = Int(timer.position)
    guard index >= 0, index < entries.count else { return false }
    return entries[index].timer.toOpaque() == Unmanaged.passUnretained(timer).toOpaque()
  }

  /// Arms `timer`, or moves it when it is armed already; it then counts as armed last.
  func arm(_ timer: LoopTimer, at deadline_ns: Int64) {
    timer.order = orderNext
    orderNext &+= 1
    let entry = Entry(deadline_ns: deadline_ns, timer: .passUnretained(timer))
    if timer.isArmed {
      precondition(contains(timer), "the timer is armed on another loop")
      settle(entry, at: Int(timer.position))
    } else {
      entries.append(entry)
      rise(entry, from: entries.count - 1)
    }
    earliest_ns = entries.first?.deadline_ns
  }

  /// Takes `timer` out; nothing happens when it isn't armed.
  func disarm(_ timer: LoopTimer) {
    guard timer.isArmed else { return }
    precondition(contains(timer), "the timer is armed on another loop")
    let index = Int(timer.position)
    timer.position = -1
    let last = entries.removeLast()
    if index < entries.count { settle(last, at: index) }
    earliest_ns = entries.first?.deadline_ns
  }

  /// Takes out the timer with the earliest deadline; there must be one.
  func removeEarliest() -> LoopTimer {
    let timer = entries[0].timer.takeUnretainedValue()
    disarm(timer)
    return timer
  }

  func removeAll() {
    for entry in entries { entry.place(at: -1) }
    entries.removeAll()
    earliest_ns = nil
  }

  private func settle(_ entry: Entry, at index: Int) {
    if index > 0, entry.precedes(entries[(index - 1) / 4]) {
      rise(entry, from: index)
    } else {
      sink(entry, from: index)
    }
  }

  private func rise(_ entry: Entry, from start: Int) {
    entries.withUnsafeMutableBufferPointer { entries in
      var index = start
      while index > 0, entry.precedes(entries[(index - 1) / 4]) {
        entries[index] = entries[(index - 1) / 4]
        entries[index].place(at: index)
        index = (index - 1) / 4
      }
      entries[index] = entry
      entry.place(at: index)
    }
  }

  private func sink(_ entry: Entry, from start: Int) {
    entries.withUnsafeMutableBufferPointer { entries in
      var index = start
      while let child = Self.earliestChild(of: index, in: entries),
        entries[child].precedes(entry)
      {
        entries[index] = entries[child]
        entries[index].place(at: index)
        index = child
      }
      entries[index] = entry
      entry.place(at: index)
    }
  }

  @inline(__always)
  private static func earliestChild(
    of index: Int, in entries: UnsafeMutableBufferPointer<Entry>
  ) -> Int? {
    let first = index * 4 + 1
    guard first < entries.count else { return nil }
    var earliest = first
    for child in first + 1..<max(first + 1, min(first + 4, entries.count))
    where entries[child].precedes(entries[earliest]) {
      earliest = child
    }
    return earliest
  }
}
