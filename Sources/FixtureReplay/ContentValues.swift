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
  /// Reads the contents, each once, in the order in which they are stored.
  static func make<Source: InteractionSource>(
    of table: ContentTable, _ keys: ContentKeys, _ source: Source
  ) throws(Source.Failure) -> ContentValues {
    let positions = (0..<table.count).filter { table.hasValue($0) }
    // Places in `positions`, by body.
    let places = positions.indices.sorted {
      (table.bodyID(positions[$0]), $0) < (table.bodyID(positions[$1]), $1)
    }
    var bodies: [Int64] = []
    for place in places where bodies.last != table.bodyID(positions[place]) {
      bodies.append(table.bodyID(positions[place]))
    }
    // What can't be read is found by its bytes alone.
    var fingerprints = positions.map { ContentKeys.fingerprint(ofDigest: Array(table.digest($0))) }
    var next = 0
    var features = ContentFeatures()
    try source.forEachContent(of: bodies) { body, bytes in
      while next < places.count, table.bodyID(positions[places[next]]) < body { next += 1 }
      while next < places.count, table.bodyID(positions[places[next]]) == body {
        features.removeAll()
        fingerprints[places[next]] = keys.fingerprint(
          of: bytes, table.form(positions[places[next]]), features: &features)
        next += 1
      }
    }
    return ContentValues(positions: positions.map { UInt32($0) }, fingerprints: fingerprints)
  }
}
