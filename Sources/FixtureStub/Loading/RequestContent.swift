import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The content of a request, read.
enum RequestContent: Equatable, Sendable {
  case absent
  /// - Parameter ofRequest: whether the request itself holds it, not an upload task.
  case bytes(Data, ofRequest: Bool)
  /// It came as a stream, whose length is not known when the request begins.
  case streamed(Data)

  var data: Data {
    switch self {
    case .absent: Data()
    case .bytes(let data, _), .streamed(let data): data
    }
  }

  var description: LiveRequest.Content {
    switch self {
    case .absent: .absent
    case .bytes(let data, let ofRequest): .bytes(data.count, ofRequest: ofRequest)
    case .streamed: .stream
    }
  }
}

/// Where the content of a request is.
enum RequestContentPlace {
  case here(RequestContent)
  /// To be read elsewhere than on the queue that all sessions share.
  case file(URL)
  case stream(InputStreamBox)
  /// The session's delegate has it.
  case delegate(any URLSessionTaskDelegate, URLSession)
  /// The platform hides it, and this version keeps it where it is not looked for.
  case hidden

  /// Nothing is read.
  init(of request: URLRequest, _ task: URLSessionTask?) {
    #if canImport(FoundationNetworking)
      if let task = task as? URLSessionUploadTask {
        self = Self.ofUpload(task)
        return
      }
    #endif
    if let body = request.httpBody, !body.isEmpty {
      self = .here(.bytes(body, ofRequest: true))
    } else if let stream = request.httpBodyStream {
      self = .stream(InputStreamBox(stream))
    } else {
      self = .here(.absent)
    }
  }

  #if canImport(FoundationNetworking)
    /// Neither request nor task shows it there.
    private static func ofUpload(_ task: URLSessionUploadTask) -> RequestContentPlace {
      switch TaskReflection.knownBody(of: task) {
      case .absent: .here(.absent)
      case .data(let data): .here(.bytes(data, ofRequest: false))
      case .file(let file): .file(file)
      case .stream(let stream): .stream(InputStreamBox(stream))
      case nil:
        if let session = TaskReflection.session(of: task), let delegate = task.delegate {
          .delegate(delegate, session)
        } else {
          .hidden
        }
      }
    }
  #endif
}

/// A stream on its way to where it is read: nobody else uses it meanwhile.
final class InputStreamBox: @unchecked Sendable {
  // Handed over, never shared.
  private let stream: InputStream

  init(_ stream: InputStream) {
    self.stream = stream
  }

  /// All of it. Blocks until the stream has ended.
  func read() throws -> Data {
    stream.open()
    defer { stream.close() }
    var content = Data()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      if count == 0 { return content }
      guard count > 0 else { throw stream.streamError ?? CocoaError(.fileReadUnknown) }
      content.append(contentsOf: buffer[..<count])
    }
  }
}
