import FixtureCassette

/// The object that a request to the control API sends: every member is taken by name and type, what
/// nobody took is an error.
struct ControlContent {
  private var members: [String: JSONNode] = [:]
  private var taken: Set<String> = []

  /// - Parameter content: empty is the same as an object without members.
  init(_ content: [UInt8]) throws(ControlError) {
    guard !content.isEmpty else { return }
    guard let node = JSONNode(content) else {
      throw ControlError(400, "the content is no JSON text (RFC 8259)")
    }
    guard case .object(let members) = node else {
      throw ControlError(400, "the content must be a JSON object")
    }
    for member in members {
      let name = String(decoding: member.name, as: UTF8.self)
      guard self.members.updateValue(member.value, forKey: name) == nil else {
        throw ControlError(400, "the member \(name.debugDescription) is given twice")
      }
    }
  }

  mutating func string(_ name: String) throws(ControlError) -> String? {
    guard let node = take(name) else { return nil }
    guard let text = node.text else { throw wrong(name, "a string") }
    return text
  }

  mutating func boolean(_ name: String) throws(ControlError) -> Bool? {
    guard let node = take(name) else { return nil }
    guard let truth = node.truth else { throw wrong(name, "true or false") }
    return truth
  }

  mutating func integer(
    _ name: String, in range: ClosedRange<Int64>
  ) throws(ControlError) -> Int64? {
    guard let node = take(name) else { return nil }
    guard let number = node.integer, range.contains(number) else {
      throw wrong(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A seed may be larger than what every JSON reader takes for exact, so it may be a string too.
  mutating func seed(_ name: String) throws(ControlError) -> UInt64? {
    guard let node = take(name) else { return nil }
    let digits = node.text ?? node.spelling.map { String(decoding: $0, as: UTF8.self) } ?? ""
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let seed = UInt64(digits)
    else { throw wrong(name, "a whole number up to \(UInt64.max)") }
    return seed
  }

  mutating func strings(_ name: String) throws(ControlError) -> [String]? {
    guard let node = take(name) else { return nil }
    guard case .array(let elements) = node else { throw wrong(name, "an array of strings") }
    let texts = elements.compactMap(\.text)
    guard texts.count == elements.count else { throw wrong(name, "an array of strings") }
    return texts
  }

  /// To be called when all that is known was taken.
  func end() throws(ControlError) {
    guard let unknown = members.keys.filter({ !taken.contains($0) }).min() else { return }
    let known = taken.sorted()
    let near = EditDistance.nearest(to: unknown, in: known)
    let expected =
      known.isEmpty
      ? "no members are expected"
      : near.map { "did you mean \($0)?" } ?? "expected \(known.joined(separator: ", "))"
    throw ControlError(400, "there is no member \(unknown.debugDescription), \(expected)")
  }

  private mutating func take(_ name: String) -> JSONNode? {
    taken.insert(name)
    guard let node = members[name], node.type != .null else { return nil }
    return node
  }

  private func wrong(_ name: String, _ expected: String) -> ControlError {
    ControlError(400, "the member \(name) must be \(expected)")
  }
}
