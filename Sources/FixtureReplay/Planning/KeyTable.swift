/// Positions in an array by 64-bit keys: open addressing with linear probing.
///
/// For keys that are hashes already, or numbers somebody counted: one multiplication spreads them,
/// where a dictionary would hash them a second time, at ten times the cost. Keys that were chosen
/// to collide make it slow, so it holds none that a client makes up.
package struct KeyTable {
  private struct Slot {
    var key: UInt64
    /// `vacant`, or the position.
    var position: UInt32
  }

  private static var vacant: UInt32 { .max }

  /// A power of two of them, at most three quarters filled.
  private var slots: [Slot]
  private var shift: UInt64
  package private(set) var count = 0

  package init() {
    slots = Array(repeating: Slot(key: 0, position: Self.vacant), count: 16)
    shift = 60
  }

  package subscript(key: UInt64) -> Int? {
    let slot = slot(of: key)
    return slots[slot].position == Self.vacant ? nil : Int(slots[slot].position)
  }

  /// - Precondition: the key is not there.
  package mutating func insert(_ position: Int, for key: UInt64) {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    let slot = slot(of: key)
    precondition(slots[slot].position == Self.vacant, "key \(key) is there already")
    slots[slot] = Slot(key: key, position: UInt32(position))
    count += 1
  }

  /// - Returns: the position it had.
  package mutating func remove(_ key: UInt64) -> Int? {
    var hole = slot(of: key)
    guard slots[hole].position != Self.vacant else { return nil }
    let position = Int(slots[hole].position)
    // What was probed past the hole moves into it, so that no mark has to stay.
    var next = hole
    while true {
      next = (next &+ 1) & (slots.count &- 1)
      guard slots[next].position != Self.vacant else { break }
      let distance = (next &- home(of: slots[next].key)) & (slots.count &- 1)
      if distance >= (next &- hole) & (slots.count &- 1) {
        slots[hole] = slots[next]
        hole = next
      }
    }
    slots[hole].position = Self.vacant
    count -= 1
    return position
  }

  /// The slot that holds the key, or the vacant one where it belongs.
  private func slot(of key: UInt64) -> Int {
    var slot = home(of: key)
    while slots[slot].position != Self.vacant, slots[slot].key != key {
      slot = (slot &+ 1) & (slots.count &- 1)
    }
    return slot
  }

  /// The high bits of a product (Fibonacci hashing): numbers in a row lie apart.
  private func home(of key: UInt64) -> Int {
    Int(truncatingIfNeeded: (key &* 0x9e37_79b9_7f4a_7c15) &>> shift)
  }

  private mutating func grow() {
    let former = slots
    slots = Array(
      repeating: Slot(key: 0, position: Self.vacant), count: former.count * 2)
    shift -= 1
    for entry in former where entry.position != Self.vacant {
      slots[slot(of: entry.key)] = entry
    }
  }
}
