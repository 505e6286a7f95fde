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

    /// Whether placeholders may stand in it anywhere.
    let isRedacted: Bool

    /// What stands instead of secrets in it is as good as anything that does.
    fileprivate var comparedName: [UInt8] {
      isRedacted ? Placeholder.withoutNumbers(name) ?? name : name
    }

    fileprivate func isSame(as asked: Pair) -> Bool {
      guard isRedacted else { return value == asked.value }
      guard Placeholder.isText(name, sameAs: asked.name) else { return false }
      guard isSecret || asked.isSecret else {
        return Placeholder.isText(value, sameAs: asked.value)
      }
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
    let recordedValues = Dictionary(grouping: recorded, by: \.comparedName)
    let askedValues = Dictionary(grouping: asked, by: \.comparedName)
    var seen: Set<[UInt8]> = []
    for pair in recorded + asked where seen.insert(pair.comparedName).inserted {
      let name = pair.name
      let left = recordedValues[pair.comparedName] ?? []
      let right = askedValues[pair.comparedName] ?? []
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
      guard let rules else {
        return Pair(name: pair.name, value: pair.value, isSecret: false, isRedacted: false)
      }
      let isSecret = pair.name.withUnsafeBytes { name in
        pair.value.withUnsafeBytes { rules.isPlace(queryName: name, value: $0) }
      }
      let concealed = ReferenceSecrets(rules: rules).replacing(
        inNestedReference: pair.value[...], by: { _ in Array("REDACTED".utf8) })
      return Pair(
        name: pair.name, value: concealed ?? pair.value, isSecret: isSecret, isRedacted: true)
    }
  }
}
