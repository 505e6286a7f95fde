import FixtureHTTP
import FixtureReplay
import FixtureStore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An exchange: its request, its script, and what the client gets of it.
extension Load {
  /// The request is read and answered.
  func serve() {
    phase = .playing
    guard let url = request.url, let live = live ?? LiveURL(url.absoluteString) else {
      return fail(.unsupportedURL, "only http and https URLs with a host can be replayed")
    }
    self.live = nil
    let now_ns = self.now_ns
    let head = LiveRequest(
      request, live, configuration.httpAdditionalHeaders, content.description
    ).head
    let body = content.data
    var entry = begun(head, url, body, at: now_ns)
    let answer: PlannedAnswer
    do throws(StoreError) {
      answer = try fixture.answer(head, to: live, url, body, at: now_ns)
    } catch {
      end(&entry, .reset)
      return fail(.resourceUnavailable, "the cassette can't be read any more: \(error.description)")
    }
    if let ready = answer.ready, !bridge.hasDelegate, answer.requestEnd_ns <= now_ns {
      return give(ready, answer, entry)
    }
    if answer.miss != nil, let recorder = fixture.recording?.recorder {
      return forward(head, to: live, entry, recorder)
    }
    play(answer, entry, isHead: head.method == .head, at: now_ns)
  }

  /// An exchange begins in the journal. In process there are no connections: each has one.
  private func begun(
    _ head: RequestHead, _ url: URL, _ content: Data, at now_ns: Int64
  ) -> JournalEntry {
    var entry = JournalEntry(
      JournalEntry.Beginning(
        head, connection: fixture.journal.connected(), received_ns: now_ns,
        receivedAt_us: fixture.startedAt_us + now_ns / 1000))
    content.withUnsafeBytes { entry.append($0) }
    entry.requestEnd_ns = now_ns
    entry.inProcess = JournalEntry.InProcess(url: url.absoluteString)
    fixture.journal.begin(&entry)
    return entry
  }

  /// It was decided what answers an exchange.
  private func note(_ answer: PlannedAnswer, in entry: inout JournalEntry) {
    entry.inProcess = JournalEntry.InProcess(
      url: entry.inProcess?.url ?? "", script: answer.script)
    if let plan = answer.plan {
      entry.planned(plan)
    } else if let miss = answer.miss {
      entry.source = .miss(String(miss.prefix { $0 != "\n" }))
    }
    if let miss = answer.miss { fixture.remarks.add(.init(exchange: entry.number, text: miss)) }
  }

  func play(_ answer: PlannedAnswer, _ begun: JournalEntry, isHead: Bool, at now_ns: Int64) {
    var entry = begun
    note(answer, in: &entry)
    fixture.journal.note(entry)
    restartIdleTimer()
    hop = Hop(entry, answer, isHead: isHead, at: now_ns)
    fixture.clock.note()
    advance()
  }

  /// All of it at once; the journal says its end first.
  private func give(_ ready: ReadyAnswer, _ answer: PlannedAnswer, _ begun: JournalEntry) {
    var entry = begun
    note(answer, in: &entry)
    entry.began(ready.head, due_ns: entry.received_ns, at: entry.received_ns)
    entry.bodyBytesSent = Int64(ready.contentCount)
    entry.end(.completed, at: entry.received_ns)
    fixture.journal.note(entry)
    if ready.head.fields.contains(.setCookie) { storeCookies(ready.head, from: ready.url) }
    bridge.receive(ready.response)
    received = ready.content
    finish(ready.response)
  }

  /// Does what is due.
  func advance() {
    while phase == .playing, let hop {
      let now_ns = self.now_ns
      if hop.requestEnd_ns <= now_ns { hop.playhead.requestEnded(at: hop.requestEnd_ns) }
      switch hop.playhead.next(at: now_ns) {
      case .perform(let action):
        restartIdleTimer()
        hop.due_ns = hop.playhead.due_ns
        let event = hop.sink.perform(action)
        if fixture.clock.kind == .real { hop.playhead.performed(at: now_ns) }
        if let event { met(event, hop) }
        if phase == .playing, hop.sink.isComplete { complete(hop) }
      case .waitUntil(let due_ns): return wait(until: due_ns)
      case .waitForRequestEnd: return wait(until: hop.requestEnd_ns)
      case .waitFor(let gate): return waitAt(gate)
      case .waitForGrant(let link, let count):
        guard takeTurn(on: link, for: count, hop, at: now_ns) else { return }
      case .finished:
        // Nothing more comes on this connection.
        if let event = hop.sink.perform(.close) { met(event, hop) }
        if phase == .playing { complete(hop) }
      }
    }
  }

