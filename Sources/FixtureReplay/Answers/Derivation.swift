import FixtureCassette
import FixtureHTTP

/// Answers that follow from a recorded one, as the origin server would give them: a 304, a 412, a
/// part (206), a 416, or a head alone.
///
/// Only a whole answer is a source: one that was cut off while it was recorded is replayed as it
/// is. Content is not touched, only other slices of it are sent.
package struct Derivation {
  package let request: RequestHead
  package let presence: Preconditions.Presence
  /// The method whose answer the script is; HEAD may be answered from GET.
  package let recorded: Method
  /// What was answered when the request that was recorded had the same conditions and range: then
  /// it is the answer to them, as long as it tells of the same state.
  package let asRecorded: ResponseHead?
  /// What the conditions of a request that is neither GET nor HEAD are compared with, as its own
  /// answer does not say it; nil when that is not known, and they are not evaluated.
  package let current: Validators?

  package init(
    _ request: RequestHead, _ presence: Preconditions.Presence, recorded: Method,
    asRecorded: ResponseHead?, current: Validators? = nil
  ) {
    self.request = request
    self.presence = presence
    self.recorded = recorded
    self.asRecorded = asRecorded
    self.current = current
  }

  /// Whether some recorded answer may become another one.
  package static func concerns(
    _ request: RequestHead, _ presence: Preconditions.Presence, recorded: Method
  ) -> Bool {
    !presence.isEmpty || request.method == .head && recorded != .head
  }

  /// The answer to the request.
  /// - Parameter script: the whole answer, with the fields that the client is to get, before it is
  ///   timed.
  package func script(_ script: Script) -> Script {
    guard let place = script.steps.firstIndex(where: { $0.action.isFinalHead }),
      case .head(let head) = script.steps[place].action, script.steps.last?.action == .end
    else { return script }
    let source = Source(script: script, place: place, head: head)
    let isAsRecorded = asRecorded.map {
      $0.status == head.status && $0.fields.first(.etag) == head.fields.first(.etag)
    }
    let derived = isAsRecorded == true ? script : evaluated(source.whole ?? source)
    let hasContent = request.method != .head || recorded == .head
    return hasContent ? derived : derived.withoutContent
  }

  /// A whole answer, taken apart.
  struct Source {
    let script: Script
    /// Of the head's step.
    let place: Int
    let head: ResponseHead
  }

  private func evaluated(_ source: Source) -> Script {
    let isRead = request.method == .get || request.method == .head
    guard (200...299).contains(source.head.status) else { return source.script }
    if !presence.isDisjoint(with: .conditions),
      let current = isRead ? Validators(source.head.fields) : current
    {
      switch Preconditions.evaluate(request.method, request.fields, against: current) {
      case .proceed: break
      case .notModified:
        // RFC 9110 §15.4.5: "would have resulted in a 200 (OK) response".
        return source.head.status == 200 ? source.notModified : source.script
      case .failed: return source.refusal(412, "Precondition Failed")
      }
    }
    // RFC 9110 §14.2: "A server MUST ignore a Range header field received with a request method
    // that is unrecognized or for which range handling is not defined"; it is for GET alone.
    guard request.method == .get, presence.contains(.range) else { return source.script }
    return ranged(source)
  }

  private func ranged(_ source: Source) -> Script {
    let fields = source.head.fields
    guard let ranges = ByteRanges(request.fields), !fields.list(.acceptRanges, holds: "none"),
      let whole = source.content, Preconditions.allowRange(request.fields, of: Validators(fields))
    else { return source.script }
    if source.head.status == 206 { return source.part(of: ranges, from: whole) ?? source.script }
    guard source.head.status == 200 else { return source.script }
    switch ranges.selection(of: whole.size) {
    case .whole: return source.script
    case .unsatisfiable:
      let range = ContentRange(range: nil, size: whole.size)
      return source.refusal(416, "Range Not Satisfiable", range)
    case .parts(let parts) where parts.count == 1:
      return source.part(parts[0], whole.steps(in: parts[0]), of: whole.size)
    case .parts(let parts): return source.parts(parts, from: whole)
    }
  }
}

