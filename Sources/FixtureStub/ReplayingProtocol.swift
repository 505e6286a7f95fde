import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers the requests of one `URLSessionConfiguration`, and of nothing else.
///
/// A session makes its protocols itself, of a class, and tells them nothing about where they came
/// from; a private field in the request would be seen by whoever looks at it, and a property of it
/// does not survive on Linux. So each configuration gets a class of its own: `Isolated` with
/// another type argument each time, which costs its metadata and no more.
class ReplayingProtocol: URLProtocol {
  final class Isolated<Tag>: ReplayingProtocol {}

  private enum End {}
  private enum Zero<Rest> {}
  private enum One<Rest> {}

  /// The class with this number; another one for each number.
  static func isolated(_ number: UInt64) -> ReplayingProtocol.Type { isolated(number, End.self) }

  /// The binary digits of the number become a type: 6 is `Zero<One<One<End>>>` from inside out.
  private static func isolated<Rest>(
    _ number: UInt64, _ rest: Rest.Type
  ) -> ReplayingProtocol.Type {
    if number == 0 { return Isolated<Rest>.self }
    return number.isMultiple(of: 2)
      ? isolated(number / 2, Zero<Rest>.self) : isolated(number / 2, One<Rest>.self)
  }
}
