import FixtureCassette
import FixtureHTTP
import FixtureReplay
import FoundationEssentials

/// The script of a handler's answer.
struct ResponseScript {
  private let response: FixtureServer.Response
  private let fields: FieldSection
  private let isRaw: Bool

  /// - Returns: nil for a response that can't be sent: a status outside 200–999, a field name that
  ///   is no token, a value with CR, LF or NUL.
  init?(_ response: FixtureServer.Response) {
    guard 200...999 ~= response.status else { return nil }
    var fields = FieldSection()
    for (name, value) in response.headers {
      let (name, value) = (Array(name.utf8), Array(value.utf8)[...].trimmingOptionalWhitespace)
      guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter),
        value.allSatisfy(\.isFieldValueByte)
      else { return nil }
      fields.append(name: name, value: value)
    }
    self.response = response
    self.fields = fields
    isRaw = response.body.contains { if case .raw = $0 { true } else { false } }
  }

  /// - Parameter date: of the answer, seconds since 1970.
  func script(date: Int64) -> Script {
    var steps: [Step] = []
    if hasHead {
      steps.append(Step(.requestEnd, response.delay, .head(head(date))))
    }
    var wait = steps.isEmpty ? response.delay : .zero
    for piece in response.body {
      let anchor = steps.isEmpty ? Anchor.requestEnd : .previous
      switch piece {
      case .pause(let time): wait += time
      case .bytes(let data): steps.append(Step(anchor, wait, .generated(Array(data))))
      case .raw(let data): steps.append(Step(anchor, wait, .raw(Array(data))))
      case .reset: steps.append(Step(anchor, wait, .reset))
      case .close: steps.append(Step(anchor, wait, .close))
      }
      if case .pause = piece { continue }
      wait = .zero
    }
    // What paused after the last byte holds nothing back.
    steps.append(Step(.previous, .zero, isRaw ? .close : .end))
    var script = Script(steps: steps, framing: framing)
    if fields.list(.connection, holds: "close") { script.persistence = .ends }
    return script
  }

  private var hasHead: Bool {
    switch response.body.first {
    case .reset?, .close?, .raw?: false
    case .bytes?, .pause?, nil: true
    }
  }

  private var framing: RecordedFraming {
    if fields.list(.transferEncoding, holds: "chunked") { return .chunked }
    return isRaw && !fields.contains(.contentLength) ? .untilClose : .length
  }

  private func head(_ date: Int64) -> ResponseHead {
    var fields = fields
    if !fields.contains(.date) {
      fields.append("Date", HTTPDate(secondsSince1970: date).imfFixdate)
    }
    if framing == .length, !fields.contains(.contentLength), response.status != 304 {
      fields.append("Content-Length", "\(contentCount)")
    }
    return ResponseHead(
      status: response.status, reason: Array("\(ReasonPhrase.standard(response.status))".utf8),
      fields: fields)
  }

  /// All of the content, also what stands behind an ending and is never sent.
  private var contentCount: Int {
    response.body.reduce(0) { if case .bytes(let data) = $1 { $0 + data.count } else { $0 } }
  }
}
