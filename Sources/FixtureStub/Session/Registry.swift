import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Which configuration each class of protocols belongs to.
///
/// The only state that fixtures share; it holds nobody's requests or answers. Entries stay, some
/// fifty bytes each, so that a class is never taken for another configuration's.
enum Registry {
  enum Found {
    case live(any ConfigurationSource, Fixture)
    /// Its fixture is gone; the cassette's name.
    case gone(cassette: String)
  }

  private struct Entry: Sendable {
    weak var source: (any ConfigurationSource)?
    let cassette: String
  }

  /// Not a `Mutex`, whose slow way the thread sanitizer does not see: all sessions of a process
  /// ask here.
  private final class Entries: @unchecked Sendable {
    // Used under the lock alone.
    private let lock = NSLock()
    private var entries: [ObjectIdentifier: Entry] = [:]

    subscript(type: ObjectIdentifier) -> Entry? {
      get { lock.withLock { entries[type] } }
      set { lock.withLock { entries[type] = newValue } }
    }
  }

  private static let entries = Entries()
  private static let count = Atomic<UInt64>(0)

  /// A class of its own for a configuration.
  static func newClass(of source: any ConfigurationSource) -> ReplayingProtocol.Type {
    let number = count.add(1, ordering: .relaxed).newValue
    let type = ReplayingProtocol.isolated(number)
    let cassette = source.fixture.cassetteName
    entries[ObjectIdentifier(type)] = Entry(source: source, cassette: cassette)
    return type
  }

  static func configuration(of type: ObjectIdentifier) -> Found {
    guard let entry = entries[type] else { return .gone(cassette: "a cassette") }
    guard let source = entry.source else { return .gone(cassette: entry.cassette) }
    return .live(source, source.fixture)
  }
}

/// A configuration and the fixture that it replays; read when a request needs it, so that it may be
/// changed after it was made.
protocol ConfigurationSource: AnyObject, Sendable {
  var fixture: Fixture { get }
  var current: URLSessionConfiguration { get }
}