  /// - Returns: whether something was granted; else it is waited for.
  private func takeTurn(
    on link: Link, for count: Int64, _ hop: Hop, at now_ns: Int64
  ) -> Bool {
    let turn = hop.turn ?? fixture.links.turn(on: link, for: count, at: now_ns)
    guard turn.due_ns <= now_ns else {
      hop.turn = turn
      wait(until: turn.due_ns)
      return false
    }
    hop.turn = nil
    hop.playhead.grant(turn.count, on: link)
    return true
  }

  private func met(_ event: ClientSink.Event, _ hop: Hop) {
    switch event {
    case .response(let head): began(head, hop)
    case .content(let payload): came(payload, hop)
    case .failed(let failure): fail(failure)
    }
  }

  private func began(_ head: ResponseHead, _ hop: Hop) {
    guard let url = request.url, let response = ReplayedResponse.make(head, for: url) else {
      return fail(.badServerResponse, "a response for \(request) can't be made")
    }
    hop.entry.began(head, due_ns: hop.due_ns, at: now_ns)
    fixture.journal.note(hop.entry)
    storeCookies(head, from: url)
    hop.response = response
    if let failure = hop.beginContent(
      head.fields, passesUnknown: fixture.errorCodes == .common)
    {
      return fail(failure)
    }
    hop.following = following(head)
    if hop.following == nil { bridge.receive(response) }
  }

  private func came(_ payload: Payload, _ hop: Hop) {
    let content: Data
    do throws(StoreError) {
      content = try fixture.bytes(of: payload)
    } catch {
      return fail(.resourceUnavailable, "the cassette can't be read any more: \(error.description)")
    }
    hop.entry.bodyBytesSent += Int64(content.count)
    fixture.journal.note(hop.entry)
    guard let decoded = hop.decoded(content) else { return fail(.contentUndecodable) }
    guard !decoded.isEmpty else { return }
    if isStreaming, hop.following == nil {
      // What the journal says is final before the client can have the last byte.
      if hop.sink.isComplete { end(&hop.entry, .completed) }
      bridge.load(decoded)
    } else if received.isEmpty {
      received = decoded
    } else {
      received.append(decoded)
    }
  }

  /// The response has come whole.
  private func complete(_ hop: Hop) {
    guard hop.contentEnds() else { return fail(.contentUndecodable) }
    switch hop.following {
    case nil: finish(hop.response)
    case .redirect(let next, let keepsContent):
      follow(next, keepsContent: keepsContent, after: hop)
    case .challenge(let challenge): answer(challenge, hop)
    }
  }

  // MARK: Cookies

  /// Each line by itself: an `Expires` has a comma, too.
  private func storeCookies(_ head: ResponseHead, from url: URL) {
    guard let storage = configuration.httpCookieStorage,
      configuration.httpCookieAcceptPolicy != .never
    else { return }
    for value in head.fields.all(.setCookie) {
      let line = ["Set-Cookie": String(decoding: value, as: UTF8.self)]
      let cookies = HTTPCookie.cookies(withResponseHeaderFields: line, for: url)
      if !cookies.isEmpty { storage.setCookies(cookies, for: url, mainDocumentURL: nil) }
    }
  }

  /// The request with the cookies that are known now, as URLSession puts them in a first one.
  func withCookies(_ request: URLRequest) -> URLRequest {
    guard configuration.httpShouldSetCookies, let url = request.url,
      let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty,
      let value = HTTPCookie.requestHeaderFields(with: cookies)["Cookie"], !value.isEmpty
    else { return request }
    var request = request
    request.setValue(value, forHTTPHeaderField: "Cookie")
    return request
  }
}

extension JournalEntry {
  /// The client is given this head.
  fileprivate mutating func began(_ response: ResponseHead, due_ns: Int64, at now_ns: Int64) {
    self.response = response
    head = Moment(due_ns: due_ns, done_ns: now_ns)
    // The status line, and the empty line at the end.
    headBytesSent += Int64(17 + response.reason.count + response.fields.bytes.count)
  }
}
