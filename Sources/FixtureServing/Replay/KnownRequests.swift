import FixtureCassette
import FixtureHTTP
import FixtureHTTP1
import FixtureReplay

/// A request that was answered before, and its answer.
package final class KnownRequest {
  /// As a journal names it.
  let asked: AskedHead
  let answer: KeptAnswer
  let play: PreparedPlay
  /// Whether it says itself whose it is.
  let namesSession: Bool

  fileprivate init(_ head: RequestHead, _ answer: KeptAnswer, of play: Play) {
    asked = AskedHead(head, JournalEntry.Source(play))
    self.answer = answer
    self.play = play.prepared
    namesSession = head.fields.contains(.fixturedSession)
  }
}

/// Requests that were answered before, by the bytes of their heads, and their answers.
///
/// Clients ask for the same again, and byte for byte in the same way. Where an answer depends on
/// these bytes alone, reading them and planning anew would cost five times as much and give it
/// again. The answers are those of `AnswerImages`, whose bound holds for them too.
final class KnownRequests {
  /// Longer heads are not kept: cookies make them long, and change.
  private static let headBytesMax = 2 << 10
  /// Per loop: some 15,000 heads of usual length.
  private static let bytesMax = 6 << 20
  /// Of a known request beside its head, about.
  private static let knownBytes = 300

  private struct Known {
    let head: [UInt8]
    let route: Int
    let request: KnownRequest
  }

  private var positions = KeyTable()
  private var known: [Known] = []
  private var byteCount = 0
  /// Clients make up the keys; so that none can choose where they lie.
  private let seed = UInt64.random(in: .min ... .max)

  /// The request that `input` starts with, and how long its head is.
  func request(
    in input: UnsafeRawBufferPointer, route: Int
  ) -> (request: KnownRequest, headCount: Int)? {
    guard byteCount > 0, let end = HeadEnd.find(in: input, within: Self.headBytesMax) else {
      return nil
    }
    let head = UnsafeRawBufferPointer(rebasing: input[..<end])
    guard let position = positions[key(of: head)] else { return nil }
    let isSame = known[position].head.withUnsafeBytes { head.isEqual(to: $0) }
    guard isSame, known[position].route == route else { return nil }
    return (known[position].request, end)
  }

  /// Keeps the answer to a request without content.
  func insert(_ answer: KeptAnswer, of play: Play, to request: RequestHead, route: Int) {
    var head: [UInt8] = []
    MessageEncoder.requestHead(request, to: &head)
    guard head.count <= Self.headBytesMax else { return }
    let key = head.withUnsafeBytes { self.key(of: $0) }
    if byteCount + head.count > Self.bytesMax { removeAll() }
    // Another route, or another head with that hash: one of them is enough.
    guard positions[key] == nil else { return }
    positions.insert(known.count, for: key)
    known.append(
      Known(head: head, route: route, request: KnownRequest(request, answer, of: play)))
    // The head twice, once as it was read.
    byteCount += 2 * head.count + Self.knownBytes
  }

  func removeAll() {
    positions = KeyTable()
    known = []
    byteCount = 0
  }

  private func key(of head: UnsafeRawBufferPointer) -> UInt64 {
    StableHash.value(of: head) ^ seed
  }
}
