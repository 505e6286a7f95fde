import FixtureCassette
import FixtureHTTP

/// One recording of each match key, and what its method, target and upstream are made of.
struct TargetTable: Sendable {
  private let ids: [Int64]
  private let features: FeatureTable

  private struct Part: Sendable {
    var ids: [Int64] = []
    var features = FeatureTable()
  }

  /// - Parameters:
  ///   - ids: the first interaction of each key.
  init<Source: InteractionSource>(
    _ ids: [Int64], _ source: Source
  ) throws(Source.Failure) {
    let firsts = Set(ids)
    let parts = try source.foldRequests(from: Part()) { part, request in
      guard firsts.contains(request.id) else { return }
      part.ids.append(request.id)
      part.features.append(
        Self.features(
          method: request.method, target: Array(request.target), upstream: request.upstream))
    }
    self.ids = parts.flatMap(\.ids)
    var features = FeatureTable()
    for part in parts { features.append(contentsOf: part.features) }
    self.features = features
  }

  /// The first interactions of the keys that are closest to a request's.
  func nearest(
    method: Method, target: [UInt8], upstream: String?, count: Int
  ) -> [Int64] {
    features.nearest(
      to: Self.features(method: method, target: target, upstream: upstream), count: count
    ).map { ids[$0] }
  }

  /// The path counts as a whole, and segment by segment from either end; a pair of the query by its
  /// name, and with its value.
  private static func features(
    method: Method, target: [UInt8], upstream: String?
  ) -> [UInt16] {
    var features: [UInt16] = []
    func append(_ mark: UInt64, _ bytes: some Sequence<UInt8>) {
      let hash = StableHash.value(of: Array(bytes)).mixed(with: mark)
      features.append(UInt16(truncatingIfNeeded: hash))
    }
    append(1, method.bytes)
    append(2, (upstream ?? "").utf8)
    let (path, query) = RequestTarget.split(target)
    append(3, path)
    let segments = path.split(separator: 0x2F, maxSplits: Self.piecesMax)
    for (index, segment) in segments.enumerated() {
      append(16 + UInt64(index), segment)
      append(64 + UInt64(segments.count - index), segment)
    }
    for pair in QueryPairs.pairs((query ?? [])).prefix(Self.piecesMax) {
      append(4, pair.name)
      append(5, pair.name + [0] + pair.value)
    }
    return features
  }

  /// Segments and pairs beyond this count for nothing.
  private static let piecesMax = 32
}
