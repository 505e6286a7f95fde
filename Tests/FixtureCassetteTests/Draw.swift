import FixtureCassette

/// Draws the same numbers on every run.
struct Draw {
  var state: UInt64

  /// From 0 up to, but not including, the bound.
  mutating func next(_ bound: Int) -> Int {
    state &+= 1
    return Int(withUnsafeBytes(of: state) { StableHash.value(of: $0) } % UInt64(bound))
  }

  mutating func element<Element>(of elements: [Element]) -> Element {
    elements[next(elements.count)]
  }

  mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
    var elements = elements
    for index in elements.indices.dropFirst() { elements.swapAt(index, next(index + 1)) }
    return elements
  }
}
