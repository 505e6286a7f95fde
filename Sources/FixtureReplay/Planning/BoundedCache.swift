/// Values by a 64-bit key, of bounded total cost: to make room, values not used since the last time
/// the clock hand passed them are dropped. The keys are those `KeyTable` is for.
package struct BoundedCache<Value> {
  private struct Slot {
    var key: UInt64
    var cost: Int
    var wasUsed: Bool
    /// nil: the slot is free.
    var value: Value?
  }

  private let costMax: Int
  private var slots: [Slot] = []
  private var positions = KeyTable()
  private var free: [Int] = []
  private var hand = 0
  package private(set) var cost = 0

  package init(costMax: Int) {
    self.costMax = costMax
  }

  var count: Int { positions.count }

  /// The value of a key, which counts as a use of it.
  package subscript(key: UInt64) -> Value? {
    mutating get {
      guard let position = positions[key] else { return nil }
      if !slots[position].wasUsed { slots[position].wasUsed = true }
      return slots[position].value
    }
  }

  /// Keeps a value, in the place of an earlier one of the same key. One that alone costs more than
  /// the bound is kept as the only one.
  package mutating func insert(_ value: Value, for key: UInt64, cost: Int) {
    remove(key)
    while self.cost + cost > costMax, positions.count > 0 { dropUnused() }
    let slot = Slot(key: key, cost: cost, wasUsed: true, value: value)
    if let position = free.popLast() {
      slots[position] = slot
      positions.insert(position, for: key)
    } else {
      positions.insert(slots.count, for: key)
      slots.append(slot)
    }
    self.cost += cost
  }

  private mutating func remove(_ key: UInt64) {
    guard let position = positions.remove(key) else { return }
    cost -= slots[position].cost
    slots[position].value = nil
    free.append(position)
  }

  /// Moves the hand until it has dropped a value; ends within two rounds.
  private mutating func dropUnused() {
    while true {
      hand = hand + 1 < slots.count ? hand + 1 : 0
      guard slots[hand].value != nil else { continue }
      if slots[hand].wasUsed {
        slots[hand].wasUsed = false
      } else {
        remove(slots[hand].key)
        return
      }
    }
  }
}
