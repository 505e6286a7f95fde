#if canImport(FoundationNetworking)
  import Dispatch
  import Foundation
  import FoundationNetworking

  /// What a task of FoundationNetworking knows and doesn't say; read by reflection. Each answer is
  /// nil where another version keeps it elsewhere: whoever asks has a way without it.
  enum TaskReflection {
    /// The queue that everything about a task must happen on.
    static func workQueue(of task: URLSessionTask) -> DispatchQueue? {
      property("workQueue", of: task) as? DispatchQueue
    }

    static func session(of task: URLSessionTask) -> URLSession? {
      property("session", of: task) as? URLSession
    }

    /// What an upload task has to send; a request does not show it.
    enum KnownBody {
      case absent
      case data(Data)
      case file(URL)
      case stream(InputStream)
    }

    static func knownBody(of task: URLSessionTask) -> KnownBody? {
      guard let found = property("knownBody", of: task) else { return nil }
      // An optional enum with its payload: .some(.data(…)).
      guard let body = Mirror(reflecting: found).children.first?.value else { return nil }
      guard let payload = Mirror(reflecting: body).children.first?.value else { return .absent }
      switch payload {
      case let bytes as DispatchData: return .data(Data(bytes))
      case let file as URL: return .file(file)
      case let stream as InputStream: return .stream(stream)
      default: return nil
      }
    }

    /// The delegate that a task was made with by `data(for:delegate:)` and the like; nil for none.
    static func ownDelegate(
      of task: URLSessionTask, _ session: URLSession
    ) -> (any URLSessionTaskDelegate)? {
      guard let behaviour = behaviour(of: task, session),
        // dataCompletionHandlerWithTaskDelegate(completion, delegate)
        let payload = Mirror(reflecting: behaviour).children.first?.value
      else { return nil }
      for part in Mirror(reflecting: payload).children {
        if let delegate = part.value as? any URLSessionTaskDelegate { return delegate }
      }
      return nil
    }

    /// Whether each piece of content goes to the session's delegate; else only the last one that is
    /// loaded comes to the completion handler. Asked on the task's queue.
    static func reportsToDelegate(_ task: URLSessionTask, of session: URLSession) -> Bool? {
      guard let behaviour = behaviour(of: task, session) else { return nil }
      // `callDelegate` has no payload, the cases with a completion handler have one.
      return Mirror(reflecting: behaviour).children.isEmpty
    }

    private static func behaviour(of task: URLSessionTask, _ session: URLSession) -> Any? {
      guard let registry = property("taskRegistry", of: session),
        let behaviours = property("behaviours", of: registry) as? any KeyedByNumber
      else { return nil }
      return behaviours.element(task.taskIdentifier)
    }

    private static func property(_ name: String, of object: Any) -> Any? {
      var mirror: Mirror? = Mirror(reflecting: object)
      while let current = mirror {
        if let found = current.children.first(where: { $0.label == name }) { return found.value }
        mirror = current.superclassMirror
      }
      return nil
    }
  }

  /// A dictionary of whatever: to turn it into one of known values would copy it whole.
  private protocol KeyedByNumber {
    func element(_ number: Int) -> Any?
  }

  extension Dictionary: KeyedByNumber where Key == Int {
    fileprivate func element(_ number: Int) -> Any? { self[number] }
  }
#endif
