import FixtureCassette
import FixtureHTTP

/// What one pass over the rows of a cassette gives: all that a replay needs to know before its
/// first request.
package struct CassetteContents: Sendable {
  package let index: MatchIndex
  /// The latest date that an answer was given at; nil when there is none.
  package let latest: HTTPDate?
  /// The first recording that a plain `curl` would ask for.
  package let example: InteractionSummary?

  private struct Part: Sendable {
    var index: MatchIndex.Builder
    var latest = LatestDate()
    var example: InteractionSummary?
  }

  /// - Parameter description: by whose rules secrets were taken out: the reader's, or what a writer
  ///   beside it has meanwhile.
  package init(
    of reader: CassetteReader, as description: CassetteDescription, match: MatchOptions
  ) throws(StoreError) {
    let none = Part(index: .init(description: description, options: match))
    let parts = try reader.foldRequests(from: none) { part, request in
      part.index.add(request)
      part.latest.add(request)
      if part.example == nil, request.method == .get, request.target.first == 0x2F {
        part.example = InteractionSummary(request)
      }
    }
    index = MatchIndex(parts.map(\.index))
    latest = parts.reduce(into: LatestDate()) { $0.add($1.latest) }.date
    example = parts.lazy.compactMap(\.example).first
  }
}