extension Derivation.Source {
  /// A recorded part that is all of the representation, as a 200 with it.
  var whole: Derivation.Source? {
    guard head.status == 206, let recorded = head.fields.contentRange, let size = recorded.size,
      recorded.range == 0..<size, content?.size == size
    else { return nil }
    let head = ResponseHead(status: 200, "OK", head.fields.removing(.contentRange))
    var script = script
    script.steps[place].action = .head(head)
    return Derivation.Source(script: script, place: place, head: head)
  }

  /// RFC 9110 §15.4.5: the fields that guide a cache go along, what describes the content does not,
  /// nor a date when there is a tag.
  var notModified: Script {
    let hasTag = head.fields.contains(.etag)
    let fields = head.fields.describingNoContent.mapValues { name, value in
      hasTag && name.withUnsafeBytes(FieldName.lastModified.matches) ? nil : value
    }
    return replacing(ResponseHead(status: 304, "Not Modified", fields), [], .none)
  }

  /// An error that says what was wrong with the request, with the fields that are not about the
  /// representation or the success.
  func refusal(_ status: Int, _ reason: StaticString, _ range: ContentRange? = nil) -> Script {
    var json = JSONText()
    json.object { json in
      json.member("type", "about:blank")
      json.member("title", "\(reason)")
      json.member("status", Int64(status))
    }
    var fields = head.fields.describingNoContent.removing(
      .etag, .lastModified, .cacheControl, .expires, .age, .setCookie, .location, .contentLocation)
    if let range { fields.append("Content-Range", range.bytes) }
    fields.append("Content-Type", "application/problem+json")
    fields.append("Content-Length", String(json.bytes.count))
    return replacing(
      ResponseHead(status: status, reason, fields),
      [Step(.previous, .zero, .generated(json.bytes))], .length)
  }

  /// One part of the content.
  /// - Parameter steps: those that send it.
  func part(_ part: Range<Int64>, _ steps: [Step], of size: Int64?) -> Script {
    var fields = head.fields.describingPart(size: Int64(part.count)).removing(.contentRange)
    fields.append("Content-Range", ContentRange(range: part, size: size).bytes)
    return replacing(ResponseHead(status: 206, "Partial Content", fields), steps, .length)
  }

  /// Several parts in a `multipart/byteranges` (RFC 9110 §14.6).
  func parts(_ parts: [Range<Int64>], from whole: Content) -> Script {
    let boundary = boundary(parts)
    let type = head.fields.first(.contentType)
    var steps: [Step] = []
    var size: Int64 = 0
    func generate(_ bytes: [UInt8]) {
      steps.append(Step(.previous, .zero, .generated(bytes)))
      size += Int64(bytes.count)
    }
    for part in parts {
      var lines = Array("\r\n--\(boundary)\r\n".utf8)
      if let type { lines += Array("Content-Type: ".utf8) + type + [0x0D, 0x0A] }
      lines += Array("Content-Range: ".utf8)
      lines += ContentRange(range: part, size: whole.size).bytes + Array("\r\n\r\n".utf8)
      generate(lines)
      steps += whole.steps(in: part).map { Step(.previous, .zero, $0.action) }
      size += Int64(part.count)
    }
    generate(Array("\r\n--\(boundary)--\r\n".utf8))
    var fields = head.fields.describingPart(size: size).removing(.contentType, .contentRange)
    fields.append("Content-Type", "multipart/byteranges; boundary=\(boundary)")
    return replacing(ResponseHead(status: 206, "Partial Content", fields), steps, .length)
  }

