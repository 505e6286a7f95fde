import FixtureExchange
import FixtureReplay

/// A whole answer in wire form.
package enum AnswerImage {
  case bytes([UInt8])
  /// With a body that is too large to be kept twice. Indirect, so that the many small ones lie
  /// close together.
  indirect case queue(OutputQueue)
}

/// Whole answers by interaction, of bounded size.
struct AnswerImages {
  /// A larger answer is kept without its body.
  static let imageBytesMax = 48 << 10
  /// Per loop.
  private static let bytesMax = 24 << 20

  private var positions = KeyTable()
  private var images: [AnswerImage] = []
  private var byteCount = 0

  subscript(interaction: Int64) -> AnswerImage? {
    positions[UInt64(bitPattern: interaction)].map { images[$0] }
  }

  /// - Precondition: the interaction has none yet.
  mutating func insert(_ image: AnswerImage, of interaction: Int64) {
    // When full, all of it goes: simpler than an order of use, and what is in use returns.
    if byteCount + image.byteCount > Self.bytesMax { self = AnswerImages() }
    positions.insert(images.count, for: UInt64(bitPattern: interaction))
    images.append(image)
    byteCount += image.byteCount
  }
}

extension AnswerImage {
  /// Bytes of memory.
  fileprivate var byteCount: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .queue(let output): output.heldCount
    }
  }
}
