import FixtureEventLoop
import FixtureReplay
import FixtureStore

/// Why a server did not start.
package enum ServerError: Error, Sendable {
  case store(StoreError)
  /// A listener could not be opened.
  case listen(host: String, port: UInt16, SystemError)
  case system(SystemError)
  /// A scenario has a word that this server can't perform.
  case wordUnperformed(String)
  /// The control API was to listen where others can reach it, and has no token.
  case controlTokenMissing(host: String)
  /// No field can carry it.
  case controlTokenInvalid
  /// Rules about connections were to be changed while connections are there.
  case connectionRulesFixed
  /// More targets were given tags of their own than are told apart.
  case tagsTooMany
  /// No port of those for sessions is free.
  case sessionPortsTaken(SessionPorts)
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
      "the scenario asks for \(word), and nobody could release what it holds: add --control"
        + " HOST:PORT, or take it out of the rules"
    case .controlTokenMissing(let host):
      "the control API would be open to everybody who reaches \(host): set"
        + " FIXTURED_CONTROL_TOKEN, or listen on 127.0.0.1"
    case .controlTokenInvalid:
      "FIXTURED_CONTROL_TOKEN can't be sent in a field: set one of visible ASCII characters"
        + " without spaces"
    case .connectionRulesFixed:
      "rules about connections (refuse, blackhole, connections) are settled when a session starts:"
        + " create another session with them"
    case .tagsTooMany:
      "\(TagGenerations.targetsMax) targets have tags of their own already: reset the session"
    case .sessionPortsTaken(let ports):
      "every port of \(ports) is taken: DELETE sessions that are over, or start the replay with a"
        + " wider range of --session-ports"
    case .upstreamInvalid(let url):
      "the cassette names an upstream that is not a URL, \(url): run fixtured verify"
    }
  }
}
