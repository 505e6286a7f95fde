import FixtureEventLoop

/// Listeners, and the thread whose loop serves what connects to them.
package final class LoopServer<Worker: AnyObject>: Sendable {
  private let listeners: Listeners
  private let worker: LoopWorker<Worker>

  /// Serves when this returns.
  ///
  /// - Parameters:
  ///   - listeners: are closed when this throws.
  ///   - make: makes what serves, on the thread.
  ///   - end: called on the thread when its loop has stopped.
  package init(
    _ name: String, _ listeners: Listeners,
    make: @escaping @Sendable (Listeners, EventLoop) throws(SystemError) -> Worker,
    end: @escaping @Sendable (Worker) -> Void
  ) throws(ServerError) {
    do throws(ServerError) {
      worker = try LoopWorker.start(name: name, systemFailure: ServerError.system) {
        (loop) throws(ServerError) in
        do throws(SystemError) {
          return try make(listeners, loop)
        } catch {
          throw .system(error)
        }
      } end: {
        end($0)
      }
    } catch {
      listeners.close()
      throw error
    }
    self.listeners = listeners
  }

  /// Where it listens.
  package var addresses: [ListenerAddress] { listeners.addresses }

  /// Ends every connection.
  package func stop() {
    worker.thread.stop()
    worker.thread.join()
    listeners.close()
  }
}
