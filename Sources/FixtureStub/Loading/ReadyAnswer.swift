import FixtureCoding
import FixtureHTTP
import FixtureReplay
import FixtureStore
import Foundation

/// An answer that comes whole and at once, prepared: until its dates change, each request that gets
/// it is given the same response and the same content.
final class ReadyAnswer: Sendable {
  /// What made it, with the dates of `date`.
  let script: Script
  /// Seconds since 1970.
  let date: Int64
  let head: ResponseHead
  let url: URL
  let response: ReplayedResponse
  /// Without its coding.
  let content: Data
  /// In its coding.
  let contentCount: Int

  /// Larger content is read each time.
  private static let contentBytesMax = 64 << 10

  /// Performs a script beforehand.
  /// - Returns: nil for one that has a time of its own, or from which more follows than its
  ///   content.
  init?(
    _ script: Script, date: Int64, isHead: Bool, for url: URL,
    read: (Payload) throws(StoreError) -> Data
  ) throws(StoreError) {
    var sink = ClientSink(
      recorded: script.framing, isHead: isHead, keepsAlive: script.persistence != .ends)
    var head: ResponseHead?
    var coded = Data()
    for step in script.steps where !sink.isComplete {
      guard step.offset == .zero, step.anchor != .accept, step.action.isSimple else { return nil }
      switch sink.perform(step.action) {
      case nil: break
      case .response(let begun): head = begun
      case .content(let payload):
        guard payload.count + Int64(coded.count) <= Self.contentBytesMax else { return nil }
        coded.append(try read(payload))
      case .failed: return nil
      }
    }
    guard sink.isComplete, let head, head.status != 401, !(300..<400).contains(head.status),
      let content = Self.decoded(coded, head.fields),
      let response = ReplayedResponse.make(head, for: url)
    else { return nil }
    self.script = script
    self.date = date
    self.head = head
    self.url = url
    self.response = response
    self.content = content
    contentCount = coded.count
  }

  /// nil for what is not content of its codings: that has its own end.
  private static func decoded(_ coded: Data, _ fields: FieldSection) -> Data? {
    let codings = ContentCoding.list(of: fields)
    guard !codings.isEmpty, !coded.isEmpty else { return coded }
    var decoded = Data()
    do throws(CodingError) {
      var decoder = try ContentDecoder(codings, outputBytesMax: .max)
      try decoder.decode(Array(coded)) { decoded.append(contentsOf: $0) }
      _ = try decoder.finish()
    } catch {
      return nil
    }
    return decoded
  }

  /// Bytes of memory, roughly.
  var cost: Int { 2048 + head.fields.bytes.count + content.count }
}

extension Action {
  /// Whether nothing but bytes and the end is in it.
  fileprivate var isSimple: Bool {
    switch self {
    case .interim, .head, .content, .generated, .trailers, .end: true
    case .paced, .send, .headBeginning, .headRest, .malform, .wait, .raw, .close, .reset: false
    }
  }
}
