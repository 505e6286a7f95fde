import FixtureCassette
import FixtureHTTP

/// An interaction as a block of lines for people: the same text for the same recording.
///
///     interaction 1, to https://api.example.com
///     > GET /feed HTTP/1.1
///         Host: api.example.com
///     < HTTP/1.1 200 OK
///         Content-Type: application/json
///       content: 11 bytes, framing length, sha256 93a2…
///         | {"ok":true}
///       outcome: complete
///
/// Coded content is shown decoded: `content: gzip, 38 bytes, decoded 18, framing length, …`, JSON
/// laid out. The digest is that of what is stored or, without times, of the decoded content: an
/// origin server may write the moment into a gzip header.
///
/// Text from the wire is escaped so that no byte of it can reach a terminal as a command. No line
/// of ours ends in white space.
struct InteractionText {
  private static let arrivalsMax = 100
  private static let binaryBytesMax = 32

  let interaction: Interaction
  /// nil when there is no request body.
  let requestContent: ContentExcerpt?
  /// nil when there is no response body.
  let responseContent: ContentExcerpt?
  /// Whether dates, offsets and connections are shown, which differ between recordings of the same
  /// thing; see `LastingValue` for those in fields.
  let withTimes: Bool

  private var lines: [String] = []

  init(
    _ interaction: Interaction, requestContent: ContentExcerpt?, responseContent: ContentExcerpt?,
    withTimes: Bool
  ) {
    self.interaction = interaction
    self.requestContent = requestContent
    self.responseContent = responseContent
    self.withTimes = withTimes
  }

  /// The whole block; every line ends with a newline.
  var text: String {
    var writer = self
    writer.addAll()
    return writer.lines.map { $0 + "\n" }.joined()
  }

  private mutating func addAll() {
    let name = interaction.upstream.map { " (\($0.escapedForTerminal))" } ?? ""
    let origin = "\(interaction.scheme)://\(interaction.authority)".escapedForTerminal
    lines.append("interaction \(interaction.id), to \(origin)\(name)")
    if withTimes { addBeginning() }
    addRequest()
    for interim in interaction.interims {
      add(interim.head)
      if withTimes { lines.append("  after: \(TimeText.milliseconds(us: interim.offset_us))") }
    }
    addResponse()
    addEnd()
  }

  private mutating func addBeginning() {
    lines.append("  started: \(TimeText.date(us: interaction.startedAt_us))")
    lines.append("  connection: \(interaction.connection)")
  }

  private mutating func addRequest() {
    let request = interaction.request
    let method = String(escaping: request.method.bytes)
    let target = String(escaping: request.target)
    lines.append("> \(method) \(target) \(request.version.description)")
    add(request.fields)
    add(requestContent, framing: nil)
    addTrailers(interaction.requestTrailers)
  }

  private mutating func addResponse() {
    guard let response = interaction.response else {
      lines.append("< no response")
      return
    }
    add(response.head)
    if withTimes, let firstByte_us = interaction.firstByte_us {
      lines.append("  after: \(TimeText.milliseconds(us: firstByte_us))")
    }
    add(responseContent, framing: response.framing)
    if withTimes { add(response.arrivals) }
    addTrailers(response.trailers)
  }

  private mutating func addEnd() {
    let detail = interaction.outcomeDetail.map { ", \($0.escapedForTerminal)" } ?? ""
    lines.append("  outcome: \(interaction.outcome.rawValue)\(detail)")
    if withTimes { lines.append("  ended after: \(TimeText.milliseconds(us: interaction.end_us))") }
    // Whether arrivals were merged is a matter of time.
    let notes = interaction.sortedNotes.filter { withTimes || $0 != "arrivals-merged" }
    if !notes.isEmpty { lines.append("  notes: \(notes.joined(separator: ", "))") }
  }

  private mutating func add(_ head: ResponseHead) {
    let reason = head.reason.isEmpty ? "" : " " + String(escaping: head.reason)
    lines.append("< \(head.version.description) \(head.status)\(reason)")
    add(head.fields)
  }

  private mutating func add(_ fields: FieldSection) {
    let lasting = LastingValue(in: fields)
    for index in fields.lines.indices {
      let value = withTimes ? String(escaping: fields.value(at: index)) : lasting.text(at: index)
      let name = String(escaping: fields.name(at: index))
      lines.append("    \(name):\(value.isEmpty ? "" : " " + value)")
    }
  }

  private mutating func addTrailers(_ fields: FieldSection) {
    guard !fields.isEmpty else { return }
    lines.append("  trailers:")
    add(fields)
  }

  private mutating func add(_ content: ContentExcerpt?, framing: RecordedFraming?) {
    let framingText = framing.map { ", framing \($0.rawValue)" } ?? ""
    guard let content else {
      if let framing, framing != .none { lines.append("  content: none\(framingText)") }
      return
    }
    let size = content.stored.size
    let decoded = content.decoded
    let shown = withTimes ? (content.readable, content.digest) : content.lasting
    let digest = size == 0 ? "" : ", sha256 \(shown.1.hexadecimal)"
    let laidOut = content.laidOut
    let layoutText = laidOut == nil ? "" : ", laid out"
    let codings = (decoded?.codings ?? []).map { "\($0.description.escapedForTerminal), " }.joined()
    lines.append(
      "  content: \(codings)\(size) bytes\(decoded?.sizeText ?? "")\(framingText)\(digest)"
        + layoutText)
    if let decoded { addNotes(on: decoded) }
    if let laidOut { add(text: laidOut) } else if size > 0 { add(shown.0) }
  }

  /// What did not go well when content was decoded.
  private mutating func addNotes(on decoded: DecodedExcerpt) {
    if let flaw = decoded.flaw {
      lines.append("  decoding: stopped, \(flaw.description.escapedForTerminal)")
    }
    let count = decoded.trailingBytes
    if count > 0 { lines.append("  decoding: left out \(count) bytes behind the data") }
  }

  private mutating func add(_ excerpt: Excerpt) {
    if let text = excerpt.text {
      add(text: text.shown)
      if text.restBytes > 0 { lines.append("    … \(text.restBytes) more bytes") }
    } else {
      let shown = excerpt.beginning.prefix(Self.binaryBytesMax)
      let more = excerpt.size > Int64(shown.count) ? "…" : ""
      lines.append("    \(shown.hexadecimal)\(more)")
    }
  }

  /// A line of ours for every line of the text. Whether the last one ended with a newline shows
  /// only in the digest.
  private mutating func add(text: String) {
    var parts = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    if parts.last?.isEmpty == true { parts.removeLast() }
    for part in parts {
      let line = String(part).escapedForTerminal
      lines.append(line.isEmpty ? "    |" : "    | \(line)")
    }
  }

  private mutating func add(_ arrivals: Arrivals) {
    guard arrivals.count > 0 else { return }
    lines.append("  arrivals: \(arrivals.count)")
    for piece in arrivals.pieces.prefix(Self.arrivalsMax) {
      lines.append("    \(TimeText.milliseconds(us: piece.offset_us)), \(piece.count) bytes")
    }
    let rest = arrivals.count - Self.arrivalsMax
    if rest > 0 { lines.append("    … \(rest) more") }
  }
}

extension DecodedExcerpt {
  fileprivate var sizeText: String { isUseless ? ", not decoded" : ", decoded \(content.size)" }
}

extension Interaction {
  /// The words of the notes, always in the same order.
  var sortedNotes: [String] { Note.allCases.filter(notes.contains).map(\.rawValue) }
}
