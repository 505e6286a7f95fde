/// What tells one state of a representation from another (RFC 9110 §8.8).
package struct Validators: Equatable, Sendable {
  /// nil when there is none, or what stands in the field is none.
  package var entityTag: EntityTag?
  package var lastModified: HTTPDate?
  /// When the response that had them was made.
  package var date: HTTPDate?

  package init(
    entityTag: EntityTag? = nil, lastModified: HTTPDate? = nil, date: HTTPDate? = nil
  ) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.date = date
  }

  /// Those of a response.
  package init(_ fields: FieldSection) {
    entityTag = fields.first(.etag).flatMap(EntityTag.init(parsing:))
    lastModified = fields.date(.lastModified)
    date = fields.date(.date)
  }
}

extension FieldSection {
  /// The date of a field; nil when it is not there or is none.
  package func date(_ name: FieldName) -> HTTPDate? {
    first(name).flatMap { HTTPDate(parsing: $0) }
  }
}
