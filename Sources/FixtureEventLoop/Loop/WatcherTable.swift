/// The watchers of a loop, by descriptor: 24 bytes each, found by index.
///
/// A descriptor's number is used again as soon as it is closed, even while events of its former
/// owner wait to be dispatched. So each token carries the slot's generation, which removal
/// changes: a token from before finds nothing.
///
/// A class for the same reason as `TimerHeap`: it is asked for every event.
final class WatcherTable {
  struct Slot {
    var watcher: (any Watcher)?
    var generation: UInt32
    var interest: Interest
  }

  private var slots: UnsafeMutablePointer<Slot>
  private var capacity: Int
  private(set) var count = 0

  init() {
    capacity = 64
    slots = .allocate(capacity: capacity)
    slots.initialize(repeating: Self.vacant, count: capacity)
  }

  deinit {
    slots.deinitialize(count: capacity)
    slots.deallocate()
  }

  private static var vacant: Slot { Slot(watcher: nil, generation: 0, interest: []) }

  /// What comes back with the events of `descriptor` while it keeps its watcher.
  func token(_ descriptor: Int32) -> UInt64 {
    UInt64(slots[Int(descriptor)].generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
  }

  /// The watcher `token` was made for; nil when it has been removed since.
  @inline(__always)
  func watcher(_ token: UInt64) -> (any Watcher)? {
    let index = Int(token & 0xFFFF_FFFF)
    guard index < capacity, slots[index].generation == UInt32(token >> 32) else { return nil }
    return slots[index].watcher
  }

  /// The interest `descriptor` was added or last modified with; nil when it isn't watched.
  func interest(_ descriptor: Int32) -> Interest? {
    let index = Int(descriptor)
    guard index >= 0, index < capacity, slots[index].watcher != nil else { return nil }
    return slots[index].interest
  }

  func insert(_ watcher: any Watcher, _ descriptor: Int32, _ interest: Interest) {
    precondition(descriptor >= 0, "no descriptor: \(descriptor)")
    precondition(self.interest(descriptor) == nil, "descriptor \(descriptor) is watched already")
    if Int(descriptor) >= capacity { grow(toHold: Int(descriptor)) }
    slots[Int(descriptor)].watcher = watcher
    slots[Int(descriptor)].interest = interest
    count += 1
  }

  func setInterest(_ interest: Interest, _ descriptor: Int32) {
    slots[Int(descriptor)].interest = interest
  }

  /// Forgets the watcher and invalidates its tokens. It is returned, so that a deinit it causes
  /// runs when the table can be used again.
  func remove(_ descriptor: Int32) -> (any Watcher)? {
    let watcher = slots[Int(descriptor)].watcher
    slots[Int(descriptor)].watcher = nil
    slots[Int(descriptor)].generation &+= 1
    count -= 1
    return watcher
  }

  // Half as much again and no more: with 10,000 connections doubling would cost 24 bytes for each.
  private func grow(toHold index: Int) {
    let larger = max(index + 1, capacity + capacity / 2)
    let grown = UnsafeMutablePointer<Slot>.allocate(capacity: larger)
    grown.moveInitialize(from: slots, count: capacity)
    (grown + capacity).initialize(repeating: Self.vacant, count: larger - capacity)
    slots.deallocate()
    slots = grown
    capacity = larger
  }
}
