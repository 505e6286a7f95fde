import FixtureCassette

/// The page to look at sessions with: one text that needs nothing else. Its policy lets no script
/// and no style run but its own, and lets them reach nothing but the address they came from.
package enum Inspector {
  /// As the control API serves it.
  package static let page = document(Self.script, policy: nil, data: "")

  /// Of `page`, for the field of that name.
  package static let policy = policy(connect: "'self'") + "; frame-ancestors 'none'"

  /// As a file that holds what it shows.
  /// - Parameter data: JSON; see `InspectorData`.
  package static func report(_ data: [UInt8]) -> [UInt8] {
    // In JSON it can only stand in a string; there, it would end the script.
    var safe: [UInt8] = []
    safe.reserveCapacity(data.count)
    for byte in data {
      if byte == 0x3C { safe.append(contentsOf: #"\u003c"#.utf8) } else { safe.append(byte) }
    }
    let mark = "\u{0}"
    let parts = document(
      Self.script, policy: policy(connect: "'none'"),
      data: "<script id=\"data\" type=\"application/json\">\(mark)</script>\n"
    ).split(separator: Character(mark), omittingEmptySubsequences: false)
    return Array(parts[0].utf8) + safe + Array(parts[1].utf8)
  }

  private static let script = InspectorScript.all
  private static let style = InspectorMarkup.style

  private static func policy(connect: String) -> String {
    "default-src 'none'; script-src '\(digest(of: script))'; style-src '\(digest(of: style))'; "
      + "img-src data:; connect-src \(connect); base-uri 'none'; form-action 'none'"
  }

  private static func digest(of text: String) -> String {
    let digest = SHA256.digest(of: Array(text.utf8))
    return "sha256-"
      + String(decoding: Base64Text.encoded(digest, alphabet: .standard), as: UTF8.self)
  }

  private static func document(_ script: String, policy: String?, data: String) -> String {
    let meta = policy.map { "<meta http-equiv=\"Content-Security-Policy\" content=\"\($0)\">\n" }
    return """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      \(meta ?? "")<meta name="viewport" content="width=device-width">
      <title>fixtured</title>
      <link rel="icon" href="data:,">
      <style>\(style)</style>
      <body>
      \(InspectorMarkup.body)\(data)<script>\(script)</script>
      </html>

      """
  }
}
