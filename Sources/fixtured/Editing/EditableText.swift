import FixtureCassette
import FixtureHTTP

/// An interaction as a text to be edited.
///
///     === request
///     GET /feed HTTP/1.1
///     Host: api.example.com
///     === request content
///     === response
///     HTTP/1.1 200 OK
///     Content-Type: application/json
///     === response content
///     {
///       "ok": true
///     }
///     === end
///
/// Content is shown without its codings. The newline before a mark belongs to the mark. Where some
/// content has lines that begin like the mark, the mark is longer.
struct EditableText {
  let request: RequestHead
  /// nil when no response head came.
  let response: ResponseHead?
  let requestContent: EditableContent
  let responseContent: EditableContent
  /// `===`, or more of it.
  let mark: [UInt8]
  /// What stands above the first mark.
  let preface: String

  init(
    _ interaction: Interaction, requestContent: EditableContent, responseContent: EditableContent,
    of cassette: String
  ) {
    request = interaction.request
    response = interaction.response?.head
    self.requestContent = requestContent
    self.responseContent = responseContent
    var mark = Array("===".utf8)
    let contents = [requestContent.shown, responseContent.shown]
    while contents.contains(where: { $0.hasLine(startingWith: mark) }) {
      mark.append(0x3D)
    }
    self.mark = mark
    preface = """
      # Interaction \(interaction.id) of \(cassette.escapedForTerminal).
      # What is saved is recorded so; lengths and codings follow. To change nothing, leave
      # the text as it is, or empty it.

      """
  }

  /// The parts, in their order.
  enum Part: String, CaseIterable {
    case request
    case requestContent = "request content"
    case response
    case responseContent = "response content"
    case end
  }

  /// Those that there are.
  var parts: [Part] {
    response == nil ? [.request, .requestContent, .end] : Part.allCases
  }

  var bytes: [UInt8] {
    var text = Array(preface.utf8)
    for part in parts {
      text += mark + Array(" \(part.rawValue)".utf8)
      switch part {
      case .request:
        text.append(0x0A)
        text += request.method.bytes + [0x20] + request.target
        text += Array(" \(request.version.description)\n".utf8)
        append(request.fields, to: &text)
      case .requestContent: append(requestContent, to: &text)
      case .response:
        guard let response else { continue }
        text += Array("\n\(response.version.description) \(response.status)".utf8)
        text += response.reason.isEmpty ? [0x0A] : [0x20] + response.reason + [0x0A]
        append(response.fields, to: &text)
      case .responseContent: append(responseContent, to: &text)
      case .end: text.append(0x0A)
      }
    }
    return text
  }

  private func append(_ fields: FieldSection, to text: inout [UInt8]) {
    for index in fields.lines.indices {
      let value = fields.value(at: index)
      text.append(contentsOf: fields.name(at: index))
      text.append(contentsOf: value.isEmpty ? ":".utf8 : ": ".utf8)
      text.append(contentsOf: value)
      text.append(0x0A)
    }
  }

  private func append(_ content: EditableContent, to text: inout [UInt8]) {
    text += Array((content.remark.map { ", " + $0 } ?? "").utf8) + [0x0A]
    if !content.shown.isEmpty { text += content.shown + [0x0A] }
  }
}

/// Content as it is edited.
struct EditableContent: Equatable {
  /// More is not put before an editor.
  static let sizeMax = 4 << 20

  /// Without codings, as it is in the cassette; nil when it is not shown: no text, too large, or in
  /// a coding that can't be undone.
  let original: [UInt8]?
  /// What stands in the editor.
  let shown: [UInt8]
  /// Stands behind the mark: the codings, or why nothing is shown.
  let remark: String?
  /// What has to be valid JSON, because it was.
  let isJSON: Bool

  init(_ excerpt: ContentExcerpt?) {
    guard let excerpt else {
      (original, shown, remark, isJSON) = ([], [], nil, false)
      return
    }
    let codings = (excerpt.decoded?.codings ?? []).map(\.description.escapedForTerminal)
    let isDecoded = excerpt.decoded.map { $0.flaw == nil } ?? true
    guard isDecoded, let text = excerpt.readable.text, text.restBytes == 0 else {
      original = nil
      shown = []
      remark = "\(excerpt.stored.size) bytes that are not shown; what is written here replaces them"
      isJSON = false
      return
    }
    let content = excerpt.readable.beginning
    original = content
    let plain = excerpt.isJSON ? JSONLayout.compact(content) : nil
    isJSON = plain != nil
    // Only what was compact is laid out: any other layout is the API's own.
    let isCompact = plain != nil && (plain == content || plain.map { $0 + [0x0A] } == content)
    let ending: [UInt8] = content.last == 0x0A ? [0x0A] : []
    shown = isCompact ? (JSONLayout.laidOut(content) ?? content) + ending : content
    remark = codings.isEmpty ? nil : codings.joined(separator: ", ")
  }

  /// What was written, as it is to be stored, codings aside; nil when nothing was changed.
  func changed(to text: [UInt8]) -> [UInt8]? {
    guard text != shown else { return nil }
    guard isJSON, shown != original, let plain = JSONLayout.compact(text) else { return text }
    return plain + (text.last == 0x0A ? [0x0A] : [])
  }
}

extension [UInt8] {
  fileprivate func hasLine(startingWith mark: [UInt8]) -> Bool {
    split(separator: 0x0A).contains { $0.starts(with: mark) }
  }
}
