/// How recorded offsets are used.
package enum Pacing: Equatable, Sendable {
  /// Everything as soon as it can be sent.
  case immediate
  /// As recorded.
  case recorded
  /// This many times as fast as recorded; positive and finite.
  case scaled(Double)
}
