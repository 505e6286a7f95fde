/// What a request gets when every recording with its key has been played.
package enum Exhausted: String, Equatable, Sendable, CaseIterable {
  /// The last recording again.
  case repeatLast = "repeat"
  /// A miss.
  case miss
  /// The first recording, and so on.
  case cycle
}
