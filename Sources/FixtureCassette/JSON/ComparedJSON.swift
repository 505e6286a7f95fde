/// The tokens of a JSON text that count when it is compared: a scanner that leaves out ignored
/// places.
///
/// A member of an object that is ignored is as good as absent. An element of an array keeps its
/// place, so that those after it keep theirs.
struct ComparedJSON {
  private struct Frame {
    /// In the tree of ignored places; nil when none is below.
    let node: Int?
    /// How many elements of an array have begun; nil in an object.
    var elements: Int?
  }

  private var scanner: JSONScanner
  private let ignored: JSONPointerTree
  private let isIgnoring: Bool
  /// Empty when nothing is ignored.
  private var frames: [Frame] = []
  /// Where the next value stands, when it is not the element of an array.
  private var next: Int?
  private var text: [UInt8] = []

  init(_ bytes: UnsafeRawBufferPointer, ignoring ignored: JSONPointerTree) {
    scanner = JSONScanner(bytes)
    self.ignored = ignored
    next = ignored.root
    isIgnoring = next != nil
  }

  /// Of the last name, string or number.
  var span: JSONScanner.Span { scanner.span }

  /// - Returns: nil for an element of which only the place counts.
  @inline(__always)
  mutating func nextToken() -> JSONScanner.Token? {
    isIgnoring ? nextCompared() : scanner.next()
  }

  private mutating func nextCompared() -> JSONScanner.Token? {
    let token = scanner.next()
    switch token {
    case .name: return memberBegan()
    case .objectEnd, .arrayEnd:
      frames.removeLast()
      return token
    case .object, .array: return containerBegan(token)
    case .string, .number, .true, .false, .null:
      return isIgnored(takePlace()) ? nil : token
    case .end, .invalid: return token
    }
  }

  private func isIgnored(_ node: Int?) -> Bool { node.map { ignored.isEnd($0) } ?? false }

  private mutating func memberBegan() -> JSONScanner.Token? {
    guard let node = frames.last?.node else {
      next = nil
      return .name
    }
    text.removeAll(keepingCapacity: true)
    JSONString.appendText(of: span, in: scanner.bytes, to: &text)
    next = ignored.child(of: node, text)
    guard isIgnored(next) else { return .name }
    return scanner.skipValue() ? nextCompared() : .invalid
  }

  private mutating func containerBegan(_ token: JSONScanner.Token) -> JSONScanner.Token? {
    let node = takePlace()
    if isIgnored(node) { return scanner.skipContainer() ? nil : .invalid }
    if case .array = token {
      frames.append(Frame(node: node, elements: 0))
    } else {
      frames.append(Frame(node: node, elements: nil))
    }
    return token
  }

  /// The node of the value that begins now.
  private mutating func takePlace() -> Int? {
    guard let elements = frames.last?.elements else { return next }
    frames[frames.count - 1].elements = elements + 1
    return frames.last?.node.flatMap { ignored.child(of: $0, String(elements).utf8) }
  }
}
