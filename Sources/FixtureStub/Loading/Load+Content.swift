import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The content of the request, which may lie where it takes a while to read.
extension Load {
  func readContent() {
    phase = .reading
    switch RequestContentPlace(of: request, bridge.task) {
    case .here(let content): read(content)
    case .file(let file):
      readElsewhere { .bytes(try Data(contentsOf: file), ofRequest: false) }
    case .stream(let stream): readElsewhere { .streamed(try stream.read()) }
    case .delegate(let delegate, let session): askDelegate(delegate, session)
    case .hidden:
      fail(
        .unknown,
        "the content of an upload can't be seen with this version of Foundation: send it as the "
          + "httpBody of a data task")
    }
  }

  private func read(_ content: RequestContent) {
    guard phase == .reading else { return }
    if (request.httpMethod ?? "GET") == "GET", !content.data.isEmpty {
      return fail(.contentNotAllowed)
    }
    self.content = content
    if isSuspended {
      phase = .waiting
    } else {
      startHop()
    }
  }

  /// Not on the queue that all sessions share.
  private func readElsewhere(_ read: @escaping @Sendable () throws -> RequestContent) {
    wait(until: nil)
    guard phase == .reading else { return }
    Fixture.reading.async {
      let content = Result { try read() }
      self.bridge.perform {
        switch content {
        case .success(let content): self.read(content)
        case .failure(let error):
          guard self.phase == .reading else { return }
          self.fail(.cannotOpenFile, "the content of the request can't be read: \(error)")
        }
      }
    }
  }

  private func askDelegate(_ delegate: any URLSessionTaskDelegate, _ session: URLSession) {
    guard let task = bridge.task else { return read(.absent) }
    wait(until: nil)
    guard phase == .reading else { return }
    session.delegateQueue.addOperation {
      delegate.urlSession(session, task: task) { stream in
        let box = stream.map { InputStreamBox($0) }
        self.bridge.perform {
          guard let box else { return self.read(.absent) }
          self.readElsewhere { .streamed(try box.read()) }
        }
      }
    }
  }
}
