import FixtureCassette

/// The fingerprints of recorded contents that are compared by value, and what they are made of: 20
/// bytes each, and two for each of their features.
final class ContentValues: Sendable {
  /// In a `ContentTable`, ascending.
  private let positions: [UInt32]
  private let fingerprints: HashChains

  /// - Parameter fingerprints: one for each of `positions`.
  init(positions: [UInt32], fingerprints: [UInt64]) {
    self.positions = positions
    var chains = HashChains()
    for fingerprint in fingerprints { chains.append(fingerprint) }
    self.fingerprints = chains
  }

  /// Of the contents that may have this fingerprint's value, ascending.
  func positions(of fingerprint: UInt64) -> [Int] {
    fingerprints.positions(of: fingerprint).map { Int(positions[$0]) }
  }
}

extension ContentValues {
  /// What some of the contents give.
  private struct Part: Sendable {
    /// Where each stands in the table.
    var positions: [UInt32] = []
    var fingerprints: [UInt64] = []
    var features = ContentFeatures()
  }

  /// Reads the contents, each once, in the order in which they are stored.
  static func make<Source: InteractionSource>(
    of table: ContentTable, _ keys: ContentKeys, _ source: Source
  ) throws(Source.Failure) -> ContentValues {
    let order = table.valuesByBody
    var bodies: [StoredContent] = []
    /// Of each body its first place in `order`.
    var starts: [Int] = []
    for (place, position) in order.enumerated() where bodies.last?.id != table.bodyID(position) {
      bodies.append(StoredContent(id: table.bodyID(position), size: table.size(position)))
      starts.append(place)
    }
    let parts = try source.foldContents(bodies, from: Part()) { [starts] part, index, bytes in
      let end = index + 1 < starts.count ? starts[index + 1] : order.count
      for position in order[starts[index]..<end] {
        part.features.removeAll()
        part.fingerprints.append(
          keys.fingerprint(of: bytes, table.form(position), features: &part.features))
        part.positions.append(UInt32(position))
      }
    }
    return ContentValues(parts)
  }

  /// What could not be read has no value: it is found by its bytes alone.
  private convenience init(_ parts: [Part]) {
    let positions = parts.flatMap(\.positions)
    let fingerprints = parts.flatMap(\.fingerprints)
    if zip(positions, positions.dropFirst()).allSatisfy({ $0 < $1 }) {
      self.init(positions: positions, fingerprints: fingerprints)
    } else {
      let order = positions.indices.sorted { positions[$0] < positions[$1] }
      self.init(
        positions: order.map { positions[$0] }, fingerprints: order.map { fingerprints[$0] })
    }
  }
}
