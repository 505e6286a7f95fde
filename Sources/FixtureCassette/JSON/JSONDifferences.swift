/// Finds what differs between two JSON texts: the members and elements that are in one alone, and
/// the values that are others.
///
/// Elements are compared place by place; where one array is longer, what they begin and end with in
/// common is left out first, so that one more element is one difference.
struct JSONDifferences {
  private let recorded: JSONTree
  private let asked: JSONTree
  private let isSecret: (_ name: [UInt8]) -> Bool
  private var found: Differences
  private var tokens: [[UInt8]] = []
  /// How many tokens lead to the outermost array that is longer in one; nil outside of such.
  private var longerArray: Int?

  /// - Parameter isSecret: whether what stands under a name may not be shown.
  static func append(
    recorded: JSONTree, asked: JSONTree, to found: inout Differences,
    isSecret: @escaping (_ name: [UInt8]) -> Bool
  ) {
    var differences = JSONDifferences(
      recorded: recorded, asked: asked, isSecret: isSecret, found: found)
    differences.compare(0, 0)
    found = differences.found
  }

  private mutating func compare(_ left: Int, _ right: Int) {
    let (one, other) = (recorded.nodes[left], asked.nodes[right])
    // Different values of one hash would only cost a hint.
    guard one.hash != other.hash, !found.isFull else { return }
    switch (one.kind, other.kind) {
    case (.object, .object): members(left, right)
    case (.array, .array): elements(left, right)
    default: append(left, right)
    }
  }

  private mutating func members(_ left: Int, _ right: Int) {
    for (left, right) in pairs(recorded.sortedMembers(of: left), asked.sortedMembers(of: right)) {
      if let left {
        tokens.append(recorded.text(recorded.nodes[left].name))
      } else if let right {
        tokens.append(asked.text(asked.nodes[right].name))
      }
      step(left, right)
    }
  }

  /// Members of the same name, in the order of the recorded text, then what is new.
  private func pairs(_ left: [Int], _ right: [Int]) -> [(left: Int?, right: Int?)] {
    var pairs: [(left: Int?, right: Int?)] = []
    var next = 0
    for member in left {
      let node = recorded.nodes[member]
      while next < right.count,
        Self.precedes(asked.nodes[right[next]], in: asked, node, in: recorded)
      {
        pairs.append((nil, right[next]))
        next += 1
      }
      if next < right.count,
        !Self.precedes(node, in: recorded, asked.nodes[right[next]], in: asked)
      {
        pairs.append((member, right[next]))
        next += 1
      } else {
        pairs.append((member, nil))
      }
    }
    pairs += right[next...].map { (nil, $0) }
    return pairs.sorted {
      ($0.left ?? .max, $0.right ?? .max) < ($1.left ?? .max, $1.right ?? .max)
    }
  }

  /// By the hashes of the names, then by name, as `sortedMembers` has them.
  private static func precedes(
    _ left: JSONTree.Node, in leftTree: JSONTree, _ right: JSONTree.Node, in rightTree: JSONTree
  ) -> Bool {
    if left.nameHash != right.nameHash { return left.nameHash < right.nameHash }
    if leftTree.hasSameText(left.name, as: right.name, in: rightTree) { return false }
    return leftTree.text(left.name).lexicographicallyPrecedes(rightTree.text(right.name))
  }

  private mutating func elements(_ left: Int, _ right: Int) {
    let left = recorded.children(of: left)
    let right = asked.children(of: right)
    let isSame = { [recorded, asked] (left: Int, right: Int) in
      recorded.nodes[left].hash == asked.nodes[right].hash
    }
    var start = 0
    var same = 0
    let outside = longerArray
    if left.count != right.count {
      longerArray = longerArray ?? tokens.count
      let shorter = min(left.count, right.count)
      while start < shorter, isSame(left[start], right[start]) { start += 1 }
      while same < shorter - start,
        isSame(left[left.count - 1 - same], right[right.count - 1 - same])
      {
        same += 1
      }
    }
    for index in start..<max(left.count, right.count) - same {
      tokens.append(Array(String(index).utf8))
      step(
        index < left.count - same ? left[index] : nil,
        index < right.count - same ? right[index] : nil)
    }
    longerArray = outside
  }

  /// Compares what the last token leads to, and takes it back.
  private mutating func step(_ left: Int?, _ right: Int?) {
    if let left, let right {
      compare(left, right)
    } else if !found.isFull {
      append(left, right)
    }
    tokens.removeLast()
  }

  private mutating func append(_ left: Int?, _ right: Int?) {
    let hidden = tokens.contains(where: isSecret)
    let ignored = JSONPointer(tokens: Array(tokens.prefix(longerArray ?? tokens.count)))
    found.append(change: MatchWord.change(ignoring: ignored)) { change in
      Difference(
        .json(JSONPointer(tokens: tokens)),
        recorded: left.map { hidden ? .secret : recorded.excerpt($0) },
        asked: right.map { hidden ? .secret : asked.excerpt($0) }, change: change)
    }
  }
}

extension JSONTree {
  /// A value as it stands in the text; of a container only what it is, since what it holds may be
  /// secret.
  func excerpt(_ index: Int) -> ValueExcerpt {
    let node = nodes[index]
    switch node.kind {
    case .object: return ValueExcerpt("an object of \(node.count)")
    case .array: return ValueExcerpt("an array of \(node.count)")
    case .string: return ValueExcerpt([0x22] + bytes[node.text.range] + [0x22])
    case .number: return ValueExcerpt(bytes[node.text.range])
    case .true: return ValueExcerpt("true")
    case .false: return ValueExcerpt("false")
    case .null: return ValueExcerpt("null")
    case .omitted: return ValueExcerpt("")
    }
  }
}

extension MatchWord {
  /// What makes a place of content count no more.
  static func change(ignoring place: JSONPointer) -> String {
    guard !place.tokens.isEmpty, isSpeakable(place.text) else { return "-content" }
    return "+" + MatchWord.contentIgnore(place).text
  }

  /// What makes a pair of a query count no more.
  static func change(ignoringQuery name: [UInt8]) -> String {
    guard !name.isEmpty, isSpeakable(name) else { return "-query" }
    return "+" + MatchWord.queryIgnore(name).text
  }

  /// Whether a name can be given on a command line and read again.
  private static func isSpeakable(_ name: [UInt8]) -> Bool {
    String(validating: name, as: UTF8.self) != nil && name.count <= 200
      && !name.contains { $0 < 0x20 || $0 == 0x7F }
      // White space at its ends does not belong to a word.
      && !(name.last?.isOptionalWhitespace ?? true) && !(name.first?.isOptionalWhitespace ?? true)
  }
}
