import FixtureCassette

/// An exchange of the control API's JSON as one line for people:
/// `2 GET /feed → 200, interaction 4 (2 of 3), rule 1, 512 bytes, 103.0 ms, connection 1`.
enum JournalLine {
  /// Of one exchange, with its newline.
  static func text(of exchange: JSONNode) -> String {
    let request = exchange.member("request")
    let status = exchange.member("response")?.member("status")?.integer
    let asked = "\(request?.text("method") ?? "") \(request?.text("target") ?? "")"
    var parts = [status.map { "\($0)" } ?? "no answer"]
    parts += exchange.member("source").flatMap(source).map { [$0] } ?? []
    let rules = exchange.member("rules")?.elements.compactMap(\.integer) ?? []
    if !rules.isEmpty {
      parts.append(
        (rules.count == 1 ? "rule " : "rules ") + rules.map(String.init).joined(separator: " "))
    }
    let bytes = (exchange.integer("head_bytes") ?? 0)
      .saturatingAdding(exchange.integer("body_bytes") ?? 0)
    parts.append("\(bytes) bytes")
    if let received = exchange.number("received_ms"), let end = exchange.number("end_ms"),
      let tenths = Int64(exactly: (max(0, end - received) * 10).rounded())
    {
      parts.append("\(tenths / 10).\(tenths % 10) ms")
    }
    parts.append("connection \(exchange.integer("connection") ?? 0)")
    if let left = exchange.text("left") {
      parts.append("the client \(left == "reset" ? "reset it" : "closed it")")
    } else if let outcome = exchange.text("outcome"), outcome != "completed" {
      parts.append(outcome)
    }
    let number = exchange.integer("number") ?? 0
    return "\(number) \(asked) → \(parts.joined(separator: ", "))".escapedForTerminal + "\n"
  }

  /// What answered; nil when nothing did, or only rules.
  private static func source(_ source: JSONNode) -> String? {
    switch source.text("kind") {
    case "interaction":
      let count = source.integer("count") ?? 1
      let place = count > 1 ? " (\(source.integer("ordinal") ?? 1) of \(count))" : ""
      return "interaction \(source.integer("interaction") ?? 0)\(place)"
    case "miss": return "miss"
    default: return nil
    }
  }
}
