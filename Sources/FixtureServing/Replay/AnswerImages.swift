import FixtureExchange
import FixtureReplay

/// A whole answer in wire form.
package enum AnswerImage {
  case bytes([UInt8])
  /// With a body that is too large to be kept twice. Indirect, so that the many small ones lie
  /// close together.
  indirect case queue(OutputQueue)

  /// How long it is.
  var count: Int64 {
    switch self {
    case .bytes(let bytes): Int64(bytes.count)
    case .queue(let output): output.count
    }
  }
}

/// Whole answers by interaction, of bounded size.
struct AnswerImages {
  /// A larger answer is kept without its body.
  static let imageBytesMax = 48 << 10
  /// Per loop.
  private static let bytesMax = 24 << 20

  private var positions = KeyTable()
  private var answers: [KeptAnswer] = []
  private var byteCount = 0

  subscript(interaction: Int64) -> KeptAnswer? {
    positions[UInt64(bitPattern: interaction)].map { answers[$0] }
  }

  /// - Precondition: the interaction has none yet.
  /// - Returns: false when all others had to go first: who holds some lets go of them.
  mutating func insert(_ answer: KeptAnswer, of interaction: Int64) -> Bool {
    // When full, all of it goes: simpler than an order of use, and what is in use returns.
    let isRoom = byteCount + answer.byteCount <= Self.bytesMax
    if !isRoom { self = AnswerImages() }
    positions.insert(answers.count, for: UInt64(bitPattern: interaction))
    answers.append(answer)
    byteCount += answer.byteCount
    return isRoom
  }
}
