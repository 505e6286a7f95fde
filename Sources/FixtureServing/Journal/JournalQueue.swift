import FixtureReplay
import FixtureStore
import Synchronization

/// What waits to be written to a journal file, of bounded size. Those that add never wait: what
/// there is no room for is refused, and counted.
final class JournalQueue: Sendable {
  /// Exchanges with more to say than a plain one, which is in a block already.
  static let itemsMax = 50_000
  /// The contents of those; and blocks.
  static let bytesMax = 64 << 20

  /// What is turned into rows by the writer's thread.
  enum Item: Sendable {
    case session(JournaledSession)
    case rules(JournaledSession, RuleSet)
    /// The parts of plain exchanges are called so from now on.
    case asked(JournaledSession, AskedHead)
    case answered(JournaledSession, AnsweredHead)
    case exchange(JournaledSession, JournalEntry)
  }

  private struct State {
    var items: [Item] = []
    var bytes = 0
    /// Sessions with a block or a count to write.
    var changed: [JournaledSession] = []
    var wake: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  /// Of blocks that are full.
  private let blockBytes = Atomic<Int>(0)
  /// The last ids that were given.
  let requests = Atomic<Int64>(0)
  let sources = Atomic<Int64>(0)
  let responses = Atomic<Int64>(0)

  /// - Parameter wake: called when there is something to write after there was nothing, perhaps
  ///   more than once.
  func open(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

  /// Nobody is woken any more.
  func close() { state.withLock { $0.wake = nil } }

  /// - Parameter bytes: what the item keeps in memory beside itself.
  /// - Returns: whether it will be written.
  func add(_ item: Item, bytes: Int = 0) -> Bool {
    let (isAdded, wake) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      guard state.items.count < Self.itemsMax, state.bytes + bytes <= Self.bytesMax else {
        return (false, nil)
      }
      state.items.append(item)
      state.bytes += bytes
      return (true, state.items.count == 1 ? state.wake : nil)
    }
    wake?()
    return isAdded
  }

  /// The session has something to write after it had nothing.
  func changed(_ session: JournaledSession) {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      state.changed.append(session)
      return state.changed.count == 1 ? state.wake : nil
    }
    wake?()
  }

  func takeChanged() -> [JournaledSession] {
    state.withLock { state in
      var changed: [JournaledSession] = []
      swap(&changed, &state.changed)
      return changed
    }
  }

  func takeItems() -> [Item] {
    state.withLock { state in
      var items: [Item] = []
      swap(&items, &state.items)
      state.bytes = 0
      return items
    }
  }

  /// Makes room for a full block.
  func reserve(_ count: Int) -> Bool {
    guard blockBytes.load(ordering: .relaxed) + count <= Self.bytesMax else { return false }
    blockBytes.add(count, ordering: .relaxed)
    return true
  }

  func release(_ count: Int) { blockBytes.subtract(count, ordering: .relaxed) }
}
