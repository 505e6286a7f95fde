import FixtureCassette
import FixtureHTTP
import FixtureReplay
import FoundationEssentials

/// Why a handler's response can't be sent.
enum UnsendableResponse: Error, CustomStringConvertible {
  case status(Int)
  case fieldName(String)
  case fieldValue(name: String)

  var description: String {
    switch self {
    case .status(let status):
      "the handler's response can't be sent: its status is \(status), it must be 200 to 999 "
        + "(RFC 9110 §15)"
    case .fieldName(let name):
      "the handler's response can't be sent: its field name \(name.debugDescription) is no token: "
        + "use letters, digits and - (RFC 9110 §5.6.2)"
    case .fieldValue(let name):
      "the handler's response can't be sent: the value of its field \(name) has CR, LF or NUL: "
        + "take them out (RFC 9110 §5.5)"
    }
  }
}

/// The script of a handler's answer.
struct ResponseScript {
  private let response: FixtureServer.Response
  private let fields: FieldSection
  private let isRaw: Bool

  /// - Throws: what can't be sent.
  init(_ response: FixtureServer.Response) throws(UnsendableResponse) {
    guard 200...999 ~= response.status else { throw .status(response.status) }
    var fields = FieldSection()
    for (name, value) in response.headers {
      let bytes = Array(value.utf8)[...].trimmingOptionalWhitespace
      guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter) else {
        throw .fieldName(name)
      }
      guard bytes.allSatisfy(\.isFieldValueByte) else { throw .fieldValue(name: name) }
      fields.append(name: Array(name.utf8), value: bytes)
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
      case .pause(let duration):
        wait += duration
        continue
      case .bytes(let data): steps.append(Step(anchor, wait, .generated(Array(data))))
      case .raw(let data): steps.append(Step(anchor, wait, .raw(Array(data))))
      case .reset: steps.append(Step(anchor, wait, .reset))
      case .close: steps.append(Step(anchor, wait, .close))
      }
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
