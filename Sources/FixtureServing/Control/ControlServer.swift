import FixtureEventLoop
import FixtureExchange
import FixtureHTTP
import FixtureHTTP1
import FixtureReplay

/// Serves the control API of a replay, on a listener and a loop of its own: nothing of a cassette
/// can stand in its way.
package final class ControlServer: Sendable {
  private let server: LoopServer<ControlWorker>
  private let sessions: SessionTable

  /// - Parameter token: what clients must name, in the words of `Authorization: Bearer TOKEN`; nil
  ///   on loopback.
  package init(
    host: String, port: UInt16, token: String?, sessions: SessionTable,
    onError: @escaping @Sendable (String) -> Void
  ) throws(ServerError) {
    let listeners = try Listeners.open(names: [nil], host: host, port: port)
    let access = ControlAccess(host: host, port: listeners.addresses[0].port, token: token)
    server = try LoopServer("control", listeners) { (listeners, loop) throws(SystemError) in
      try ControlWorker(listeners, access, sessions, on: loop, onError: onError)
    } end: {
      $0.end()
    }
    self.sessions = sessions
  }

  /// Where it is served.
  package var address: ListenerAddress { server.addresses[0] }

  /// Ends it and the sessions that were made by it.
  package func stop() {
    server.stop()
    sessions.stop()
  }
}

/// The loop's part of it. Confined to the loop.
final class ControlWorker: TimerTarget {
  private let context: ServingContext
  private let sessions: SessionTable
  private var acceptors: [Acceptor] = []
  private let timer = LoopTimer()

  /// How often leases are looked at.
  private static let leaseInterval_ns: Int64 = 1_000_000_000

  fileprivate init(
    _ listeners: Listeners, _ access: ControlAccess, _ sessions: SessionTable,
    on loop: EventLoop, onError: @escaping @Sendable (String) -> Void
  ) throws(SystemError) {
    self.sessions = sessions
    context = ServingContext(
      loop: loop, bodies: BodySource(reader: nil), onError: onError)
    let context = context
    let api = ControlAPI(sessions: sessions)
    let streams = StreamCount()
    acceptors = try listeners.accept(on: loop) { descriptor, _ in
      let responder = ControlResponder(api: api, access: access, streams: streams)
      context.serve(descriptor: descriptor, responder: responder)
    } onError: {
      onError($0)
    }
    timer.target = self
    loop.arm(timer, at: loop.now_ns + Self.leaseInterval_ns)
  }

  func fired(_ timer: LoopTimer) {
    sessions.endExpired(at: context.loop.now_ns)
    context.loop.arm(timer, at: context.loop.now_ns + Self.leaseInterval_ns)
  }

  fileprivate func end() {
    context.loop.disarm(timer)
    for acceptor in acceptors { acceptor.stop() }
    acceptors = []
    context.abortAll()
  }
}

/// Answers the requests of one connection to the control API. Confined to its loop.
final class ControlResponder: Responder {
  private let api: ControlAPI
  private let access: ControlAccess
  private let streams: StreamCount
  private var stream: EventStream?
  private var pending: (head: RequestHead, client: ClientFacts, content: [UInt8])?

  init(api: ControlAPI, access: ControlAccess, streams: StreamCount) {
    self.api = api
    self.access = access
    self.streams = streams
  }

  deinit { endStream() }

  func requestBegan(
    _ request: RequestHead, framing: BodyFraming, on connection: ServedConnection
  ) {
    let client = ClientFacts(request)
    do throws(ControlError) {
      try access.check(request)
      if case .length(let count) = framing, count > Int64(ControlRequest.contentBytesMax) {
        throw Self.contentTooLong
      }
      pending = (request, client, [])
      if client.expectsContinue { connection.sendContinue() }
    } catch {
      connection.refuse(error.answer, isHead: client.isHead)
    }
  }

