import FixtureCassette
import FixtureHTTP

/// The upstreams of several cassettes as those of one.
///
/// Equal names are one upstream, even with other URLs: the interactions keep their authority, which
/// then counts when a request is matched. Without names equal URLs are one; an unnamed one is also
/// the named one with its URL, and is named after its host when there are others.
struct MergedUpstreams: Equatable {
  private(set) var upstreams: [CassetteDescription.Upstream] = []
  /// Of each cassette: for each of its upstreams the place in `upstreams`.
  private var places: [[Int]] = []
  private let names: [[String?]]

  init(_ cassettes: [[CassetteDescription.Upstream]]) {
    names = cassettes.map { $0.map(\.name) }
    for cassette in cassettes { places.append(cassette.map { add($0) }) }
    joinUnnamed()
    if upstreams.count > 1 { nameAll() }
  }

  /// The name that an upstream of a cassette has now.
  func name(of name: String?, in cassette: Int) -> String? {
    names[cassette].firstIndex(of: name).map { upstreams[places[cassette][$0]].name } ?? name
  }

  private mutating func add(_ upstream: CassetteDescription.Upstream) -> Int {
    let known = upstreams.firstIndex {
      $0.name == upstream.name && (upstream.name != nil || $0.url == upstream.url)
    }
    if let known { return known }
    upstreams.append(upstream)
    return upstreams.count - 1
  }

  private mutating func joinUnnamed() {
    for (index, upstream) in upstreams.enumerated().reversed() where upstream.name == nil {
      let named = upstreams.firstIndex { $0.name != nil && $0.url == upstream.url }
      guard let named else { continue }
      upstreams.remove(at: index)
      let place = named > index ? named - 1 : named
      places = places.map { cassette in
        cassette.map { $0 == index ? place : $0 > index ? $0 - 1 : $0 }
      }
    }
  }

  private mutating func nameAll() {
    for index in upstreams.indices where upstreams[index].name == nil {
      let base = Self.name(after: upstreams[index].url)
      var name = base
      var number = 2
      while upstreams.contains(where: { $0.name == name }) {
        name = "\(base)-\(number)"
        number += 1
      }
      upstreams[index].name = name
    }
  }

  /// The host, with what a name can't hold as hyphens.
  private static func name(after url: String) -> String {
    let behind = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    let host = behind.prefix { $0 != "/" }.prefix { $0 != ":" }
    let name = host.map { character in
      character.isASCII && (character.isLetter || character.isNumber || character == "_")
        ? character : "-"
    }
    return name.isEmpty ? "upstream" : String(name)
  }
}
