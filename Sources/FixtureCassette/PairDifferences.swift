import FixtureHTTP

/// Finds what differs between the pairs of two queries or forms: the order between different names
/// does not matter, within a name it does.
struct PairDifferences {
  struct Pair {
    let name: [UInt8]
    /// Decoded; without secrets.
    let value: [UInt8]
    /// Whether it is a redacted place: then it is compared by its presence, unless both hold
    /// placeholders.
    let isSecret: Bool

    fileprivate func isSame(as asked: Pair) -> Bool {
      guard isSecret || asked.isSecret else { return value == asked.value }
      guard let placeholder = Placeholder(asked.value) else { return true }
      return Placeholder(value) == placeholder
    }

    fileprivate var excerpt: ValueExcerpt {
      isSecret && Placeholder(value) == nil ? .secret : ValueExcerpt(value)
    }
  }

  static func append(
    recorded: [Pair], asked: [Pair], to found: inout Differences,
    place: ([UInt8]) -> Difference.Place, change: ([UInt8]) -> String
  ) {
    let recordedValues = Dictionary(grouping: recorded, by: \.name)
    let askedValues = Dictionary(grouping: asked, by: \.name)
    var seen: Set<[UInt8]> = []
    for name in (recorded + asked).map(\.name) where seen.insert(name).inserted {
      let left = recordedValues[name] ?? []
      let right = askedValues[name] ?? []
      for index in 0..<max(left.count, right.count) where !found.isFull {
        let one = index < left.count ? left[index] : nil
        let other = index < right.count ? right[index] : nil
        if let one, let other, one.isSame(as: other) { continue }
        found.append(change: change(name)) { change in
          Difference(
            place(name), recorded: one?.excerpt, asked: other?.excerpt, change: change)
        }
      }
    }
  }

  /// The pairs of a query or a form, as they may be shown.
  static func pairs(_ query: ArraySlice<UInt8>, _ rules: RedactionRules?) -> [Pair] {
    QueryPairs.pairs(query).map { pair in
      guard let rules else { return Pair(name: pair.name, value: pair.value, isSecret: false) }
      let isSecret = pair.name.withUnsafeBytes { name in
        pair.value.withUnsafeBytes { rules.isPlace(queryName: name, value: $0) }
      }
      let concealed = ReferenceSecrets(rules: rules).replacing(
        inNestedReference: pair.value[...], by: { _ in Array("REDACTED".utf8) })
      return Pair(name: pair.name, value: concealed ?? pair.value, isSecret: isSecret)
    }
  }
}