  func requestContent(_ bytes: UnsafeRawBufferPointer, on connection: ServedConnection) {
    guard pending != nil else { return }
    pending?.content.append(contentsOf: bytes)
    guard let count = pending?.content.count, count > ControlRequest.contentBytesMax else {
      return
    }
    pending = nil
    connection.refuse(Self.contentTooLong.answer)
  }

  private static let contentTooLong = ControlError(
    413, "the content is longer than \(ControlRequest.contentBytesMax) bytes")

  func requestEnded(trailers: FieldSection, on connection: ServedConnection) {
    guard let (head, client, content) = pending else { return }
    pending = nil
    do throws(ControlError) {
      let request = try ControlRequest(head, content: content)
      if case .events(let id, let cursor) = request {
        return try stream(id, from: cursor, to: client, on: connection)
      }
      let answer = try api.perform(request)
      send(answer.status, answer.type, answer.content, to: client, on: connection)
    } catch {
      send(
        error.status, "application/problem+json", error.answer.content,
        adding: error.fields, to: client, on: connection)
    }
  }

  private func send(
    _ status: Int, _ type: String, _ content: [UInt8],
    adding further: FieldSection = FieldSection(), to client: ClientFacts,
    on connection: ServedConnection
  ) {
    let date = HTTPDate(secondsSince1970: WallClock.now_us() / 1_000_000)
    var fields = FieldSection()
    fields.append("Date", date.imfFixdate)
    fields.append("Content-Type", type)
    fields.append("Content-Length", "\(content.count)")
    fields.append("Cache-Control", "no-store")
    fields.append("X-Content-Type-Options", "nosniff")
    if type.hasPrefix("text/html") {
      fields.append("Content-Security-Policy", Inspector.policy)
      fields.append("Referrer-Policy", "no-referrer")
    }
    fields.append(further)
    let head = ResponseHead(
      status: status, reason: Array("\(ReasonPhrase.standard(status))".utf8), fields: fields)
    let (bytes, ending) = ResponseEncoder.answer(head, content, to: client, keepsAlive: true)
    connection.send(bytes)
    connection.finalResponseBegan(cut: .close)
    connection.end(ending)
    connection.flush()
  }

  private func stream(
    _ id: String, from cursor: JournalCursor, to client: ClientFacts,
    on connection: ServedConnection
  ) throws(ControlError) {
    let session = try api.sessions.session(id)
    guard streams.count < StreamCount.streamsMax else {
      throw ControlError(503, "\(StreamCount.streamsMax) clients read events already")
    }
    let date = HTTPDate(secondsSince1970: WallClock.now_us() / 1_000_000)
    var fields = FieldSection()
    fields.append("Date", date.imfFixdate)
    fields.append("Content-Type", "text/event-stream")
    fields.append("Cache-Control", "no-store")
    fields.append("X-Content-Type-Options", "nosniff")
    fields.append("Connection", "close")
    var bytes: [UInt8] = []
    MessageEncoder.responseHead(
      ResponseHead(status: 200, reason: Array("OK".utf8), fields: fields), to: &bytes)
    connection.send(bytes)
    connection.finalResponseBegan(cut: .close)
    connection.flush()
    guard !client.isHead else {
      connection.end(.close)
      return connection.flush()
    }
    let stream = EventStream(session, of: api.sessions, from: cursor, to: connection)
    self.stream = stream
    streams.count += 1
    stream.begin()
  }

  private func endStream() {
    guard let stream else { return }
    self.stream = nil
    streams.count -= 1
    stream.end()
  }

  func outputDrained(on connection: ServedConnection) { stream?.advance() }

  func exchangeAborted(on connection: ServedConnection) {
    pending = nil
    endStream()
  }
}

/// How many clients read events. Confined to the loop.
final class StreamCount {
  /// Each looks at a journal twenty times a second.
  static let streamsMax = 64
  var count = 0
}

extension ControlError {
  fileprivate var answer: RefusalAnswer {
    RefusalAnswer(
      status: status, detail: detail, date: WallClock.now_us() / 1_000_000, adding: fields)
  }
}
