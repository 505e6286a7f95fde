import FixtureCassette
import FixtureHTTP

/// Where in the bytes of a whole answer a date stands that moves with the clock, in the preferred
/// format. It is overwritten in place when a second has passed.
package struct DateMark: Equatable, Sendable {
  /// Of its first byte.
  package let offset: Int
  /// Seconds after now.
  package let distance: Int64

  package init(offset: Int, distance: Int64) {
    self.offset = offset
    self.distance = distance
  }
}

extension TimeShift {
  /// The dates that move in an answer in wire form.
  /// - Parameters:
  ///   - bytes: begin with the heads of `moved(script, …)`, in its order, all ended by an empty
  ///     line; lines may have been left out or added, none changed.
  ///   - script: before it was moved.
  ///   - now: what it was moved to.
  package func marks(
    in bytes: [UInt8], of script: Script, _ interaction: Interaction, now: Int64
  ) -> [DateMark] {
    // The frozen clock stands still.
    guard policy == .shift else { return [] }
    let moved = moved(script, of: interaction, now: now)
    var marks: [DateMark] = []
    var start = 0
    for (step, movedStep) in zip(script.steps, moved.steps) {
      guard let head = step.action.head, let movedHead = movedStep.action.head else { continue }
      guard let end = bytes[start...].firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A]) else { break }
      var rest = bytes[start..<(end.lowerBound + 2)]
      for place in places(in: head.fields, of: interaction, now: now) {
        guard case .now(let distance) = place.becomes else { continue }
        let line = movedHead.fields.line(at: place.line)
        // After the line end of the one before: a name may end another one.
        guard let found = rest.firstRange(of: [0x0A] + line) else { continue }
        let nameCount = head.fields.name(at: place.line).count
        marks.append(
          DateMark(
            offset: found.lowerBound + 1 + nameCount + 2 + place.range.lowerBound,
            distance: distance))
        rest = rest[(found.upperBound - 1)...]
      }
      start = end.upperBound
    }
    return marks
  }
}
