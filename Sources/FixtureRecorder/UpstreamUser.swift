import FixtureHTTP
import FixtureHTTP1

/// The exchange that an upstream connection carries. Called on the recorder's loop.
protocol UpstreamUser: AnyObject {
  /// A part of the answer; `content` holds the bytes that a `.content` event ranges over, valid
  /// only during the call.
  func received(_ event: ResponseEvent, content: UnsafeRawBufferPointer)

  /// Everything that one read brought has been given to `received`.
  func readEnded()

  /// What was queued for the upstream has left, after `isCongested` was true.
  func upstreamDrained()

  /// The request has not ended, and its next piece depends on the client alone.
  var waitsForClient: Bool { get }

  /// The connection is gone; no further call comes from it.
  func failed(_ failure: UpstreamFailure, answerBegun: Bool)
}
