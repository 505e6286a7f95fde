import Synchronization

/// A number several threads add to.
final class Counter: Sendable {
  private let number = Atomic(0)

  func add(_ amount: Int) {
    number.add(amount, ordering: .sequentiallyConsistent)
  }

  var value: Int { number.load(ordering: .sequentiallyConsistent) }
}
