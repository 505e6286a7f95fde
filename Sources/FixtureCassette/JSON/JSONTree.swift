/// The values of a JSON text that count when it is compared, in place: one node each, in the order
/// of the text, so that what a container holds follows it.
package struct JSONTree {
  enum Kind: UInt8 {
    case object, array, string, number
    case `true`, `false`, null
    /// An element of which only the place counts.
    case omitted
  }

  struct Node {
    let kind: Kind
    /// Of a member of an object; meaningless for any other value.
    var name = JSONScanner.Span()
    var nameHash: UInt64 = 0
    /// Of a string or a number.
    var text = JSONScanner.Span()
    /// As `JSONFingerprint` has it: values with different ones differ.
    var hash: UInt64 = 0
    /// The node behind everything it holds.
    var next = 0
    /// Members or elements.
    var count = 0
  }

  let bytes: [UInt8]
  private(set) var nodes: [Node] = []

  /// - Returns: nil when the text is no JSON.
  package init?(_ bytes: [UInt8], ignoring pointers: [JSONPointer] = []) {
    self.init(bytes, ignoring: JSONPointerTree(pointers))
  }

  init?(_ bytes: [UInt8], ignoring ignored: JSONPointerTree) {
    self.bytes = bytes
    nodes.reserveCapacity(bytes.count / 8)
    guard bytes.withUnsafeBytes({ build($0, ignored) }) else { return nil }
  }

  private mutating func build(
    _ bytes: UnsafeRawBufferPointer, _ ignored: JSONPointerTree
  ) -> Bool {
    var json = ComparedJSON(bytes, ignoring: ignored)
    /// The open containers.
    var open: [Int] = []
    var name = JSONScanner.Span()
    while true {
      var node: Node
      switch json.nextToken() {
      case .name?:
        name = json.span
        continue
      case .objectEnd?, .arrayEnd?:
        close(open.removeLast())
        continue
      case .end?: return true
      case .invalid?: return false
      case .object?: node = Node(kind: .object)
      case .array?: node = Node(kind: .array)
      case .string?: node = Node(kind: .string, text: json.span)
      case .number?: node = Node(kind: .number, text: json.span)
      case .true?: node = Node(kind: .true)
      case .false?: node = Node(kind: .false)
      case .null?: node = Node(kind: .null)
      case nil: node = Node(kind: .omitted)
      }
      if let container = open.last {
        nodes[container].count += 1
        if nodes[container].kind == .object {
          node.name = name
          node.nameHash = Self.hash(of: name, in: bytes)
        }
      }
      node.hash = Self.hash(of: node, in: bytes)
      node.next = nodes.count + 1
      if node.kind == .object || node.kind == .array { open.append(nodes.count) }
      nodes.append(node)
    }
  }

  /// Completes a container whose end was met.
  private mutating func close(_ index: Int) {
    let isObject = nodes[index].kind == .object
    var sum: UInt64 = 0
    for child in children(of: index) {
      sum =
        isObject
        ? sum &+ StableHash.mix(nodes[child].nameHash, nodes[child].hash)
        : StableHash.mix(sum, nodes[child].hash)
    }
    let mark: UInt64 = isObject ? 0x7B : 0x5B
    nodes[index].hash = StableHash.mix(
      StableHash.mix(mark, UInt64(nodes[index].count)), sum)
    nodes[index].next = nodes.count
  }

  private static func hash(
    of span: JSONScanner.Span, in bytes: UnsafeRawBufferPointer
  ) -> UInt64 {
    if span.isHashed { return span.hash }
    guard span.isEscaped else { return JSONString.hash(of: span.bytes(in: bytes)) }
    var text: [UInt8] = []
    JSONString.appendText(of: span, in: bytes, to: &text)
    return text.withUnsafeBytes { JSONString.hash(of: $0) }
  }

  /// Of a container it is known at its end.
  private static func hash(of node: Node, in bytes: UnsafeRawBufferPointer) -> UInt64 {
    switch node.kind {
    case .object, .array: 0
    case .string: StableHash.mix(0x73, hash(of: node.text, in: bytes))
    case .number: JSONNumber.hash(of: node.text.bytes(in: bytes))
    case .true: 2
    case .false: 3
    case .null: 4
    case .omitted: 5
    }
  }

  /// The nodes of a container's members or elements.
  func children(of index: Int) -> [Int] {
    var children: [Int] = []
    children.reserveCapacity(nodes[index].count)
    var child = index + 1
    // While a container is open its count is that of what has come.
    for _ in 0..<nodes[index].count {
      children.append(child)
      child = nodes[child].next
    }
    return children
  }

  /// The text of a name or a string.
  func text(_ span: JSONScanner.Span) -> [UInt8] {
    var text: [UInt8] = []
    bytes.withUnsafeBytes { JSONString.appendText(of: span, in: $0, to: &text) }
    return text
  }

  func hasSameText(_ span: JSONScanner.Span, as other: JSONScanner.Span, in tree: JSONTree) -> Bool
  {
    if !span.isEscaped, !other.isEscaped {
      return bytes[span.range] == tree.bytes[other.range]
    }
    return text(span) == tree.text(other)
  }
}

extension JSONTree: Equatable {
  /// Whether the values are the same, by the rule of `ContentKeys`.
  package static func == (left: JSONTree, right: JSONTree) -> Bool {
    left.isSame(0, as: 0, in: right)
  }

  func isSame(_ index: Int, as other: Int, in tree: JSONTree) -> Bool {
    let (left, right) = (nodes[index], tree.nodes[other])
    guard left.hash == right.hash, left.kind == right.kind, left.count == right.count else {
      return false
    }
    switch left.kind {
    case .true, .false, .null, .omitted: return true
    case .string: return hasSameText(left.text, as: right.text, in: tree)
    case .number: return hasSameNumber(left.text, as: right.text, in: tree)
    case .array:
      return zip(children(of: index), tree.children(of: other)).allSatisfy {
        isSame($0, as: $1, in: tree)
      }
    case .object:
      return zip(sortedMembers(of: index), tree.sortedMembers(of: other)).allSatisfy {
        hasSameText(nodes[$0].name, as: tree.nodes[$1].name, in: tree)
          && isSame($0, as: $1, in: tree)
      }
    }
  }

  private func hasSameNumber(
    _ span: JSONScanner.Span, as other: JSONScanner.Span, in tree: JSONTree
  ) -> Bool {
    bytes.withUnsafeBytes { bytes in
      tree.bytes.withUnsafeBytes { others in
        JSONNumber(span.bytes(in: bytes)) == JSONNumber(other.bytes(in: others))
      }
    }
  }

  /// Members by the hash of their names, then by name; equal names in the order given.
  func sortedMembers(of index: Int) -> [Int] {
    let members = children(of: index)
    return members.sorted { left, right in
      let (leftHash, rightHash) = (nodes[left].nameHash, nodes[right].nameHash)
      if leftHash != rightHash { return leftHash < rightHash }
      // Almost always the same name.
      if hasSameText(nodes[left].name, as: nodes[right].name, in: self) { return left < right }
      return text(nodes[left].name).lexicographicallyPrecedes(text(nodes[right].name))
    }
  }
}

extension JSONNumber: Equatable {
  static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    if let spelling = left.spelling {
      return right.spelling.map { $0.elementsEqual(spelling) } ?? false
    }
    return right.spelling == nil && left.isNegative == right.isNegative
      && left.exponent == right.exponent
      && left.digits.lazy.filter { $0 != 0x2E }
        .elementsEqual(right.digits.lazy.filter { $0 != 0x2E })
  }
}
