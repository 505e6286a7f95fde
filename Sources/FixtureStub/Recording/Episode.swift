import FixtureCassette
import FixtureCoding
import FixtureHTTP
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A live request and its response as URLSession tells them, on their way into a cassette.
///
/// URLSession hides some of what came: the codings of the content are undone, field lines of one
/// name are joined, their order, the reason phrase, interim responses and trailers are lost. So
/// that it can be replayed all the same, the fields say what the content is now.
struct Episode: Sendable {
  /// As it was sent.
  let request: RequestHead
  let url: LiveURL
  let content: Data?
  let startedAt_us: Int64
  let status: Int
  let fields: [(name: String, value: String)]
  let body: Data
  /// Since the request was sent.
  let firstByte_us: Int64
  let end_us: Int64
  let arrivals: Arrivals

  /// - Parameters:
  ///   - upstream: its name.
  ///   - target: below the upstream's base path.
  func draft(id: Int64, upstream: String?, target: [UInt8]) -> InteractionDraft {
    var head = request
    head.target = target
    let interaction = Interaction(
      id: id, startedAt_us: startedAt_us, upstream: upstream, scheme: url.scheme.rawValue,
      authority: String(decoding: url.authority, as: UTF8.self), request: head,
      response: RecordedResponse(
        head: self.head,
        framing: hasContent ? .length : .none, arrivals: hasContent ? arrivals : Arrivals()),
      notes: [.inProcess], firstByte_us: firstByte_us, end_us: end_us)
    return InteractionDraft(
      interaction: interaction, requestBody: content.map { .bytes(Array($0)) } ?? .absent,
      responseBody: hasContent ? .bytes(Array(body)) : .absent)
  }

  private var hasContent: Bool { status != 204 && status != 304 && request.method != .head }

  /// Of the response, as it is stored.
  var head: ResponseHead {
    ResponseHead(
      status: status, reason: Array("\(ReasonPhrase.standard(status))".utf8), fields: storedFields)
  }

  /// In the order of their names, as URLSession gives them in none.
  private var storedFields: FieldSection {
    var all = FieldSection()
    for field in fields.sorted(by: { $0.name.lowercased() < $1.name.lowercased() }) {
      let (name, value) = (Array(field.name.utf8), Array(field.value.utf8)[...])
      // URLSession hands out nothing else; a cassette can't hold it.
      guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter),
        value.allSatisfy(\.isFieldValueByte)
      else { continue }
      all.append(name: name, value: value.trimmingOptionalWhitespace)
    }
    let codings = ContentCoding.list(of: all)
    let isDecoded = hasContent && !codings.isEmpty && !isCoded(codings)
    var stored = FieldSection()
    for index in all.lines.indices {
      let name = all.name(at: index)
      if name.equalsIgnoringCase("transfer-encoding".utf8)
        || hasContent && name.equalsIgnoringCase("content-length".utf8)
        || isDecoded && name.equalsIgnoringCase("content-encoding".utf8)
      {
        continue
      }
      stored.append(name: name, value: all.value(at: index))
    }
    if hasContent { stored.append("Content-Length", "\(body.count)") }
    return stored
  }

  /// Whether the content is still in its codings.
  private func isCoded(_ codings: [ContentCoding]) -> Bool {
    DecodedContent(Array(body), codings, bytesMax: Self.decodedBytesMax).flaw == nil
  }

  private static let decodedBytesMax = 256 << 20
}
