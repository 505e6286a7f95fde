import FixtureCassette

/// The fingerprints of recorded contents that are compared by value, and what they are made of:
/// some 25 bytes each, and two for each of their features.
final class ContentValues: Sendable {
  /// In all contents of one key: 16 MiB. Where they would be more, fewer of each are kept.
  static let featuresMax = 8 << 20

  /// In a `ContentTable`, ascending.
  private let positions: [UInt32]
  private let fingerprints: HashChains
  private let features: FeatureTable

  /// What one content gives, and where it stands in the table.
  private struct Value {
    let position: UInt32
    let fingerprint: UInt64
    let features: ArraySlice<UInt16>
  }

  /// - Parameter values: with ascending positions.
  private init(_ values: some Sequence<Value>) {
    var positions: [UInt32] = []
    var fingerprints = HashChains()
    var features = FeatureTable()
    for value in values {
      positions.append(value.position)
      fingerprints.append(value.fingerprint)
      features.append(value.features)
    }
    self.positions = positions
    self.fingerprints = fingerprints
    self.features = features
  }

  /// The fingerprint of the content at a position, and the contents that may have its value,
  /// ascending; nil when it has none.
  func value(at position: Int) -> (fingerprint: UInt64, positions: [Int])? {
    index(of: position).map { index in
      (fingerprints.hash(at: index), fingerprints.positions(like: index).map { Int(positions[$0]) })
    }
  }

  private func index(of position: Int) -> Int? {
    // Most often all contents of a table have a value.
    if position < positions.count, positions[position] == position { return position }
    var low = 0
    var high = positions.count
    while low < high {
      let middle = (low + high) / 2
      if positions[middle] < position { low = middle + 1 } else { high = middle }
    }
    return low < positions.count && positions[low] == position ? low : nil
  }

  /// The contents that have most in common with one, the closest first.
  func nearest(to asked: ContentFeatures, count: Int) -> [Int] {
    features.nearest(to: asked.values, count: count).map { Int(positions[$0]) }
  }

  /// Of the contents that may have this fingerprint's value, ascending.
  func positions(of fingerprint: UInt64) -> [Int] {
    fingerprints.positions(of: fingerprint).map { Int(positions[$0]) }
  }
}

extension ContentValues {
  /// What some of the contents give.
  private struct Part: Sendable {
    var positions: [UInt32] = []
    var fingerprints: [UInt64] = []
    var features = FeatureTable()
    /// Of the content that is being read.
    var last: ContentFeatures

    var values: some Sequence<Value> {
      positions.indices.lazy.map { [self] index in
        Value(
          position: positions[index], fingerprint: fingerprints[index], features: features[index])
      }
    }
  }

  /// Reads the contents, each once, in the order in which they are stored. What could not be read
  /// has no value: it is found by its bytes alone.
  /// - Parameter isExplaining: whether `nearest` will be asked for.
  static func make<Source: InteractionSource>(
    of table: ContentTable, _ keys: ContentKeys, isExplaining: Bool, _ source: Source
  ) throws(Source.Failure) -> ContentValues {
    let order = table.valuesByBody
    var bodies: [StoredContent] = []
    /// Of each body its first place in `order`.
    var starts: [Int] = []
    for (place, position) in order.enumerated() where bodies.last?.id != table.bodyID(position) {
      bodies.append(StoredContent(id: table.bodyID(position), size: table.size(position)))
      starts.append(place)
    }
    let max = isExplaining ? featuresMax / Swift.max(1, order.count) : 0
    let initial = Part(last: ContentFeatures(max: max))
    let parts = try source.foldContents(bodies, from: initial) { [starts] part, index, bytes in
      let end = index + 1 < starts.count ? starts[index + 1] : order.count
      for position in order[starts[index]..<end] {
        part.last.removeAll()
        part.fingerprints.append(
          keys.fingerprint(of: bytes, table.form(position), features: &part.last))
        part.positions.append(UInt32(position))
        part.features.append(part.last.values)
      }
    }
    let values = parts.lazy.flatMap(\.values)
    let positions = parts.flatMap(\.positions)
    let isSorted = zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 }
    return isSorted
      ? ContentValues(values) : ContentValues(values.sorted { $0.position < $1.position })
  }
}
