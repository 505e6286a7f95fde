import FixtureCoding
import FixtureHTTP

/// What the fields of a request say of its content, as far as they decide how it is compared.
package struct ContentForm: Hashable, Sendable {
  package let kind: ContentKind
  /// In the order in which they were applied.
  package let codings: [ContentCoding]

  package init(kind: ContentKind, codings: [ContentCoding] = []) {
    self.kind = kind
    self.codings = codings
  }

  package init(_ fields: FieldSection) {
    self.init(
      kind: ContentKind(contentType: fields.first(.contentType)),
      codings: ContentCoding.list(of: fields))
  }

  /// Whether content of this form is compared byte for byte as it is transferred.
  package var isPlain: Bool { kind == .bytes && codings.isEmpty }
}
