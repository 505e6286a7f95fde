/// Finds the interactions whose key has a given hash, without holding a key.
///
/// An open-addressing table of positions over flat arrays: about 20 bytes an interaction and 4 a
/// slot, so that a cassette of 100,000 interactions costs 3 MB and no allocation each.
package struct MatchIndex: Sendable {
  private let keys: MatchKeys
  private var ids: [Int64] = []
  /// Of each interaction's key.
  private var hashes: [UInt64] = []
  /// For each interaction the next with the same hash; the last one's next is the first.
  private var nexts: [UInt32] = []
  /// The position of the last interaction with a hash, or `empty`. The count is a power of two and
  /// at least 4/3 of the filled slots.
  private var slots: [UInt32]
  private var filledSlots = 0
  /// The key being added, kept for its storage.
  private var key: [UInt8] = []

  private static let empty = UInt32.max

  package init(description: CassetteDescription) {
    keys = MatchKeys(description: description)
    slots = [UInt32](repeating: Self.empty, count: 16)
  }

  /// Interactions added.
  package var count: Int { ids.count }

  /// Adds an interaction; in recording order.
  package mutating func add(_ summary: InteractionSummary) {
    key.removeAll(keepingCapacity: true)
    keys.appendKey(
      method: summary.method, target: summary.target, upstream: summary.upstream, to: &key)
    add(id: summary.id, hash: StableHash.value(of: key))
  }

  /// The interactions whose key has the hash of this one, in the order they were added. Different
  /// keys can share a hash: the caller compares keys when it has fetched the interaction.
  package func candidates(forKey key: [UInt8]) -> [Int64] {
    candidates(forHash: StableHash.value(of: key))
  }

  /// As `candidates(forKey:)` for a key that is hashed already.
  package func candidates(forHash hash: UInt64) -> [Int64] {
    let last = slots[slot(of: hash)]
    guard last != Self.empty else { return [] }
    var result: [Int64] = []
    var next = last
    repeat {
      next = nexts[Int(next)]
      result.append(ids[Int(next)])
    } while next != last
    return result
  }

  mutating func add(id: Int64, hash: UInt64) {
    precondition(ids.count < Int(Self.empty), "\(ids.count) interactions are more than fit")
    let position = UInt32(ids.count)
    ids.append(id)
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
