import FixtureHTTP

/// The latest date of recorded responses: of each its `Date`, or when it came if it has none.
package struct LatestDate: Sendable {
  /// nil when nothing was answered.
  package private(set) var date: HTTPDate?
  /// The field that was read last: most responses have the date of the one before.
  private var text: [UInt8] = []

  package init() {}

  package mutating func add(_ request: RequestOutline) {
    guard let answer = request.answer else { return }
    let field = answer.fields.first(.date)
    if let field, text.withUnsafeBytes({ field.isEqual(to: $0) }) { return }
    if let field, let parsed = HTTPDate(parsing: field) {
      text = Array(field)
      add(parsed)
    } else {
      add(HTTPDate(secondsSince1970: answer.came_us / 1_000_000))
    }
  }

  /// Adds those of another part.
  package mutating func add(_ other: LatestDate) {
    if let date = other.date { add(date) }
  }

  private mutating func add(_ other: HTTPDate) {
    date = max(date ?? other, other)
  }
}
