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
  private var client: ClientFacts?
  private var contentCount = 0
  /// The handler at work, and for which request of the connection.
  private var task: Task<Void, Never>?

  init(_ handler: @escaping Handler, on executor: HandlerExecutor) {
    self.handler = handler
    self.executor = executor
  }

  func requestBegan(
    _ request: RequestHead, framing: BodyFraming, on connection: ServedConnection
  ) {
    let client = ClientFacts(request)
    self.client = client
    contentCount = 0
    if client.expectsContinue { connection.sendContinue() }
  }

  func requestContent(_ bytes: UnsafeRawBufferPointer, on connection: ServedConnection) {
    contentCount += bytes.count
    guard contentCount > FixtureServer.contentBytesMax else { return }
    client = nil
    connection.refuse(
      status: 413,
      detail: "the request's content is longer than \(FixtureServer.contentBytesMax) bytes, the "
        + "most that a handler is given: send less", isHead: false)
  }

  func requestEnded(trailers: FieldSection, on connection: ServedConnection) {
    guard let client else { return }
    guard let entry = connection.entry else {
      return connection.refuse(
        status: 503, detail: "more content is under way than the server holds: send less at once",
        isHead: client.isHead)
    }
    let request = FixtureServer.Request(entry)
    let exchange = connection.exchangeCount
    let (served, own) = (
      LoopReference(connection, on: connection.loop), LoopReference(self, on: connection.loop)
    )
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
    let script: ResponseScript
    do throws(UnsendableResponse) {
      script = try ResponseScript(response)
    } catch {
      return connection.refuse(
        status: 500, detail: error.description, isHead: client.isHead)
    }
    connection.loop.refreshNow()
    connection.play(
      script.script(date: WallClock.now_us() / 1_000_000), client: client,
      requestEnd_ns: connection.loop.now_ns)
  }

  func outputDrained(on connection: ServedConnection) {}

  func exchangeAborted(on connection: ServedConnection) {
    task?.cancel()
    task = nil
  }
}
