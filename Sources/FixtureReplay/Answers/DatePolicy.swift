import FixtureHTTP

/// Which dates responses are sent with; see `TimeShift`.
package enum DatePolicy: Equatable, Sendable {
  /// Those of a server that answers now.
  case shift
  /// The recorded ones, byte for byte.
  case recorded
  /// Those of a server whose clock stands still at this date.
  case frozen(HTTPDate)
}
