/// A thread whose event loop owns one object, and the way to both.
package struct LoopWorker<Worker: AnyObject>: Sendable {
  package let thread: LoopThread
  package let bound: LoopReference<Worker>

  /// Starts the thread. The object is there when this returns and lives until the loop stops.
  ///
  /// - Parameters:
  ///   - systemFailure: makes what is thrown of what prevented the thread or its loop.
  ///   - make: makes the object, on the thread.
  ///   - end: called on the thread when the loop has stopped.
  /// - Throws: that, or what `make` threw; then no thread is left behind.
  package static func start<Failure: Error>(
    name: String, systemFailure: (SystemError) -> Failure,
    make: @escaping @Sendable (EventLoop) throws(Failure) -> Worker,
    end: @escaping @Sendable (Worker) -> Void
  ) throws(Failure) -> LoopWorker {
    let made = Rendezvous<Result<LoopReference<Worker>, Failure>>()
    let thread: LoopThread
    do throws(SystemError) {
      thread = try LoopThread.start(name: name) { loop in
        do throws(Failure) {
          let worker = try make(loop)
          made.give(.success(LoopReference(worker, on: loop)))
          loop.run()
          end(worker)
        } catch {
          made.give(.failure(error))
        }
      }
    } catch {
      throw systemFailure(error)
    }
    do throws(Failure) {
      return LoopWorker(thread: thread, bound: try made.take().get())
    } catch {
      thread.stop()
      thread.join()
      throw error
    }
  }
}
