import FixtureHTTP
import FixtureReplay
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What follows from a response: another request of the same task.
extension Load {
  /// nil when the response is the task's own.
  func following(_ head: ResponseHead) -> Hop.Following? {
    let location = head.fields.first(.location).map { String(decoding: $0, as: UTF8.self) }
    if let next = Redirection.next(after: request, status: head.status, location: location) {
      return .redirect(next.request, keepsContent: next.keepsContent)
    }
    #if canImport(FoundationNetworking)
      guard head.status == 401, let challenge = BasicChallenge(head.fields) else { return nil }
      let canAnswer = bridge.delegate != nil || proposal(for: challenge) != nil
      return canAnswer ? .challenge(challenge) : nil
    #else
      // The 401 itself is the answer.
      return nil
    #endif
  }

  #if canImport(FoundationNetworking)
    // MARK: Redirects

    func follow(_ next: URLRequest, keepsContent: Bool, after hop: Hop) {
      redirects += 1
      guard redirects <= Redirection.redirectsMax else { return fail(.redirectsTooMany) }
      let response = hop.response
      phase = .asking
      endHop(.completed)
      guard let response, let (delegate, session, task) = bridge.delegate else {
        return go(to: next, keepsContent: keepsContent)
      }
      guard park() else { return }
      let load = self
      session.delegateQueue.addOperation {
        delegate.urlSession(
          session, task: task, willPerformHTTPRedirection: response, newRequest: next
        ) { chosen in
          load.bridge.perform { load.chose(chosen, keepsContent: keepsContent, response) }
        }
      }
    }

    private func chose(
      _ chosen: URLRequest?, keepsContent: Bool, _ response: ReplayedResponse
    ) {
      guard phase == .asking else { return }
      if let chosen { return go(to: chosen, keepsContent: keepsContent) }
      deliver(response)
    }

    private func go(to next: URLRequest, keepsContent: Bool) {
      received = Data()
      request = withCookies(next)
      if !keepsContent { content = .absent }
      again()
    }

    private func again() {
      if isSuspended {
        phase = .waiting
      } else {
        startHop()
      }
    }

    /// The response that led elsewhere is the task's own after all.
    private func deliver(_ response: ReplayedResponse) {
      bridge.receive(response)
      finish(response)
    }

    // MARK: Credentials

    func answer(_ challenge: BasicChallenge, _ hop: Hop) {
      guard let response = hop.response, let space = space(of: challenge) else {
        return fail(.badServerResponse, "a 401 for \(request) can't be answered")
      }
      let proposal = proposal(for: challenge)
      phase = .asking
      endHop(.completed)
      guard let (delegate, session, task) = bridge.delegate else {
        return useProposal(proposal, response)
      }
      guard park() else { return }
      let question = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: proposal, previousFailureCount: challenges,
        failureResponse: response, error: nil, sender: NoSender())
      let load = self
      session.delegateQueue.addOperation {
        delegate.urlSession(session, task: task, didReceive: question) { disposition, credential in
          load.bridge.perform { load.chose(disposition, credential, proposal, response) }
        }
      }
    }

    private func chose(
      _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?,
      _ proposal: URLCredential?, _ response: ReplayedResponse
    ) {
      guard phase == .asking else { return }
      switch disposition {
      case .useCredential:
        guard let credential else { return deliver(response) }
        go(with: credential)
      case .performDefaultHandling: useProposal(proposal, response)
      case .rejectProtectionSpace: deliver(response)
      case .cancelAuthenticationChallenge: fail(.cancelled, "the challenge was cancelled")
      @unknown default: deliver(response)
      }
    }

    private func useProposal(_ proposal: URLCredential?, _ response: ReplayedResponse) {
      if let proposal { go(with: proposal) } else { deliver(response) }
    }

    private func go(with credential: URLCredential) {
      challenges += 1
      received = Data()
      request = withCookies(request)
      request.setValue(
        BasicCredentials.value(user: credential.user ?? "", password: credential.password ?? ""),
        forHTTPHeaderField: "Authorization")
      again()
    }

    /// What is stored for the place, unless it was refused already.
    private func proposal(for challenge: BasicChallenge) -> URLCredential? {
      guard challenges == 0, let space = space(of: challenge),
        let storage = configuration.urlCredentialStorage
      else { return nil }
      // Up to Swift 6.3 two spaces are the same only if they are one object.
      for (stored, credentials) in storage.allCredentials where isSame(stored, space) {
        return storage.defaultCredential(for: stored)
          ?? credentials.min { $0.key < $1.key }?.value
      }
      return nil
    }

    private func isSame(_ left: URLProtectionSpace, _ right: URLProtectionSpace) -> Bool {
      left.host == right.host && left.port == right.port && left.protocol == right.protocol
        && left.realm == right.realm && left.authenticationMethod == right.authenticationMethod
    }

    private func space(of challenge: BasicChallenge) -> URLProtectionSpace? {
      guard let url = request.url, let host = url.host, let scheme = url.scheme else { return nil }
      return URLProtectionSpace(
        host: host, port: url.port ?? (scheme == "https" ? 443 : 80), protocol: scheme,
        realm: challenge.realm, authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    }

    /// Challenges are answered by what the delegate returns.
    private final class NoSender: NSObject, URLAuthenticationChallengeSender {
      func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
      func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
      func cancel(_ challenge: URLAuthenticationChallenge) {}
      func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
      func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
    }
  #else
    /// The session asks its delegate, and for the new request makes a protocol of its own. When it
    /// does not follow, what it is given here is the answer.
    func follow(_ next: URLRequest, keepsContent: Bool, after hop: Hop) {
      guard let response = hop.response else { return finish(nil) }
      bridge.redirect(to: next, response)
      bridge.receive(response)
      finish(response)
    }

    func answer(_ challenge: BasicChallenge, _ hop: Hop) { finish(hop.response) }
  #endif
}
