import FixtureEventLoop
import FixtureExchange
import FixtureHTTP
import FixtureHTTP1
import FixtureServing

/// Answers the requests of one connection with what a handler returns. Confined to its loop; the
/// handler runs elsewhere.
final class HandlerResponder: Responder {
  typealias Handler =
    @Sendable (FixtureServer.Request) async throws -> FixtureServer.Response

  private let handler: Handler
  private let executor: HandlerExecutor
  private var request: (head: RequestHead, received: ContinuousClock.Instant)?
  private var content: [UInt8] = []
  /// The handler at work, and for which request of the connection.
  private var task: Task<Void, Never>?

  init(_ handler: @escaping Handler, on executor: HandlerExecutor) {
    self.handler = handler
    self.executor = executor
  }

  func knownAnswer(
    to input: UnsafeRawBufferPointer
  ) -> (image: AnswerImage, headCount: Int)? { nil }

  func requestBegan(
    _ request: RequestHead, framing: BodyFraming, on connection: ServedConnection
  ) {
    self.request = (request, ContinuousClock.now)
    content = []
    if ClientFacts(request).expectsContinue { connection.sendContinue() }
  }

  func requestContent(_ bytes: UnsafeRawBufferPointer, on connection: ServedConnection) {
    guard content.count + bytes.count <= FixtureServer.contentBytesMax else {
      request = nil
      return connection.refuse(
        status: 413, detail: "a handler is given \(FixtureServer.contentBytesMax) bytes at most",
        isHead: false)
    }
    content.append(contentsOf: bytes)
  }

  func requestEnded(trailers: FieldSection, on connection: ServedConnection) {
    guard let (head, received) = request else { return }
    let request = FixtureServer.Request(
      head, content: content, connection: connection.number, received: received)
    content = []
    let exchange = connection.exchangeCount
    let (served, own) = (
      LoopReference(connection, on: connection.loop), LoopReference(self, on: connection.loop)
    )
    let client = ClientFacts(head)
    task = Task(executorPreference: executor) { [handler, loop = connection.loop.handle] in
      let response: FixtureServer.Response
      do {
        response = try await handler(request)
      } catch {
        response = .text("the handler failed: \(error)\n", status: 500)
      }
      loop.post {
        guard let connection = served.object, connection.exchangeCount == exchange else { return }
        own.object?.answer(response, to: client, on: connection)
      }
    }
  }

  private func answer(
    _ response: FixtureServer.Response, to client: ClientFacts, on connection: ServedConnection
  ) {
    guard task != nil else { return }
    task = nil
    let script = ResponseScript(response) ?? ResponseScript(Self.unsendable(response))
    guard let script else { preconditionFailure("our own answer can't be sent") }
    connection.loop.refreshNow()
    connection.play(
      script.script(date: WallClock.now_us() / 1_000_000), client: client,
      requestEnd_ns: connection.loop.now_ns)
  }

  private static func unsendable(_ response: FixtureServer.Response) -> FixtureServer.Response {
    .text(
      "the handler's response can't be sent: its status must be 200 to 999, names of fields "
        + "tokens, and values without CR, LF and NUL (RFC 9110 §5.5, §15)\n", status: 500)
  }

  func outputDrained(on connection: ServedConnection) {}

  func exchangeAborted(on connection: ServedConnection) {
    task?.cancel()
    task = nil
    content = []
  }
}
