/// Which types a JSON value has where, its values aside: what a client's decoder depends on.
package struct JSONShape: Equatable, Sendable {
  /// By place: the names that lead there, `*` for the elements of an array.
  private var types: [[[UInt8]]: Set<JSONNode.ValueType>] = [:]
  /// Arrays without elements, which say nothing of those that might be there.
  private var emptyArrays: Set<[[UInt8]]> = []
  private var order: [[[UInt8]]] = []

  package init(_ node: JSONNode) {
    add(node, at: [])
  }

  private mutating func add(_ node: JSONNode, at place: [[UInt8]]) {
    if types[place] == nil { order.append(place) }
    types[place, default: []].insert(node.type)
    switch node {
    case .scalar: break
    case .object(let members):
      for member in members { add(member.value, at: place + [member.name]) }
    case .array(let elements):
      if elements.isEmpty { emptyArrays.insert(place) }
      for element in elements { add(element, at: place + [Self.anyElement]) }
    }
  }

  /// What a place has come to be, or ceased to be.
  package struct Difference: Equatable, Sendable {
    /// Names with `/` before each, as in RFC 6901; `*` stands for every element.
    package let place: [UInt8]
    /// Sorted; empty where there was nothing.
    package let before: [JSONNode.ValueType]
    package let now: [JSONNode.ValueType]
  }

  /// In the order of this shape, then what is new in the other. Of places that came or went with
  /// one around them only the outermost is told.
  package func differences(to other: JSONShape) -> [Difference] {
    var differences: [Difference] = []
    for place in order + other.order.filter({ types[$0] == nil }) {
      let before = types[place] ?? []
      let now = other.types[place] ?? []
      guard before != now else { continue }
      if before.isEmpty || now.isEmpty {
        let parent = Array(place.dropLast())
        // Nobody knows what an empty array might hold.
        if place.last == Self.anyElement, isOpen(parent) || other.isOpen(parent) { continue }
        guard types[parent] != nil, other.types[parent] != nil else { continue }
      }
      differences.append(
        Difference(
          place: JSONPointer(tokens: place).text, before: Self.sorted(before),
          now: Self.sorted(now)))
    }
    return differences
  }

  private func isOpen(_ place: [[UInt8]]) -> Bool { emptyArrays.contains(place) }

  private static func sorted(_ types: Set<JSONNode.ValueType>) -> [JSONNode.ValueType] {
    types.sorted { $0.rawValue < $1.rawValue }
  }

  private static let anyElement: [UInt8] = [0x2A]
}
