import FixtureHTTP

/// What a journal says of the head of an answer in wire form. A class, because it goes from hand to
/// hand with each such answer.
package final class AnsweredHead: Sendable {
  let response: ResponseHead
  /// Bytes of it on the wire, with those of the interim responses before it.
  let byteCount: Int64

  init(_ response: ResponseHead, byteCount: Int64) {
    self.response = response
    self.byteCount = byteCount
  }
}
