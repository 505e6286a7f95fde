import FixtureCoding
import FixtureHTTP

/// Puts other content into recorded messages: coded as before, with lengths that fit.
package enum ContentReplacement {
  /// The content with the codings that a message's fields name.
  /// - Throws: `.codingUnknown` for one that can't be made.
  package static func coded(
    _ content: [UInt8], as fields: FieldSection
  ) throws(CodingError) -> [UInt8] {
    try ContentEncoder.encoded(content, ContentCoding.list(of: fields))
  }

  /// The fields with the length that the body has now. A message in chunks or until the close has
  /// no length to correct (RFC 9112 §6.2).
  package static func fields(_ fields: FieldSection, length: Int, adds: Bool) -> FieldSection {
    var isSet = fields.contains(.transferEncoding)
    guard !isSet else { return fields }
    var result = FieldSection()
    let digits = Array(String(length).utf8)
    for index in fields.lines.indices {
      let name = fields.name(at: index)
      guard name.withUnsafeBytes(FieldName.contentLength.matches) else {
        result.append(name: name, value: fields.value(at: index))
        continue
      }
      if !isSet { result.append(name: name, value: digits) }
      isSet = true
    }
    if adds, !isSet { result.append("Content-Length", digits) }
    return result
  }

  /// Fields that say something about the bytes of the content, which no longer holds.
  package static let digestFields = [
    "Content-MD5", "Digest", "Content-Digest", "Repr-Digest",
  ]
}

extension Interaction {
  /// The request with a body of this many bytes.
  package mutating func setRequestBody(length: Int) {
    request.fields = ContentReplacement.fields(request.fields, length: length, adds: true)
    notes.remove(.requestCut)
  }

  /// The response with a whole body of this many bytes, whose arrival nobody knows.
  package mutating func setResponseBody(length: Int) {
    if response?.framing == RecordedFraming.none { response?.framing = .length }
    notes.subtract([.contentOmitted, .arrivalsMerged])
    (outcome, outcomeDetail) = (.complete, nil)
    responseBodyChanged(length: length, adds: response?.framing == .length)
  }

  /// The request with other bytes for what it has.
  package mutating func requestBodyChanged(length: Int) {
    request.fields = ContentReplacement.fields(request.fields, length: length, adds: false)
  }

  /// The response with other bytes for what it has. One that ended early has told a length that
  /// never came, and goes on doing so.
  package mutating func responseBodyChanged(length: Int, adds: Bool = false) {
    guard var response else { return }
    if outcome == .complete {
      response.head.fields = ContentReplacement.fields(
        response.head.fields, length: length, adds: adds)
    }
    response.arrivals = Arrivals()
    self.response = response
  }

  /// Whether its response can have content (RFC 9112 §6.3).
  package var canHaveResponseContent: Bool {
    guard let response else { return false }
    return request.method != .head && response.head.status != 204 && response.head.status != 304
  }
}
