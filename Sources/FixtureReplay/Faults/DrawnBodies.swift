import Synchronization

/// Contents that were drawn and may be asked for again, so that they are drawn once and all answers
/// under way share their bytes. A memory and no more: what it gives is what drawing gives.
package final class DrawnBodies: Sendable {
  private let kept = Mutex(BoundedCache<[UInt8]>(costMax: DrawnBodies.bytesMax))

  package init() {}

  func bytes(_ count: Int64, _ bits: UInt64) -> [UInt8] {
    let key = bits.mixed(with: UInt64(bitPattern: count))
    if let bytes = kept.withLock({ $0[key] }) { return bytes }
    let bytes = Body.drawn(count, bits)
    kept.withLock { $0.insert(bytes, for: key, cost: bytes.count) }
    return bytes
  }

  /// Two of the largest.
  private static let bytesMax = 2 * Int(Body.bytesMax)
}
