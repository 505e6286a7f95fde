import FixtureEventLoop
import FixtureStore

/// Why a server did not start.
package enum ServerError: Error, Sendable {
  case store(StoreError)
  /// A listener could not be opened.
  case listen(host: String, port: UInt16, SystemError)
  case system(SystemError)
  /// A scenario has a word that this server can't perform.
  case wordUnperformed(String)
  /// An upstream URL in the cassette is not one.
  case upstreamInvalid(url: String)
}

extension ServerError: CustomStringConvertible {
  /// One line: what, where, what to do.
  package var description: String {
    switch self {
    case .store(let error): "\(error)"
    case .listen(let host, let port, let error) where error.isAddressInUse:
      "\(host):\(port) is taken by another process: give another --listen HOST:PORT, or port 0"
        + " to pick a free one"
    case .listen(let host, let port, let error):
      "can't listen on \(host):\(port): \(error): give an address of this machine with --listen"
    case .system(let error): "\(error)"
    case .wordUnperformed(let word):
      "the scenario asks for \(word), and only a test that replays in its own process can release"
        + " what it holds: take it out of the rules"
    case .upstreamInvalid(let url):
      "the cassette names an upstream that is not a URL, \(url): run fixtured verify"
    }
  }
}
