/// How a client left before its answer was whole.
public enum FixtureDeparture: String, Equatable, Sendable {
  /// It ended its side of the connection first.
  case closed
  /// It reset the connection.
  case reset
}
