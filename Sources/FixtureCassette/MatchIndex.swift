import FixtureHTTP

/// Finds the interactions whose key has a given hash, without holding a key.
///
/// About 20 bytes an interaction and 4 a slot, so that a cassette of 100,000 interactions costs
/// 3 MB and no allocation each.
package struct MatchIndex: Sendable {
  private let keys: MatchKeys
  private var ids: [Int64] = []
  private var chains = HashChains()
  /// Of each upstream, in lower case.
  private var authorities: [String?: Set<[UInt8]>] = [:]
  /// Whose authority was added last.
  private var lastUpstream: String??
  private var lastAuthority = ""
  /// The key being added, kept for its storage.
  private var key: [UInt8] = []

  package init(description: CassetteDescription, options: MatchOptions = .init()) {
    keys = MatchKeys(description: description, options: options)
  }

  /// Interactions added.
  package var count: Int { ids.count }

  /// Adds an interaction; in recording order.
  package mutating func add(_ summary: InteractionSummary) {
    key.removeAll(keepingCapacity: true)
    keys.appendKey(
      method: summary.method, target: summary.target, upstream: summary.upstream, to: &key)
    add(id: summary.id, hash: StableHash.value(of: key))
    guard lastUpstream != .some(summary.upstream) || lastAuthority != summary.authority else {
      return
    }
    lastUpstream = summary.upstream
    lastAuthority = summary.authority
    authorities[summary.upstream, default: []].insert(
      summary.authority.utf8.map(\.asciiLowercased))
  }

  /// Whether an upstream's interactions were recorded for several authorities.
  package var hasSeveralAuthorities: Bool { authorities.values.contains { $0.count > 1 } }

  /// The authorities for which an upstream's interactions were recorded, in lower case.
  package func authorities(of upstream: String?) -> Set<[UInt8]> { authorities[upstream] ?? [] }

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
