/// How the content of a request is read, as rules say.
package struct RequestReading: Equatable, Sendable {
  /// No faster than this; nil: as it comes.
  package var rate: ByteRate?
  /// When a client that waits for leave to send its content gets it; nil: when it is needed.
  package var leave: Leave?

  package init(rate: ByteRate? = nil, leave: Leave? = nil) {
    self.rate = rate
    self.leave = leave
  }
}

extension RequestReading: CustomStringConvertible {
  /// `content at 1KB/s, leave after 1s`.
  package var description: String {
    let content = rate.map { ["content at \(RuleUnits.text($0))"] } ?? []
    let leave: [String] =
      switch leave {
      case nil: []
      case .off: ["no leave to send it"]
      case .after(let time): ["leave to send it after \(RuleUnits.text(time))"]
      }
    return (content + leave).joined(separator: ", ")
  }
}

extension Encounter {
  /// nil when no rule is about it.
  package var reading: RequestReading? {
    var reading = RequestReading()
    for case .upload(let rate) in met.map(\.fault) { reading.rate = rate }
    for case .continue(let leave) in met.map(\.fault) { reading.leave = leave }
    return reading == RequestReading() ? nil : reading
  }
}

/// When the next bytes of a request's content may be read: a rate without credit but for the
/// lateness of timers. The first are read when they come.
package struct ReadingPace: Equatable, Sendable {
  private let rate: ByteRate
  /// When what was read so far has passed.
  private var passed_ns = Int64.min

  /// As much is made up for when a reader comes late; see `Playhead.latenessTolerated_ns`.
  private static let credit_ns = Playhead.latenessTolerated_ns
  /// So much of the time that a read may be ahead of the rate.
  private static let readsPerSecond: Int64 = 50
  private static let readBytes: ClosedRange<Int64> = 1...(64 << 10)

  package init(_ rate: ByteRate) {
    self.rate = rate
  }

  /// How much to read at once.
  package var readBytesMax: Int {
    let bytes = rate.bytesPerSecond / Self.readsPerSecond
    return Int(max(Self.readBytes.lowerBound, min(Self.readBytes.upperBound, bytes)))
  }

  /// So many bytes of content were read.
  /// - Returns: when reading goes on, or the request ends.
  package mutating func took(_ count: Int64, at now_ns: Int64) -> Int64 {
    let start_ns = max(passed_ns, now_ns.saturatingAdding(-Self.credit_ns))
    let begin_ns = passed_ns == .min ? now_ns : start_ns
    passed_ns = begin_ns.saturatingAdding(Flow(.rate(rate), start: count).elapsed_ns)
    return passed_ns
  }
}
