import FixtureCassette
import FixtureStore

/// The beginning of a stored body, as much as is shown.
struct ContentExcerpt: Equatable, Sendable {
  /// What a person still reads; more is cut.
  static let shownBytesMax = 16 * 1024

  /// Of the whole body.
  let size: Int64
  /// SHA-256 of the whole body.
  let digest: [UInt8]
  let beginning: [UInt8]

  /// Bytes that follow `beginning`.
  var restBytes: Int64 { size - Int64(beginning.count) }

  /// The bytes as text: UTF-8 without NUL, which no text holds; nil for anything else. When the
  /// excerpt was cut inside a scalar, that scalar counts as following it.
  var text: (shown: String, restBytes: Int64)? {
    var bytes = beginning[...]
    if restBytes > 0 { bytes = bytes.dropLast(bytes.cutScalarBytes) }
    guard !bytes.contains(0), let shown = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    return (shown, size - Int64(bytes.count))
  }
}

extension ArraySlice<UInt8> {
  /// How many bytes at the end begin a scalar that does not end there; at most 3.
  fileprivate var cutScalarBytes: Int {
    for count in 1...3 where count <= self.count {
      let byte = self[endIndex - count]
      if UTF8.isContinuation(byte) { continue }
      let needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return needed > count ? count : 0
    }
    return 0
  }
}

extension CassetteReader {
  /// The beginning of a body; nil for no body.
  func excerpt(
    _ body: BodyReference?, bytesMax: Int = ContentExcerpt.shownBytesMax
  ) throws(StoreError) -> ContentExcerpt? {
    guard let body else { return nil }
    let count = Int(min(body.size, Int64(bytesMax)))
    var beginning = [UInt8](repeating: 0, count: count)
    var failure: StoreError?
    beginning.withUnsafeMutableBytes { buffer in
      do throws(StoreError) {
        _ = try read(body: body.id, offset: 0, into: buffer)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return ContentExcerpt(size: body.size, digest: body.digest, beginning: beginning)
  }
}
