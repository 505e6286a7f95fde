import FixtureHTTP
import FixtureReplay

/// Answers the requests of one connection; what the replayer and the recorder implement.
///
/// Called on the connection's loop. For each request `requestBegan` comes once, then
/// `requestContent` for what arrives, then `requestEnded`; one request at a time.
package protocol Responder: AnyObject {
  /// The answer to the request that `input` starts with, when it is known from its bytes, and how
  /// many of them are its own. The connection then reads and answers it by itself: the other calls
  /// don't come for it.
  func knownAnswer(
    to input: UnsafeRawBufferPointer
  ) -> (image: AnswerImage, request: KnownRequest, headCount: Int)?

  /// What a journal says of the answer to a known request.
  func head(of request: KnownRequest) -> AnsweredHead?

  /// The head was read.
  func requestBegan(
    _ request: RequestHead, framing: BodyFraming, on connection: ServedConnection)

  /// Content arrived; never empty. The bytes are valid only during the call.
  func requestContent(_ bytes: UnsafeRawBufferPointer, on connection: ServedConnection)

  /// The request was read to its end.
  func requestEnded(trailers: FieldSection, on connection: ServedConnection)

  /// What was queued has left, after `isCongested` was true.
  func outputDrained(on connection: ServedConnection)

  /// The client left, or the server stops, before the exchange was over.
  func exchangeAborted(on connection: ServedConnection)
}

extension Responder {
  /// None is: each request is answered on its own.
  package func knownAnswer(
    to input: UnsafeRawBufferPointer
  ) -> (image: AnswerImage, request: KnownRequest, headCount: Int)? { nil }

  package func head(of request: KnownRequest) -> AnsweredHead? { nil }
}
