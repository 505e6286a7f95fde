/// What an event loop calls when a descriptor is ready.
package protocol Watcher: AnyObject {
  /// Called on the loop's thread, at most once a descriptor and round. May add, modify and remove
  /// any descriptor, its own included.
  func ready(_ readiness: Readiness)
}
