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
  ///   - bytes: begin with the heads of `moved`, in its order, all ended by an empty line; lines
  ///     may have been left out or added, none changed.
  ///   - script: before it was moved.
  ///   - moved: `moved(script, of: interaction, now: now)`.
  package func marks(
    in bytes: [UInt8], of script: Script, moved: Script, _ interaction: Interaction, now: Int64
  ) -> [DateMark] {
    // The frozen clock stands still.
    guard policy == .shift else { return [] }
    return bytes.withUnsafeBytes { marks(in: $0, of: script, moved: moved, interaction, now: now) }
  }

  private func marks(
    in bytes: UnsafeRawBufferPointer, of script: Script, moved: Script,
    _ interaction: Interaction, now: Int64
  ) -> [DateMark] {
    var marks: [DateMark] = []
    var start = 0
    for (step, movedStep) in zip(script.steps, moved.steps) {
      guard let head = step.action.head, let movedHead = movedStep.action.head else { continue }
      guard let end = bytes.firstIndex(of: Self.headEnd, in: start..<bytes.count) else { break }
      var rest = start..<(end + 2)
      for place in places(in: head.fields, of: interaction, now: now) {
        guard case .now(let distance) = place.becomes else { continue }
        let line = movedHead.fields.line(at: place.line)
        // After the line end of the one before: a name may end another one.
        guard let found = bytes.firstIndex(of: [0x0A] + line, in: rest) else { continue }
        let nameCount = head.fields.name(at: place.line).count
        marks.append(
          DateMark(
            offset: found + 1 + nameCount + 2 + place.range.lowerBound, distance: distance))
        rest = (found + line.count)..<rest.upperBound
      }
      start = end + Self.headEnd.count
    }
    return marks
  }

  private static let headEnd: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
}

extension UnsafeRawBufferPointer {
  /// Where these bytes stand first within a range. The library's `firstRange(of:)`, which is not
  /// specialised here, takes fifty times as long.
  fileprivate func firstIndex(of bytes: [UInt8], in range: Range<Int>) -> Int? {
    var index = range.lowerBound
    while index + bytes.count <= range.upperBound {
      let isHere = bytes.withUnsafeBytes { bytes in
        var offset = 0
        while offset < bytes.count, self[index + offset] == bytes[offset] { offset += 1 }
        return offset == bytes.count
      }
      if isHere { return index }
      index += 1
    }
    return nil
  }
}
