import FixtureCassette

/// One line about a recorded exchange, for people.
enum ExchangeLine {
  /// `12 GET /items?page=2 → 200, 1834 bytes, 42 ms`; made of the redacted interaction, so that no
  /// secret reaches a log. Bytes that a terminal should not get are replaced.
  static func text(_ interaction: Interaction, responseCount: Int64) -> String {
    let method = String(decoding: interaction.request.method.bytes, as: UTF8.self)
    let target = printable(interaction.request.target)
    let name = interaction.upstream.map { " [\($0)]" } ?? ""
    var line = "\(interaction.id) \(method) \(target)\(name) → "
    if let response = interaction.response {
      line += "\(response.head.status), \(responseCount) bytes"
    } else {
      line += "no response"
    }
    line += ", \(interaction.end_us / 1000) ms"
    if interaction.outcome != .complete {
      line += ", \(interaction.outcome.rawValue)"
      if let detail = interaction.outcomeDetail { line += ": \(detail)" }
    }
    return line
  }

  /// `12 GET /film: 34 MB` for a response that is still coming, with its whole size if it is known.
  static func progress(_ interaction: Interaction, responseCount: Int64) -> String {
    let method = String(decoding: interaction.request.method.bytes, as: UTF8.self)
    var line = "\(interaction.id) \(method) \(printable(interaction.request.target)): "
    line += "\(responseCount / 1_000_000)"
    if let length = interaction.response?.head.fields.first(.contentLength),
      let size = Int64(String(decoding: length, as: UTF8.self))
    {
      line += " of \(size / 1_000_000)"
    }
    return line + " MB"
  }

  private static func printable(_ target: [UInt8]) -> String {
    String(decoding: target.map { $0 < 0x20 || $0 >= 0x7F ? 0x3F : $0 }, as: UTF8.self)
  }
}
