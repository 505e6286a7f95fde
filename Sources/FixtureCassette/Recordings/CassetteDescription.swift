/// What a cassette says about itself: the rows of its `meta` table that readers act on.
package struct CassetteDescription: Equatable, Sendable {
  /// An upstream the recorder listened for, in the order given on its command line.
  package struct Upstream: Equatable, Sendable {
    /// nil for the only, unnamed one.
    package var name: String?
    /// `scheme://authority[/base/path]`, no userinfo, query or fragment.
    package var url: String

    package init(name: String?, url: String) {
      self.name = name
      self.url = url
    }
  }

  package var upstreams: [Upstream]
  /// Redaction rules in the words of `--redact`; applied to requests before matching too.
  /// nil when redaction was off.
  package var redactions: [String]?
  /// How many placeholders `REDACTED-n` are in use; the next secret gets the number after it.
  package var redactedCount: Int64
  /// The placeholders of the secrets that `text:` rules name, by rule, in the order of its secrets.
  package var textNumbers: [String: [Int64]]

  /// Whether upstreams were sent the clients' `Host` instead of their own.
  package var preservesHost: Bool

  package init(
    upstreams: [Upstream] = [], redactions: [String]? = [], redactedCount: Int64 = 0,
    textNumbers: [String: [Int64]] = [:], preservesHost: Bool = false
  ) {
    self.upstreams = upstreams
    self.redactions = redactions
    self.redactedCount = redactedCount
    self.textNumbers = textNumbers
    self.preservesHost = preservesHost
  }
}
