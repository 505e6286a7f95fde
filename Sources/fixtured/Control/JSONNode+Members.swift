import FixtureCassette

/// What the control API answered, by its names.
extension JSONNode {
  /// Of an object; nil when it has none, or this is no object.
  func member(_ name: String) -> JSONNode? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == Array(name.utf8) }?.value
  }

  /// Whether it is an object with such a member.
  func has(_ name: String) -> Bool { member(name) != nil }

  /// Of an array; none when this is none.
  var elements: [JSONNode] {
    if case .array(let elements) = self { elements } else { [] }
  }

  func text(_ name: String) -> String? { member(name)?.text }

  func integer(_ name: String) -> Int64? { member(name)?.integer }

  func number(_ name: String) -> Double? {
    guard case .scalar(let scalar)? = member(name), scalar.type == .number else { return nil }
    return Double(String(decoding: scalar.spelling, as: UTF8.self))
  }
}
