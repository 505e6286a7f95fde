/// A set of short names in lower case, asked for raw bytes of any case.
///
/// Names of one length lie side by side, because every pair of every query is looked up: a name
/// is only compared with those of its own length, and nothing is allocated. A class, because what
/// holds it is copied about, and each copy would retain its parts.
final class NameSet: Equatable, Sendable {
  /// By length, those of one length sorted.
  private let names: [UInt8]
  /// Where the names of each length from 0 start, and behind the last ones.
  private let starts: [Int]

  /// - Precondition: no name is empty; they are in lower case.
  init(_ names: [[UInt8]]) {
    precondition(names.allSatisfy { !$0.isEmpty }, "a name without a letter")
    let sorted = Set(names).sorted {
      $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count < $1.count
    }
    self.names = Array(sorted.joined())
    let longest = sorted.last?.count ?? 0
    starts = (0...(longest + 1)).map { length in
      sorted.prefix { $0.count < length }.reduce(0) { $0 + $1.count }
    }
  }

  private init(copyOf other: NameSet) {
    names = other.names
    starts = other.starts
  }

  func copy() -> NameSet { NameSet(copyOf: self) }

  static func == (left: NameSet, right: NameSet) -> Bool {
    left.names == right.names && left.starts == right.starts
  }

  /// Whether the set holds the name, in any case.
  func contains(_ name: UnsafeRawBufferPointer) -> Bool {
    guard name.count > 0, name.count + 1 < starts.count else { return false }
    var start = starts[name.count]
    let end = starts[name.count + 1]
    while start < end {
      var index = 0
      while index < name.count, Self.lowercased(name[index]) == names[start + index] { index += 1 }
      if index == name.count { return true }
      start += name.count
    }
    return false
  }

  @inline(__always)
  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }
}
