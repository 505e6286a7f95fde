/// Positions 0, 1, 2, … by a 64-bit hash each, those of one hash in order.
///
/// An open-addressing table over flat arrays: 12 bytes a position and 4 a slot, no allocation each.
package struct HashChains: Sendable {
  private var hashes: [UInt64] = []
  /// For each position the next with the same hash; the last one's next is the first.
  private var nexts: [UInt32] = []
  /// The last position with a hash, or `empty`. The count is a power of two and at least 4/3 of the
  /// filled slots.
  private var slots = [UInt32](repeating: Self.empty, count: 16)
  private var filledSlots = 0

  private static let empty = UInt32.max

  package init() {}

  package var count: Int { hashes.count }

  package func hash(at position: Int) -> UInt64 { hashes[position] }

  /// Adds the next position.
  package mutating func append(_ hash: UInt64) {
    precondition(hashes.count < Int(Self.empty), "\(hashes.count) are more than fit")
    let position = UInt32(hashes.count)
    hashes.append(hash)
    let slot = slot(of: hash)
    let last = slots[slot]
    slots[slot] = position
    if last == Self.empty {
      nexts.append(position)
      filledSlots += 1
      if filledSlots * 4 > slots.count * 3 { grow() }
    } else {
      nexts.append(nexts[Int(last)])
      nexts[Int(last)] = position
    }
  }

  /// Those with the same hash as one of them, itself among them, in ascending order.
  package func positions(like position: Int) -> [Int] {
    var result = [position]
    var next = Int(nexts[position])
    while next != position {
      result.append(next)
      next = Int(nexts[next])
    }
    if result.count > 1 { result.sort() }
    return result
  }

  /// In ascending order.
  package func positions(of hash: UInt64) -> [Int] {
    let last = slots[slot(of: hash)]
    guard last != Self.empty else { return [] }
    var result: [Int] = []
    var next = last
    repeat {
      next = nexts[Int(next)]
      result.append(Int(next))
    } while next != last
    return result
  }

  /// The slot that holds this hash, or the empty one where it belongs.
  private func slot(of hash: UInt64) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != Self.empty, hashes[Int(slots[slot])] != hash { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func grow() {
    let lasts = slots.filter { $0 != Self.empty }
    slots = [UInt32](repeating: Self.empty, count: slots.count * 2)
    for last in lasts { slots[slot(of: hashes[Int(last)])] = last }
  }
}
