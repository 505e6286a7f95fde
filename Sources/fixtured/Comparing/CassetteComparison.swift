import FixtureCassette
import FixtureHTTP
import FixtureStore

/// Which interactions of two cassettes belong together.
///
/// Those with the same upstream name, method and target do, in their order: first of all those
/// that are the same, then those whose request has the same content, then what is left.
struct CassetteComparison {
  enum Match: Equatable {
    case both(left: Int64, right: Int64)
    case left(Int64)
    case right(Int64)
  }

  /// In the order of the first cassette, what is only in the second at the end.
  private(set) var matches: [Match] = []
  /// Whether those in both come in another order.
  private(set) var isReordered = false

  private struct Key: Hashable {
    let upstream: String?
    let method: Method
    let target: [UInt8]
  }

  init(_ left: CassetteReader, _ right: CassetteReader) throws(StoreError) {
    let leftGroups = try Self.groups(left)
    let rightGroups = try Self.groups(right)
    var partners: [Int64: Int64] = [:]
    for (key, ids) in leftGroups.ids {
      guard let others = rightGroups.ids[key] else { continue }
      for (id, other) in try Self.pairs(ids, left, others, right) { partners[id] = other }
    }
    var taken: Set<Int64> = []
    var last: Int64 = 0
    for id in leftGroups.order {
      guard let other = partners[id] else {
        matches.append(.left(id))
        continue
      }
      matches.append(.both(left: id, right: other))
      taken.insert(other)
      if other < last { isReordered = true }
      last = max(last, other)
    }
    matches += rightGroups.order.filter { !taken.contains($0) }.map { .right($0) }
  }

  private static func groups(
    _ reader: CassetteReader
  ) throws(StoreError) -> (ids: [Key: [Int64]], order: [Int64]) {
    var ids: [Key: [Int64]] = [:]
    let order = try reader.interactionIDs()
    try reader.forEachRequest(of: order) { row in
      let key = Key(upstream: row.upstream, method: row.method, target: Array(row.target))
      ids[key, default: []].append(row.id)
    }
    return (ids, order)
  }

  private static func pairs(
    _ left: [Int64], _ leftReader: CassetteReader, _ right: [Int64], _ rightReader: CassetteReader
  ) throws(StoreError) -> [(Int64, Int64)] {
    if left.count == 1, right.count == 1 { return [(left[0], right[0])] }
    let before = try facts(left, leftReader)
    let now = try facts(right, rightReader)
    let pairs = Alignment.pairs(left.count, right.count) { first, second in
      if before[first].identity == now[second].identity { return 5 }
      return before[first].content == now[second].content ? 3 : 1
    }
    return pairs.map { (left[$0.left], right[$0.right]) }
  }

  private static func facts(
    _ ids: [Int64], _ reader: CassetteReader
  ) throws(StoreError) -> [(identity: InteractionIdentity, content: [UInt8]?)] {
    var facts: [(identity: InteractionIdentity, content: [UInt8]?)] = []
    for id in ids {
      let interaction = try reader.interaction(id: id)
      facts.append(
        (
          InteractionIdentity(interaction, withDate: false, lasting: LastingValue.bytes(of:)),
          interaction.requestBody?.digest
        ))
    }
    return facts
  }
}
