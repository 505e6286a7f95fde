import FixtureHTTP

/// A set of short names in lower case, asked for raw bytes of any case.
///
/// Names of one length lie side by side, because every pair of every query is looked up: a name
/// is only compared with those of its own length, and nothing is allocated.
struct NameSet: Equatable, Sendable {
  /// Of each length from 0: the names one after the other, sorted.
  private var names: [[UInt8]] = []

  init(_ names: [[UInt8]]) {
    for name in names { insert(name) }
  }

  /// - Precondition: the name is not empty; it is in lower case.
  mutating func insert(_ name: [UInt8]) {
    precondition(!name.isEmpty, "a name without a letter")
    guard !name.withUnsafeBytes({ contains($0) }) else { return }
    while names.count <= name.count { names.append([]) }
    let group = names[name.count]
    var position = 0
    while position < group.count, group[position...].lexicographicallyPrecedes(name) {
      position += name.count
    }
    names[name.count].insert(contentsOf: name, at: position)
  }

  /// Whether the set holds the name, in any case.
  func contains(_ name: UnsafeRawBufferPointer) -> Bool {
    guard name.count > 0, name.count < names.count else { return false }
    return names[name.count].withUnsafeBytes { group in
      var start = 0
      while start < group.count {
        var index = 0
        while index < name.count, name[index].asciiLowercased == group[start + index] { index += 1 }
        if index == name.count { return true }
        start += name.count
      }
      return false
    }
  }
}
