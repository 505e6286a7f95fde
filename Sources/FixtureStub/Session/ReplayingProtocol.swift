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

  /// What goes on; nil before and after. Used on the task's queue alone.
  private var load: Load?
  private var hasBegun = false

  /// Every request, whatever its scheme: none of them may leave the process.
  override class func canInit(with request: URLRequest) -> Bool { true }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  /// Called once more when the task is resumed after it was suspended.
  override func startLoading() {
    if let load { return load.resume() }
    guard !hasBegun, let client else { return }
    hasBegun = true
    switch Registry.configuration(of: ObjectIdentifier(type(of: self))) {
    case .live(let source, let fixture):
      let bridge = TaskBridge(self, client, findsQueue: fixture.findsQueues)
      let load = Load(of: fixture, source, request, bridge) { [weak self] in self?.load = nil }
      self.load = load
      load.begin()
    case .gone(let cassette):
      TaskBridge(self, client).fail(
        URLError(
          .resourceUnavailable,
          "the fixture that replayed \(cassette) is gone: keep it as long as its sessions are used",
          for: request.url))
    }
  }

  override func stopLoading() {
    guard let load else { return }
    switch task?.state {
    // It may go on later, or already does: see `TaskBridge.pulse`.
    case .suspended, .running: load.suspend()
    case .canceling, .completed, nil: load.cancel()
    @unknown default: load.cancel()
    }
  }

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
