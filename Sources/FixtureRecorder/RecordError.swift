import FixtureEventLoop
import FixtureHTTP
import FixtureServing
import FixtureStore
import FixtureTLS

/// Why a recording did not start, or could not be finished.
package enum RecordError: Error, Sendable {
  case server(ServerError)
  case store(StoreError)
  case tls(TLSError)
  case system(SystemError)
  /// An upstream is one of our own listeners.
  case upstreamIsOurs(BaseURL)
  /// A file that an earlier recording was to replace the cassette with.
  case leftOver(path: String)
  /// The cassette was recorded from other upstreams.
  case upstreamsDiffer(path: String, recorded: [String], given: [String])
}

extension RecordError: CustomStringConvertible {
  /// One line: what, where, what to do.
  package var description: String {
    switch self {
    case .server(let error): error.description
    case .store(let error): error.description
    case .tls(let error): error.description
    case .system(let error): error.description
    case .upstreamIsOurs(let url):
      "--upstream \(url.description) is the address of this recorder: "
        + "give another --listen HOST:PORT"
    case .leftOver(let path):
      "\(path) is left over from a recording that was killed: keep what it has with "
        + "fixtured verify --repair \(path), or delete it"
    case .upstreamsDiffer(let path, let recorded, let given):
      "\(path) has the upstreams \(recorded.joined(separator: ", ")), not "
        + "\(given.joined(separator: ", ")): name them alike, in the same order"
    }
  }
}
