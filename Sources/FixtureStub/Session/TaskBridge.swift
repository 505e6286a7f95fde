import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The way from a load to the task it is for. What it says to the client it says on the task's own
/// queue: elsewhere it would race the session's list of tasks, which ends the process.
///
/// Everything here is called on that queue, but `perform`, which leads there.
final class TaskBridge: @unchecked Sendable {
  // Neither a protocol nor its client may cross threads: they don't, see above.
  private let urlProtocol: URLProtocol
  private let client: any URLProtocolClient
  private var isOver = false
  /// Found out when it is first needed: an answer that comes at once needs none.
  private var knownQueue: DispatchQueue??
  private let findsQueue: Bool
  /// What is to be done on the queue once the task loads again.
  private let waiting = Mutex<[@Sendable () -> Void]>([])

  /// - Parameter findsQueue: whether the task's queue is looked for; not in tests of the other way.
  init(_ urlProtocol: URLProtocol, _ client: any URLProtocolClient, findsQueue: Bool = true) {
    self.urlProtocol = urlProtocol
    self.client = client
    self.findsQueue = findsQueue
    #if !canImport(FoundationNetworking)
      runLoop = .current
    #endif
  }

  var task: URLSessionTask? { urlProtocol.task }

  func receive(_ response: URLResponse) {
    guard !isOver else { return }
    client.urlProtocol(urlProtocol, didReceive: response, cacheStoragePolicy: .notAllowed)
  }

  func load(_ content: Data) {
    guard !isOver else { return }
    client.urlProtocol(urlProtocol, didLoad: content)
  }

  /// The last call but for `fail` or `cancelled`: one of the three ends a task.
  func finish(_ response: ReplayedResponse?) {
    guard !isOver else { return }
    isOver = true
    let finish = { self.client.urlProtocolDidFinishLoading(self.urlProtocol) }
    if let response { response.withoutChallenge(finish) } else { finish() }
  }

  func fail(_ error: URLError) {
    guard !isOver else { return }
    isOver = true
    client.urlProtocol(urlProtocol, didFailWithError: error)
  }

  /// The session has told the client itself.
  func cancelled() { isOver = true }

  /// Why a task can't be replayed at all; nil when it can.
  var refusal: String? {
    switch task {
    case is URLSessionDownloadTask:
      Self.refusesDownloads
        ? "downloads can't be replayed in process on this platform: load the data and write it, or "
          + "use FixtureServer" : nil
    case is URLSessionWebSocketTask:
      "WebSocket tasks can't be replayed"
    default: nil
    }
  }

  /// Whether anybody is told more than the answer.
  var hasDelegate: Bool { task?.delegate != nil }

  #if canImport(FoundationNetworking)
    /// Nothing here may hand a session the file that it wants.
    private static let refusesDownloads = true

    /// Who is asked about redirects and challenges.
    var delegate: (any URLSessionTaskDelegate, URLSession, URLSessionTask)? {
      guard let task, let session = TaskReflection.session(of: task),
        let delegate = TaskReflection.ownDelegate(of: task, session) ?? task.delegate
      else { return nil }
      return (delegate, session, task)
    }

    /// Whether pieces of content go to a delegate as they come; who has a completion handler gets
    /// the last that is loaded, and so all at the end.
    var reportsToDelegate: Bool {
      guard let task, task.delegate != nil, let session = TaskReflection.session(of: task),
        session.delegate is any URLSessionDataDelegate
      else { return false }
      return TaskReflection.reportsToDelegate(task, of: session) ?? false
    }

    /// Where timers come back to; nil when it can't be found.
    var queue: DispatchQueue? {
      if let knownQueue { return knownQueue }
      let queue = findsQueue ? task.flatMap(TaskReflection.workQueue) : nil
      knownQueue = .some(queue)
      return queue
    }

    /// Does something on the task's queue. May be called from anywhere once `queue` was asked for.
    func perform(_ action: @escaping @Sendable () -> Void) {
      if case .some(.some(let queue)) = knownQueue { return queue.async(execute: action) }
      let isFirst = waiting.withLock { waiting in
        waiting.append(action)
        return waiting.count == 1
      }
      if isFirst { pulse() }
    }

    /// The way without reflection: a task that is suspended and resumed loads once more, on its
    /// queue. Only one such pulse is on its way at a time.
    private func pulse() {
      task?.suspend()
      task?.resume()
    }

    /// The task loads once more.
    func resumed() {
      let actions = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      for action in actions where !isOver { action() }
    }
  #else
    private static let refusesDownloads = false
    /// Apple's sessions put pieces together themselves.
    var reportsToDelegate: Bool { true }
    private let runLoop: RunLoop

    var queue: DispatchQueue? { nil }

    func perform(_ action: @escaping @Sendable () -> Void) {
      runLoop.perform(inModes: [.common], block: action)
      CFRunLoopWakeUp(runLoop.getCFRunLoop())
    }

    func resumed() {}

    func redirect(to request: URLRequest, _ response: URLResponse) {
      client.urlProtocol(urlProtocol, wasRedirectedTo: request, redirectResponse: response)
    }
  #endif
}
