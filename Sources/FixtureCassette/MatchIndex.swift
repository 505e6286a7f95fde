/// Finds the interactions whose key has a given hash, without holding a key.
///
/// About 20 bytes an interaction and 4 a slot, so that a cassette of 100,000 interactions costs
/// 3 MB and no allocation each.
package struct MatchIndex: Sendable {
  private let keys: MatchKeys
  private var ids: [Int64] = []
  private var chains = HashChains()
  /// The key being added, kept for its storage.
  private var key: [UInt8] = []

  package init(description: CassetteDescription) {
    keys = MatchKeys(description: description)
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
    chains.positions(of: hash).map { ids[$0] }
  }

  mutating func add(id: Int64, hash: UInt64) {
    ids.append(id)
    chains.append(hash)
  }
}
