import FixtureCassette

/// Whether a body is what was recorded, found out while it is read: once it was read from its
/// beginning to its end, in parts of any size, also by several readers at different places.
struct BodyCheck {
  private let size: Int64
  private let digest: [UInt8]
  /// Of the bytes before `position`; nil once the body is known to be sound.
  private var hash: SHA256? = SHA256()
  private var position: Int64 = 0

  init(size: Int64, digest: [UInt8]) {
    self.size = size
    self.digest = digest
  }

  /// Takes note of a part that was read.
  /// - Returns: false when it ends the body and the whole is not what was recorded.
  mutating func read(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
    let end = offset + Int64(bytes.count)
    // Beyond a gap nothing can be said, and what is known needs no second look.
    guard hash != nil, offset <= position, end > position || end == size else { return true }
    hash?.update(UnsafeRawBufferPointer(rebasing: bytes[Int(position - offset)...]))
    position = end
    guard position == size else { return true }
    let isSound = hash?.finalize() == digest
    (hash, position) = (isSound ? nil : SHA256(), 0)
    return isSound
  }
}
