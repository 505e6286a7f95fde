import FixtureCassette
import FixtureHTTP
import Synchronization

/// Keeps the secrets of requests and responses out of a journal file, by the rules of the cassette
/// that answers; the standard ones where that was recorded without.
final class JournalRedaction: Sendable {
  /// Larger contents are not looked through for the secrets in their places.
  private static let contentBytesMax = 1 << 20

  private let redactor: Mutex<Redactor>

  /// - Parameter texts: the secrets of a `text:` rule, where they are known.
  init(_ description: CassetteDescription, texts: (TextSource) -> [[UInt8]]?) {
    let rules = RedactionRules(stored: description.redactions ?? [])
    let known = rules.texts.compactMap { source in
      texts(source).map { TextSecrets(source: source, secrets: $0) }
    }
    redactor = Mutex(
      Redactor(
        rules: rules, count: description.redactedCount, texts: known,
        textNumbers: description.textNumbers))
  }

  /// - Parameter content: learned from, so that its secrets are known when they come again.
  func redacted(_ request: RequestHead, content: [UInt8]) -> RequestHead {
    var draft = InteractionDraft(
      interaction: Self.interaction(request), requestBody: .absent, responseBody: .absent)
    if !content.isEmpty, content.count <= Self.contentBytesMax {
      draft.requestBody = .bytes(content)
    }
    _ = redactor.withLock { $0.redact(&draft) }
    // The redacted content's length is of no use without it.
    var head = draft.interaction.request
    head.fields = head.fields.mapValues { name, value in
      guard name.equalsIgnoringCase("content-length".utf8) else { return value }
      return Array(request.fields.first(.contentLength) ?? value)[...]
    }
    return head
  }

  func redacted(_ response: ResponseHead) -> ResponseHead {
    var interaction = Self.interaction(RequestHead(method: .get, target: [], version: .http11))
    interaction.response = RecordedResponse(head: response, framing: .none)
    redactor.withLock { $0.redact(&interaction) }
    return interaction.response?.head ?? response
  }

  /// A line of text without what is known to be secret.
  func redacted(_ text: String) -> String {
    var interaction = Self.interaction(RequestHead(method: .get, target: [], version: .http11))
    interaction.outcomeDetail = text
    redactor.withLock { $0.redact(&interaction) }
    return interaction.outcomeDetail ?? text
  }

  private static func interaction(_ request: RequestHead) -> Interaction {
    Interaction(id: 0, startedAt_us: 0, scheme: "http", authority: "", request: request)
  }
}
