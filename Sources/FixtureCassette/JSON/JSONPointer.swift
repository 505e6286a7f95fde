/// A place in a JSON text (RFC 6901): the names and positions that lead to it from the outside.
package struct JSONPointer: Hashable, Sendable {
  /// Names as UTF-8, positions in decimal; empty for the whole text.
  package let tokens: [[UInt8]]

  package init(tokens: [[UInt8]]) {
    self.tokens = tokens
  }

  /// Parses the text of RFC 6901 §3: empty, or `/` before each token, `~0` for `~`, `~1` for `/`.
  /// - Returns: nil for anything else.
  package init?(_ text: some Collection<UInt8>) {
    guard let first = text.first else {
      tokens = []
      return
    }
    guard first == 0x2F else { return nil }
    var tokens: [[UInt8]] = []
    for token in text.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false) {
      guard let unescaped = Self.unescaped(token) else { return nil }
      tokens.append(unescaped)
    }
    self.tokens = tokens
  }

  private static func unescaped(_ token: some Collection<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var afterTilde = false
    for byte in token {
      switch (afterTilde, byte) {
      case (true, 0x30): result.append(0x7E)
      case (true, 0x31): result.append(0x2F)
      case (true, _): return nil
      case (false, 0x7E): break
      case (false, _): result.append(byte)
      }
      afterTilde = !afterTilde && byte == 0x7E
    }
    return afterTilde ? nil : result
  }

  /// The text that gives this pointer again.
  package var text: [UInt8] {
    tokens.flatMap { token in
      [0x2F]
        + token.flatMap { byte -> [UInt8] in
          switch byte {
          case 0x7E: [0x7E, 0x30]
          case 0x2F: [0x7E, 0x31]
          default: [byte]
          }
        }
    }
  }
}

/// Pointers as a tree, to be walked along a text: a step for each name or position on the way.
struct JSONPointerTree: Equatable, Sendable {
  private struct Node: Equatable, Sendable {
    var children: [(token: [UInt8], node: Int)] = []
    var isEnd = false

    static func == (left: Node, right: Node) -> Bool {
      left.isEnd == right.isEnd && left.children.elementsEqual(right.children, by: ==)
    }
  }

  /// The first is the root, which stands for the whole text.
  private var nodes = [Node()]

  init(_ pointers: [JSONPointer] = []) {
    for pointer in pointers { insert(pointer) }
  }

  /// Where a walk begins; nil when there is nothing to find.
  var root: Int? { nodes.count > 1 ? 0 : nil }

  private mutating func insert(_ pointer: JSONPointer) {
    var node = 0
    for token in pointer.tokens {
      if let child = child(of: node, token) {
        node = child
      } else {
        nodes[node].children.append((token, nodes.count))
        node = nodes.count
        nodes.append(Node())
      }
    }
    nodes[node].isEnd = true
  }

  /// nil when no pointer goes on with this token.
  func child(of node: Int, _ token: some Collection<UInt8>) -> Int? {
    nodes[node].children.first { $0.token.elementsEqual(token) }?.node
  }

  /// Whether a pointer names this place.
  func isEnd(_ node: Int) -> Bool { nodes[node].isEnd }
}
