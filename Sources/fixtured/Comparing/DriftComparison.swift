import FixtureCassette
import FixtureHTTP
import FixtureStore

/// In what an answer differs from the one that was recorded: in its status, in the names of its
/// fields, in the shape of its JSON; in values, too, when they are asked for.
///
/// Numbers of placeholders are disregarded: a secret that is drawn anew is the same place.
struct DriftComparison {
  private(set) var lines: [String] = []
  private let withValues: Bool

  init(
    _ old: Interaction, of oldReader: CassetteReader, _ new: Interaction,
    of newReader: CassetteReader, withValues: Bool
  ) throws(StoreError) {
    self.withValues = withValues
    guard let before = old.response, let now = new.response else {
      compareWithout(old, new)
      return
    }
    if before.head.status != now.head.status {
      lines.append("status: \(before.head.status) -> \(now.head.status)")
    }
    if old.outcome != new.outcome {
      lines.append("outcome: \(old.outcome.rawValue) -> \(new.outcome.rawValue)")
    }
    compare(before.head.fields, now.head.fields)
    compare(
      try oldReader.comparedContent(before.body, of: before.head.fields)?.masked,
      try newReader.comparedContent(now.body, of: now.head.fields)?.masked)
  }

  private mutating func compareWithout(_ old: Interaction, _ new: Interaction) {
    func text(_ interaction: Interaction) -> String {
      interaction.response.map { "status \($0.head.status)" } ?? interaction.outcome.rawValue
    }
    guard text(old) != text(new) else { return }
    let detail = new.outcomeDetail.map { " (\($0.escapedForTerminal))" } ?? ""
    lines.append("answer: \(text(old)) -> \(text(new))\(detail)")
  }

  private mutating func compare(_ before: FieldSection, _ now: FieldSection) {
    let names = [before, now].map { fields in
      fields.lines.indices.map { String(escaping: fields.name(at: $0)) }
        .filter { !Self.passingFields.contains($0.lowercased()) }
    }
    let known = names.map { Set($0.map { $0.lowercased() }) }
    for name in Self.unique(names[0]) where !known[1].contains(name.lowercased()) {
      lines.append("field \(name): is gone")
    }
    for name in Self.unique(names[1]) where !known[0].contains(name.lowercased()) {
      lines.append("field \(name): is new")
    }
    let types = [before, now].map { fields in
      fields.first(.contentType).map { String(escaping: ParameterizedValue($0).value) }
    }
    if let before = types[0], let now = types[1], before != now {
      lines.append("content type: \(before) -> \(now)")
    }
    guard withValues else { return }
    for name in Self.unique(names[0]) where known[1].contains(name.lowercased()) {
      let values = [before, now].map { Self.values(name, in: $0) }
      if values[0] != values[1] {
        lines.append(
          "field \(name): \(values[0].joined(separator: ", ")) -> "
            + values[1].joined(separator: ", "))
      }
    }
  }

  /// Fields of one connection, of the framing or of the moment (RFC 9110 §7.6.1, §8.6, RFC 9111
  /// §5.1).
  private static let passingFields: Set<String> = [
    "age", "connection", "content-length", "date", "keep-alive", "trailer", "transfer-encoding",
  ]

  private static func unique(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0.lowercased()).inserted }
  }

  private static func values(_ name: String, in fields: FieldSection) -> [String] {
    let lasting = LastingValue(in: fields)
    return fields.lines.indices.filter { fields.name(at: $0).equalsIgnoringCase(name.utf8) }
      .map {
        let text = Array(lasting.text(at: $0).utf8)
        return String(decoding: Placeholder.masking(text), as: UTF8.self)
      }
  }

  private mutating func compare(_ before: ComparedContent?, _ now: ComparedContent?) {
    let isEmpty = [before, now].map { ($0?.size ?? 0) == 0 }
    if isEmpty[0] != isEmpty[1] {
      lines.append("content: \(isEmpty[0] ? "is new" : "is gone")")
      return
    }
    if let shapes = Self.shapes(before, now) { lines += shapes }
    if withValues {
      lines += ComparedContent.differences(before, now, what: "content")
    }
  }

  /// nil when one of them is no JSON, which is told when the other one is.
  private static func shapes(_ before: ComparedContent?, _ now: ComparedContent?) -> [String]? {
    guard let before, let now, before.isJSON, let old = before.bytes.flatMap(JSONNode.init) else {
      return nil
    }
    guard let new = now.bytes.flatMap(JSONNode.init) else { return ["content: is no JSON now"] }
    return JSONShape(old).differences(to: JSONShape(new)).map { difference in
      let place = String(escaping: difference.place)
      let words = [difference.before, difference.now].map { types in
        types.map(\.rawValue).joined(separator: " or ")
      }
      let name = place.isEmpty ? "content" : "content \(place)"
      if difference.now.isEmpty { return "\(name): is gone (\(words[0]))" }
      if difference.before.isEmpty { return "\(name): is new (\(words[1]))" }
      return "\(name): \(words[0]) -> \(words[1])"
    }
  }
}

extension ComparedContent {
  /// Without the numbers of placeholders.
  var masked: ComparedContent {
    guard let bytes, !Placeholder.places(in: bytes).isEmpty else { return self }
    return ComparedContent(text: Placeholder.masking(bytes), isJSON: isJSON)
  }

  init(text: [UInt8], isJSON: Bool) {
    self.init(
      size: Int64(text.count), digest: SHA256.digest(of: text), bytes: text, isJSON: isJSON)
  }
}
