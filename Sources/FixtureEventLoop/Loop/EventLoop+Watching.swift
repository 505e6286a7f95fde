import CFixtureSystem
import Glibc

extension EventLoop {
  /// Calls `watcher` when `descriptor` is ready. The watcher is retained until `remove`.
  ///
  /// - Parameter descriptor: not watched by this loop yet. It must be removed before it is closed.
  /// - Throws: epoll's error, for want of memory or beyond `max_user_watches`; nothing is added.
  package func add(
    _ descriptor: Int32, interest: Interest, watcher: any Watcher
  ) throws(SystemError) {
    preconditionOnThread()
    watchers.insert(watcher, descriptor, interest)
    let token = watchers.token(descriptor)
    do throws(SystemError) {
      try Syscalls.check("epoll_ctl") {
        fixture_poller_add(poller.number, descriptor, interest.rawValue, token)
      }
    } catch {
      _ = watchers.remove(descriptor)
      throw error
    }
  }

  /// Changes what is reported of a watched descriptor; costs nothing when it is so already.
  package func modify(_ descriptor: Int32, interest: Interest) {
    preconditionOnThread()
    let former = watchers.interest(descriptor)
    precondition(former != nil, "descriptor \(descriptor) is not watched")
    if former == interest { return }
    let token = watchers.token(descriptor)
    Syscalls.mustSucceed("epoll_ctl") {
      fixture_poller_modify(poller.number, descriptor, interest.rawValue, token)
    }
    watchers.setInterest(interest, descriptor)
  }

  /// Forgets a watched descriptor: from here on its watcher isn't called for it, not even for what
  /// was ready before. Comes before the descriptor is closed.
  package func remove(_ descriptor: Int32) {
    preconditionOnThread()
    precondition(isWatching(descriptor), "descriptor \(descriptor) is not watched")
    let watcher = watchers.remove(descriptor)
    Syscalls.mustSucceed("epoll_ctl") { fixture_poller_remove(poller.number, descriptor) }
    withExtendedLifetime(watcher) {}
  }

  package func isWatching(_ descriptor: Int32) -> Bool {
    watchers.interest(descriptor) != nil
  }

  /// How many descriptors are watched, the loop's own not counted.
  package var watchedCount: Int { watchers.count }
}
