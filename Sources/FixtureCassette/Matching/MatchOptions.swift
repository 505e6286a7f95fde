import FixtureHTTP

/// Which parts of a request count when its recordings are looked for.
///
/// Written as the words of `--match`, separated by commas: a word alone belongs to a list that
/// takes the place of what was, `+WORD` adds to it and `-WORD` takes away.
///
///     method,path,query,content          the standard
///     +header:Accept                     and a field
///     -content                           without the content
///     +query-ignore:ts,+content-ignore:/meta/ts
///     method,path,-authority
///
/// A backslash before a comma or a backslash makes it part of a name.
package struct MatchOptions: Hashable, Sendable {
  package enum Authority: Hashable, Sendable {
    /// Where a cassette holds several.
    case whenSeveral
    case always, never
  }

  package private(set) var method = true
  package private(set) var path = true
  package private(set) var query = true
  /// Names of pairs that do not count, decoded; sorted, without repeats. Empty without `query`.
  package private(set) var ignoredQueryNames: [[UInt8]] = []
  /// Names of fields that count, in lower case; sorted, without repeats.
  package private(set) var fields: [[UInt8]] = []
  package private(set) var content = true
  /// Places in content that do not count; sorted by their text, without repeats. Empty without
  /// `content`.
  package private(set) var ignoredPlaces: [JSONPointer] = []
  package private(set) var authority = Authority.whenSeveral

  /// The standard.
  package init() {}

  /// The standard, changed by these words.
  package init(_ text: String) throws(MatchOptionsError) {
    try apply(text)
  }

  /// Changes the options by words; after a throw they are as they were.
  package mutating func apply(_ text: String) throws(MatchOptionsError) {
    let changes = try MatchWord.parse(text)
    if changes.contains(where: { $0.sign == nil }) { self = Self(listing: ()) }
    for change in changes { apply(change.word, isAdded: change.sign != .minus) }
  }

  /// Nothing but what a list names is compared.
  private init(listing: Void) {
    method = false
    path = false
    query = false
    content = false
  }

  private mutating func apply(_ word: MatchWord, isAdded: Bool) {
    switch word {
    case .method: method = isAdded
    case .path: path = isAdded
    case .query:
      query = isAdded
      if !isAdded { ignoredQueryNames = [] }
    case .queryIgnore(let name):
      query = query || isAdded
      Self.change(&ignoredQueryNames, name, isAdded) { $0 }
    case .header(let name): Self.change(&fields, name, isAdded) { $0 }
    case .content:
      content = isAdded
      if !isAdded { ignoredPlaces = [] }
    case .contentIgnore(let place):
      content = content || isAdded
      Self.change(&ignoredPlaces, place, isAdded) { $0.text }
    case .authority: authority = isAdded ? .always : .never
    }
  }

  private static func change<Element: Equatable>(
    _ list: inout [Element], _ element: Element, _ isAdded: Bool, order: (Element) -> [UInt8]
  ) {
    list.removeAll { $0 == element }
    guard isAdded else { return }
    list.append(element)
    list.sort { order($0).lexicographicallyPrecedes(order($1)) }
  }

  /// The words that give these options again.
  package var words: String {
    var words: [MatchWord] = []
    if method { words.append(.method) }
    if path { words.append(.path) }
    if query { words.append(.query) }
    words += ignoredQueryNames.map { .queryIgnore($0) }
    words += fields.map { .header($0) }
    if content { words.append(.content) }
    words += ignoredPlaces.map { .contentIgnore($0) }
    if authority == .always { words.append(.authority) }
    var texts = words.map(\.text)
    if authority == .never { texts.append("-authority") }
    // A list that names nothing still takes the place of the standard.
    return words.isEmpty
      ? "method,-method" + texts.map { ",\($0)" }.joined() : texts.joined(separator: ",")
  }
}
