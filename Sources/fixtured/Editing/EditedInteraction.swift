import FixtureCassette
import FixtureCoding
import FixtureHTTP
import FixtureStore

/// One interaction while it is edited: what was asked for, and what that makes necessary.
struct EditedInteraction {
  private(set) var interaction: Interaction
  private(set) var request: CassetteRewrite.Content
  private(set) var response: CassetteRewrite.Content
  /// What the user should know, a line each.
  var warnings: [String] = []

  /// Why a change can't be made; for people.
  struct Refusal: Error, Equatable {
    let reason: String
  }

  /// Which message is meant.
  enum Side: Equatable, Sendable {
    case request, response
  }

  init(_ interaction: Interaction, of reader: CassetteReader) {
    self.interaction = interaction
    request = .init(interaction.requestBody, in: reader)
    response = .init(interaction.response?.body, in: reader)
    self.interaction.notes.insert(.edited)
  }

  /// - Parameter reason: nil for the usual one.
  mutating func setStatus(_ status: Int, reason: [UInt8]?) throws(Refusal) {
    guard var response = interaction.response else { throw noResponse }
    response.head.status = status
    response.head.reason = reason ?? Array("\(ReasonPhrase.standard(status))".utf8)
    let couldHaveContent = interaction.canHaveResponseContent
    interaction.response = response
    if couldHaveContent, !interaction.canHaveResponseContent {
      removeResponseContent()
    } else if !couldHaveContent, interaction.canHaveResponseContent {
      self.response = .bytes([])
      interaction.setResponseBody(length: 0)
    }
  }

  /// A 204 or 304 has no content (RFC 9110 §15.3.5, §15.4.5).
  private mutating func removeResponseContent() {
    response = .absent
    guard var response = interaction.response else { return }
    response.framing = .none
    response.arrivals = Arrivals()
    response.trailers = FieldSection()
    response.head.fields = response.head.fields.removing(
      .contentLength, .transferEncoding, .trailer)
    interaction.response = response
    interaction.notes.subtract([.contentOmitted, .arrivalsMerged])
  }

  /// Replaces all lines of a field by one, in the place of the first; nil removes them.
  mutating func setField(_ name: [UInt8], _ value: [UInt8]?, of side: Side) throws(Refusal) {
    let text = String(decoding: name, as: UTF8.self)
    guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else {
      throw Refusal(reason: "\(text.quotedForTerminal) is no field name")
    }
    guard !Self.contentFields.contains(text.lowercased()) else {
      throw Refusal(reason: "\(text) follows the content and can't be set alone")
    }
    if let value, !value.allSatisfy(\.isFieldValueByte) {
      throw Refusal(reason: "the value of \(text) holds a control character")
    }
    setFields(try fields(of: side).setting(name, to: value), of: side)
  }

  /// Fields that say how the content is to be read.
  private static let contentFields = ["content-length", "transfer-encoding", "content-encoding"]

  private func fields(of side: Side) throws(Refusal) -> FieldSection {
    if side == .request { return interaction.request.fields }
    guard let response = interaction.response else { throw noResponse }
    return response.head.fields
  }

  private mutating func setFields(_ fields: FieldSection, of side: Side) {
    switch side {
    case .request: interaction.request.fields = fields
    case .response: interaction.response?.head.fields = fields
    }
  }

  /// Replaces the content, given without its codings.
  mutating func setContent(_ content: [UInt8], of side: Side) throws(Refusal) {
    let fields = try fields(of: side)
    if side == .response, !interaction.canHaveResponseContent {
      throw Refusal(
        reason: "interaction \(interaction.id) answers a HEAD, or its status has no content")
    }
    let coded: [UInt8]
    do throws(CodingError) {
      coded = try ContentReplacement.coded(content, as: fields)
    } catch {
      throw Refusal(reason: "the content can't be coded as before, \(error.description)")
    }
    switch side {
    case .request:
      request = .bytes(coded)
      interaction.setRequestBody(length: coded.count)
    case .response:
      response = .bytes(coded)
      interaction.setResponseBody(length: coded.count)
    }
    for name in ContentReplacement.digestFields where fields.has(name) {
      warnings.append("\(name) still is that of the content before")
    }
  }

  /// Takes over what was written in an editor.
  /// - Parameters: the contents as they were, decoded; nil when they weren't shown.
  mutating func take(
    _ edited: EditedText, requestContent: [UInt8]?, responseContent: [UInt8]?
  ) throws(Refusal) {
    try take(edited.request.fields, edited.requestContent, before: requestContent, .request)
    interaction.request.method = edited.request.method
    interaction.request.target = edited.request.target
    interaction.request.version = edited.request.version
    guard let head = edited.response, let old = interaction.response?.head else { return }
    if head.status != old.status || head.reason != old.reason {
      try setStatus(head.status, reason: head.reason)
    }
    interaction.response?.head.version = head.version
    try take(head.fields, edited.responseContent, before: responseContent, .response)
  }

  private mutating func take(
    _ fields: FieldSection, _ content: [UInt8]?, before: [UInt8]?, _ side: Side
  ) throws(Refusal) {
    let old = try self.fields(of: side)
    for name: FieldName in [.contentLength, .transferEncoding]
    where fields.all(name).count != old.all(name).count {
      throw Refusal(reason: "Content-Length and Transfer-Encoding can't be added or removed")
    }
    guard fields.all(.transferEncoding) == old.all(.transferEncoding) else {
      throw Refusal(reason: "Transfer-Encoding can't be changed")
    }
    let isCodedAnew = ContentCoding.list(of: fields) != ContentCoding.list(of: old)
    if isCodedAnew, content == nil, before == nil {
      throw Refusal(reason: "Content-Encoding can't be changed: the content isn't text")
    }
    var fields = fields
    if let length = old.first(.contentLength) {
      fields = fields.setting(Array("Content-Length".utf8), to: Array(length))
    }
    setFields(fields, of: side)
    if let content {
      try setContent(content, of: side)
    } else if isCodedAnew, let before {
      try setContent(before, of: side)
    }
  }

  /// Takes over what was redacted; content that stayed is not written anew.
  mutating func take(_ redacted: InteractionDraft, insteadOf given: InteractionDraft) {
    interaction = redacted.interaction
    if redacted.requestBody != given.requestBody, case .bytes(let bytes) = redacted.requestBody {
      request = .bytes(bytes)
    }
    if redacted.responseBody != given.responseBody, case .bytes(let bytes) = redacted.responseBody {
      response = .bytes(bytes)
    }
  }

  private var noResponse: Refusal {
    Refusal(reason: "interaction \(interaction.id) has no response")
  }
}

extension FieldSection {
  /// The section with all lines of a name replaced by one in the place of the first, or at the end;
  /// nil removes them.
  func setting(_ name: [UInt8], to value: [UInt8]?) -> FieldSection {
    var result = FieldSection()
    var isSet = value == nil
    for index in lines.indices {
      guard self.name(at: index).equalsIgnoringCase(name) else {
        result.append(name: self.name(at: index), value: self.value(at: index))
        continue
      }
      if !isSet, let value { result.append(name: self.name(at: index), value: value) }
      isSet = true
    }
    if !isSet, let value { result.append(name: name, value: value) }
    return result
  }

  func has(_ name: String) -> Bool {
    lines.indices.contains { self.name(at: $0).equalsIgnoringCase(name.utf8) }
  }
}
