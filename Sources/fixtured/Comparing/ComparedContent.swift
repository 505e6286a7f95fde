import FixtureCassette
import FixtureHTTP
import FixtureStore

/// Content as it is compared: without codings, by value where it is JSON, by lines where it is
/// text.
struct ComparedContent {
  /// Larger content is only compared as a whole.
  static let sizeMax = 16 << 20

  let size: Int64
  let digest: [UInt8]
  /// What is compared; nil when it is too large or its coding can't be undone.
  let bytes: [UInt8]?
  /// The content itself, without codings; nil when `bytes` is.
  let plain: [UInt8]?
  let isJSON: Bool

  init(size: Int64, digest: [UInt8], bytes: [UInt8]?, isJSON: Bool) {
    (self.size, self.digest, self.bytes, self.isJSON) = (size, digest, bytes, isJSON)
    plain = bytes
  }

  init(_ excerpt: ContentExcerpt) {
    let decoded = excerpt.decoded
    isJSON = excerpt.isJSON
    guard decoded.map({ $0.flaw == nil }) ?? true, excerpt.readable.restBytes == 0 else {
      (size, digest, bytes, plain) = (excerpt.stored.size, excerpt.digest, nil, nil)
      return
    }
    let lasting = excerpt.lasting
    (size, digest, bytes) = (lasting.content.size, lasting.digest, lasting.content.beginning)
    plain = excerpt.readable.beginning
  }

  /// What differs, a line each, below a line that says what is compared.
  static func differences(
    _ left: ComparedContent?, _ right: ComparedContent?, what: String
  ) -> [String] {
    guard let left, let right else {
      if left == nil, right == nil { return [] }
      return ["\(what): \(left?.summary ?? "none") -> \(right?.summary ?? "none")"]
    }
    if left.digest == right.digest, left.size == right.size { return [] }
    if let lines = jsonDifferences(left, right, what) { return lines }
    guard let before = left.text, let now = right.text else {
      return ["\(what): \(left.summary) -> \(right.summary)"]
    }
    let lines = LineDifference.lines(before, now)
    return lines.isEmpty
      ? ["\(what): the same but for the end of the last line"] : ["\(what):"] + lines
  }

  private static func jsonDifferences(
    _ left: ComparedContent, _ right: ComparedContent, _ what: String
  ) -> [String]? {
    guard left.isJSON, right.isJSON, let before = left.bytes.flatMap(JSONNode.init),
      let now = right.bytes.flatMap(JSONNode.init)
    else { return nil }
    let differences = JSONDifference.list(before, now)
    if differences.isEmpty { return ["\(what): the same JSON value, written in another way"] }
    let lines = differences.flatMap { difference in
      let pointer = String(escaping: difference.pointer.text)
      let place = pointer.isEmpty ? "(all)" : pointer
      return (difference.left.map { ["- \(place): \(shown($0))"] } ?? [])
        + (difference.right.map { ["+ \(place): \(shown($0))"] } ?? [])
    }
    return ["\(what), JSON:"] + LineDifference.bounded(lines)
  }

  /// A value on one line, cut when it is long.
  static func shown(_ node: JSONNode) -> String {
    let text = String(decoding: node.compact, as: UTF8.self).escapedForTerminal
    return text.count > 200 ? "\(text.prefix(200))…" : text
  }

  private var summary: String {
    size == 0 ? "empty" : "\(size) bytes, sha256 \(digest.hexadecimal)"
  }

  /// The lines of a text; nil for what is none.
  private var text: [String]? {
    guard let bytes, !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    return text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).escapedForTerminal }
  }
}

extension CassetteReader {
  func comparedContent(
    _ body: BodyReference?, of fields: FieldSection?
  ) throws(StoreError) -> ComparedContent? {
    try excerpt(
      body, of: fields, bytesMax: ComparedContent.sizeMax, decodedSizeMax: ComparedContent.sizeMax
    ).map(ComparedContent.init)
  }
}
