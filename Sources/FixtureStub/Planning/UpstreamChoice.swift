import FixtureHTTP

/// Which upstream of a cassette a request is for, and what it asks of it.
struct UpstreamChoice: Equatable {
  enum Decision: Equatable {
    /// The upstream's name, and the target below its base path.
    case take(upstream: String?, target: [UInt8])
    /// It is for nobody here; whom it is for, and who is here.
    case foreign(String)
  }

  private struct Upstream: Equatable {
    let name: String?
    let url: BaseURL
  }

  /// Longer base paths first.
  private let upstreams: [Upstream]
  /// In the cassette's order.
  private let names: [String?]

  /// - Parameter upstreams: of the cassette; none for recordings from nobody in particular.
  init(_ upstreams: [(name: String?, url: BaseURL)]) {
    names = upstreams.map(\.name)
    self.upstreams = upstreams.map { Upstream(name: $0.name, url: $0.url) }.sorted {
      $0.url.basePath.utf8.count > $1.url.basePath.utf8.count
    }
  }

  /// - Parameter isRecorded: whether anything was recorded for an upstream and a target; asked
  ///   where more than one upstream may be meant.
  func decide(
    _ url: LiveURL, isRecorded: (_ upstream: String?, _ target: [UInt8]) -> Bool
  ) -> Decision {
    guard !upstreams.isEmpty else { return .take(upstream: nil, target: url.target) }
    for upstream in upstreams where url.hasOrigin(of: upstream.url) {
      if let below = upstream.url.pathBelowBase(url.target[...]) {
        return .take(upstream: upstream.name, target: Array(below))
      }
    }
    // A client that was set up for a server on this machine.
    if url.isLoopback {
      let name = names.first { isRecorded($0, url.target) } ?? names[0]
      return .take(upstream: name, target: url.target)
    }
    let known = upstreams.map(\.url.description).joined(separator: ", ")
    return .foreign(
      "it is for \(url.origin), and the cassette has recordings of \(known) only: ask that, or "
        + "record it with --upstream NAME=\(url.origin)")
  }
}
