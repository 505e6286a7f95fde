import FixtureHTTP

/// Puts the placeholders of `text:` secrets into live requests, so that these are compared with
/// what was recorded.
package struct LiveTexts: Sendable {
  private let redactor: Redactor

  /// - Parameters:
  ///   - description: of the cassette.
  ///   - secrets: gives those of a rule, as far as they are known here.
  /// - Returns: nil when none is known.
  package init?(
    _ description: CassetteDescription, secrets: (TextSource) -> [[UInt8]]?
  ) {
    var texts: [TextSecrets] = []
    for (word, numbers) in description.textNumbers.sorted(by: { $0.key < $1.key }) {
      guard let source = TextSource(word: word), let known = secrets(source) else { continue }
      texts.append(TextSecrets(source: source, secrets: Array(known.prefix(numbers.count))))
    }
    guard texts.contains(where: { $0.secrets.contains(where: TextSecrets.canBeFound) }) else {
      return nil
    }
    redactor = Redactor(
      rules: RedactionRules(stored: description.redactions ?? []),
      count: description.redactedCount, texts: texts, textNumbers: description.textNumbers)
  }

  package func replaced(_ request: RequestHead) -> RequestHead {
    // Nothing is learnt, so the copy shares everything.
    var redactor = redactor
    var request = request
    redactor.replaceKnown(in: &request)
    return request
  }

  /// - Parameter content: as it was transferred.
  package func replaced(content: [UInt8], of fields: FieldSection) -> [UInt8] {
    var redactor = redactor
    var held = HeldContent(.bytes(content), fields, isCut: false)
    redactor.replaceKnown(in: &held)
    return held.finish() == nil && held.isChanged ? held.coded : content
  }
}

extension TextSecrets {
  /// Whether a secret can be told from other text: neither too short nor too long, and with letters
  /// or digits in a row.
  package static func canBeFound(_ secret: [UInt8]) -> Bool {
    var finder = SecretFinder()
    return finder.add(secret)
  }
}

extension TextSource {
  /// From `word`; nil for anything else.
  package init?(word: String) {
    guard case .text(let source)? = try? RedactionRule(parsing: word) else { return nil }
    self = source
  }
}
