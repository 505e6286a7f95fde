/// Where two JSON values differ, by pointer (RFC 6901).
package struct JSONDifference: Equatable, Sendable {
  package let pointer: JSONPointer
  /// nil when it is only in the second.
  package let left: JSONNode?
  /// nil when it is only in the first.
  package let right: JSONNode?

  /// In the order of the first value, what is only in the second at the end of its container.
  ///
  /// Elements of arrays that are alike at the start or the end belong together; between them they
  /// are compared by position.
  package static func list(_ left: JSONNode, _ right: JSONNode) -> [JSONDifference] {
    var differences: [JSONDifference] = []
    append(left, right, at: [], to: &differences)
    return differences
  }

  private static func append(
    _ left: JSONNode?, _ right: JSONNode?, at tokens: [[UInt8]],
    to differences: inout [JSONDifference]
  ) {
    if left == right { return }
    switch (left, right) {
    case (.object(let left)?, .object(let right)?):
      for pair in pairs(left, right) {
        append(pair.left, pair.right, at: tokens + [pair.name], to: &differences)
      }
    case (.array(let left)?, .array(let right)?):
      append(left, right, at: tokens, to: &differences)
    default:
      differences.append(
        JSONDifference(pointer: JSONPointer(tokens: tokens), left: left, right: right))
    }
  }

  private static func append(
    _ left: [JSONNode], _ right: [JSONNode], at tokens: [[UInt8]],
    to differences: inout [JSONDifference]
  ) {
    let shorter = min(left.count, right.count)
    var begin = 0
    while begin < shorter, left[begin] == right[begin] { begin += 1 }
    var end = 0
    while end < shorter - begin, left[left.count - 1 - end] == right[right.count - 1 - end] {
      end += 1
    }
    for index in begin..<max(left.count, right.count) - end {
      append(
        index < left.count - end ? left[index] : nil,
        index < right.count - end ? right[index] : nil,
        at: tokens + [Array(String(index).utf8)], to: &differences)
    }
  }

  struct Pair {
    let name: [UInt8]
    let left: JSONNode?
    let right: JSONNode?
  }

  /// The members of two objects by name, the nth of one name with the nth of the other.
  static func pairs(_ left: [JSONNode.Member], _ right: [JSONNode.Member]) -> [Pair] {
    var places: [[UInt8]: [Int]] = [:]
    for (index, member) in right.enumerated().reversed() {
      places[member.name, default: []].append(index)
    }
    var pairs: [Pair] = []
    var isTaken = [Bool](repeating: false, count: right.count)
    for member in left {
      let place = places[member.name]?.popLast()
      if let place { isTaken[place] = true }
      pairs.append(
        Pair(name: member.name, left: member.value, right: place.map { right[$0].value }))
    }
    for (index, member) in right.enumerated() where !isTaken[index] {
      pairs.append(Pair(name: member.name, left: nil, right: member.value))
    }
    return pairs
  }
}
