import FixtureReplay

/// Whole answers as bytes, by interaction, of bounded size.
struct AnswerImages {
  /// A larger answer leaves as head and body in one write.
  static let imageBytesMax = 64 << 10
  /// Per loop.
  private static let bytesMax = 24 << 20

  private var positions = KeyTable()
  private var images: [[UInt8]] = []
  private var byteCount = 0

  subscript(interaction: Int64) -> [UInt8]? {
    positions[UInt64(bitPattern: interaction)].map { images[$0] }
  }

  /// - Precondition: the interaction has none yet.
  mutating func insert(_ image: [UInt8], of interaction: Int64) {
    // When full, all of it goes: simpler than an order of use, and what is in use returns.
    if byteCount + image.count > Self.bytesMax { self = AnswerImages() }
    positions.insert(images.count, for: UInt64(bitPattern: interaction))
    images.append(image)
    byteCount += image.count
  }
}
