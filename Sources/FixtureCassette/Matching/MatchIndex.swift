import FixtureHTTP

/// Finds the interactions whose key has a given hash, without holding a key.
///
/// Pairs of hash and id, ordered by hash, and where those with the same top bits start: about 20
/// bytes an interaction, so that a cassette of 100,000 costs 2 MB and no allocation each.
package struct MatchIndex: Sendable {
  fileprivate struct Entry {
    let hash: UInt64
    let id: Int64

    func precedes(_ other: Entry) -> Bool {
      hash == other.hash ? id < other.id : hash < other.hash
    }
  }

  /// Collects interactions, in any order.
  package struct Builder: Sendable {
    private let description: CassetteDescription
    private let options: MatchOptions
    /// Of its own in each copy that something is added to: threads that count references to the
    /// same things are slow.
    private lazy var keys = MatchKeys(description: description, options: options)
    fileprivate private(set) var entries: [Entry] = []
    fileprivate private(set) var hidesSecrets = false
    /// Of each upstream, in lower case.
    fileprivate private(set) var authorities: [String?: Set<[UInt8]>] = [:]
    /// Whose authority was added last.
    private var lastUpstream: String??
    private var lastAuthority: [UInt8] = []

    package init(description: CassetteDescription, options: MatchOptions = .init()) {
      self.description = description
      self.options = options
    }

    package mutating func add(_ request: RequestOutline) {
      let (hash, hides) = keys.withKey(
        method: request.method, target: request.target, upstream: request.upstream
      ) {
        (StableHash.value(of: $0), $1)
      }
      if hides { hidesSecrets = true }
      add(id: request.id, hash: hash)
      let isSame =
        lastUpstream == .some(request.upstream)
        && lastAuthority.withUnsafeBytes { request.authority.isEqual(to: $0) }
      guard !isSame else { return }
      lastUpstream = request.upstream
      lastAuthority = Array(request.authority)
      authorities[request.upstream, default: []].insert(lastAuthority.map(\.asciiLowercased))
    }

    mutating func add(id: Int64, hash: UInt64) {
      entries.append(Entry(hash: hash, id: id))
    }
  }

  /// By hash; those of one hash in recording order.
  private let entries: [Entry]
  /// Where the entries start whose hashes have each value of their top bits, and the end.
  private let starts: [UInt32]
  private let shift: UInt64
  private let authorities: [String?: Set<[UInt8]>]
  /// Whether a target holds a placeholder where no rule names a place, so that the secrets of a
  /// request are looked for everywhere in its target.
  package let hidesSecrets: Bool

  package init(_ builders: [Builder]) {
    let count = builders.reduce(0) { $0 + $1.entries.count }
    precondition(count < Int(UInt32.max), "\(count) interactions are more than fit")
    hidesSecrets = builders.contains(where: \.hidesSecrets)
    entries = Self.sorted(builders.map(\.entries), count: count)
    authorities = builders.reduce(into: [:]) {
      $0.merge($1.authorities) { $0.union($1) }
    }
    // About as many values of the top bits as entries.
    let bits = UInt64.bitWidth - max(1, count).leadingZeroBitCount - 1
    shift = UInt64(UInt64.bitWidth - bits)
    var starts = [UInt32](repeating: UInt32(count), count: 1 << bits + 1)
    for position in entries.indices.reversed() {
      starts[Int(entries[position].hash >> shift)] = UInt32(position)
    }
    for bucket in starts.indices.dropLast().reversed() {
      starts[bucket] = min(starts[bucket], starts[bucket + 1])
    }
    self.starts = starts
  }

  package var count: Int { entries.count }

  /// Whether an upstream's interactions were recorded for several authorities.
  package var hasSeveralAuthorities: Bool { authorities.values.contains { $0.count > 1 } }

  /// The authorities for which an upstream's interactions were recorded, in lower case.
  package func authorities(of upstream: String?) -> Set<[UInt8]> { authorities[upstream] ?? [] }

  /// The interactions whose key has the hash of this one, in recording order. Different keys can
  /// share a hash: the caller compares keys when it has fetched the interaction.
  package func candidates(forKey key: [UInt8]) -> [Int64] {
    candidates(forHash: StableHash.value(of: key))
  }

  /// As `candidates(forKey:)` for a key that is hashed already.
  package func candidates(forHash hash: UInt64) -> [Int64] {
    let bucket = Int(hash >> shift)
    return entries[Int(starts[bucket])..<Int(starts[bucket + 1])].compactMap {
      $0.hash == hash ? $0.id : nil
    }
  }

  /// The first interaction of each hash, in recording order.
  package var firstIDs: [Int64] {
    var ids: [Int64] = []
    for (position, entry) in entries.enumerated()
    where position == 0 || entries[position - 1].hash != entry.hash {
      ids.append(entry.id)
    }
    return ids.sorted()
  }

  /// By the top bits of the hash in two passes, then by hash and id among the few that share them.
  /// Each pass writes to 256 places in turn, which the processor's cache holds; a table filled in
  /// the order of adding takes four times as long.
  private static func sorted(_ parts: [[Entry]], count: Int) -> [Entry] {
    var sorted = distributed([distributed(parts, by: 48, count)], by: 56, count)
    sorted.withUnsafeMutableBufferPointer { sorted in
      var start = 0
      while start < sorted.count {
        var end = start + 1
        while end < sorted.count, sorted[end].hash >> 48 == sorted[start].hash >> 48 { end += 1 }
        if end > start + 1 { sorted[start..<end].sort { $0.precedes($1) } }
        start = end
      }
    }
    return sorted
  }

  /// In the order of the byte of the hash above `shift`, else as they were.
  private static func distributed(
    _ parts: [[Entry]], by shift: UInt64, _ count: Int
  ) -> [Entry] {
    var next = [Int](repeating: 0, count: 257)
    for part in parts {
      for entry in part { next[Int(entry.hash >> shift & 0xFF) + 1] += 1 }
    }
    for value in 1...256 { next[value] += next[value - 1] }
    return [Entry](unsafeUninitializedCapacity: count) { result, filled in
      for part in parts {
        for entry in part {
          let value = Int(entry.hash >> shift & 0xFF)
          result.initializeElement(at: next[value], to: entry)
          next[value] += 1
        }
      }
      filled = count
    }
  }
}
