/// How an exchange ended, or that it has not.
public enum FixtureOutcome: String, Equatable, Sendable {
  /// The request is being read, or its answer has not come whole yet.
  case open
  /// The client was given all of the response.
  case completed
  /// The connection ended with a FIN before that, as it was told to.
  case closed
  /// It ended with a RST, as it was told to; in process also in a way that broke HTTP.
  case reset
  /// The client left before it had everything; in process also when its time was over.
  case aborted
  /// The replay ended before that.
  case stopped
}