  /// The same for the same parts of the same answer, and so long that content won't hold it.
  private func boundary(_ parts: [Range<Int64>]) -> String {
    var seed = head.fields.bytes
    for part in parts { seed += Array("\(part)".utf8) }
    let first = StableHash.value(of: seed).mixed(with: UInt64(bitPattern: script.interaction ?? 0))
    return [first, first.mixed(with: 1)].map {
      let digits = String($0, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// A part of a recorded part, when all that is asked for lies in it; nil for anything else.
  func part(of ranges: ByteRanges, from content: Content) -> Script? {
    guard let recorded = head.fields.contentRange, let range = recorded.range,
      let size = recorded.size, content.size == range.count,
      case .parts(let parts) = ranges.selection(of: size), parts.count == 1,
      range.lowerBound <= parts[0].lowerBound, parts[0].upperBound <= range.upperBound
    else { return nil }
    let start = parts[0].lowerBound - range.lowerBound
    return part(
      parts[0], content.steps(in: start..<(start + Int64(parts[0].count))), of: size)
  }

  /// The script with another head and content, sent when the recorded ones were.
  private func replacing(
    _ head: ResponseHead, _ content: [Step], _ framing: RecordedFraming
  ) -> Script {
    var result = script
    result.steps = Array(script.steps[..<place])
    var step = script.steps[place]
    step.action = .head(head)
    result.steps.append(step)
    result.steps += content
    result.steps.append(Step(.previous, .zero, .end))
    result.framing = framing
    return result
  }
}

extension Derivation.Source {
  /// The steps that send content, and how many bytes it is.
  struct Content {
    fileprivate let steps: [Step]
    let size: Int64

    /// Those that send a part of it, which keep their distances.
    func steps(in part: Range<Int64>) -> [Step] {
      var found: [Step] = []
      var position: Int64 = 0
      for step in steps {
        let end = position + step.action.contentCount
        let wanted = part.clamped(to: position..<end)
        if !wanted.isEmpty {
          var step = step
          step.action = step.action.part(
            (wanted.lowerBound - position)..<(wanted.upperBound - position))
          // What comes before it is not waited for.
          if found.isEmpty { step.offset = .zero }
          found.append(step)
        }
        position = end
      }
      return found
    }
  }

  /// nil when its length is not certain, or it has a transfer coding that can't be cut.
  var content: Content? {
    let isCoded = head.fields.list(.transferEncoding).contains {
      !$0.equalsIgnoringCase("chunked".utf8)
    }
    guard !isCoded else { return nil }
    let steps = script.steps[place...].filter { $0.action.contentCount > 0 }
    let size = steps.reduce(0) { $0 + $1.action.contentCount }
    if script.framing == .length, let length = head.fields.first(.contentLength),
      !length.elementsEqual("\(size)".utf8)
    {
      return nil
    }
    return Content(steps: steps, size: size)
  }
}

extension Script {
  /// The same head for HEAD (RFC 9110 §9.3.2), which keeps its `Content-Length`.
  fileprivate var withoutContent: Script {
    var script = self
    script.steps = steps.filter {
      if case .trailers = $0.action { return false }
      return $0.action.contentCount == 0
    }
    script.framing = .none
    return script
  }
}

extension Action {
  fileprivate var isFinalHead: Bool {
    if case .head = self { true } else { false }
  }

  /// Bytes of content that it sends.
  fileprivate var contentCount: Int64 { payload?.count ?? 0 }

  /// The same for a part of the content, before it is timed.
  fileprivate func part(_ range: Range<Int64>) -> Action { payload?.part(range).action ?? self }
}

extension ResponseHead {
  fileprivate init(status: Int, _ reason: StaticString, _ fields: FieldSection) {
    self.init(status: status, reason: Array("\(reason)".utf8), fields: fields)
  }
}

extension FieldSection {
  /// Without what describes content that is not there, and its framing.
  fileprivate var describingNoContent: FieldSection {
    removing(
      .contentLength, .transferEncoding, .trailer, .contentType, .contentEncoding,
      .contentLanguage, .contentDisposition, .contentRange, .contentDigest, .contentMD5)
  }

  /// With the length of a part, and without what was computed of the whole content.
  fileprivate func describingPart(size: Int64) -> FieldSection {
    var isFirst = true
    var fields = removing(.transferEncoding, .trailer, .contentDigest, .contentMD5)
    let length = Array(String(size).utf8)
    fields = fields.mapValues { name, value in
      guard name.withUnsafeBytes(FieldName.contentLength.matches) else { return value }
      defer { isFirst = false }
      return isFirst ? length[...] : nil
    }
    if isFirst { fields.append("Content-Length", length) }
    return fields
  }
}
