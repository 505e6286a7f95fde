extension UnsafeRawBufferPointer {
  /// Whether both hold the same bytes; eight a step, which `elementsEqual` does not do.
  package func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var index = 0
    while index &+ 8 <= count {
      guard
        loadUnaligned(fromByteOffset: index, as: UInt64.self)
          == other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      else { return false }
      index &+= 8
    }
    while index < count {
      guard self[index] == other[index] else { return false }
      index &+= 1
    }
    return true
  }
}
