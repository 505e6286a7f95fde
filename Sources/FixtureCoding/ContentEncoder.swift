import CFixtureBrotli
import CFixtureZstd

/// Applies codings to whole content, for content that was changed after it had been decoded.
///
/// The same content gives the same bytes, as long as the libraries are the same.
package enum ContentEncoder {
  /// zlib's and zstd's own defaults, and a quality of brotli's that is as fast as those.
  private static let zlibLevel: Int32 = 6
  private static let zstdLevel: Int32 = 3
  private static let brotliQuality: Int32 = 5

  /// - Parameter codings: in the order in which they are applied; none gives the content as it is.
  /// - Throws: `.codingUnknown`, and `.callFailed` for a lack of memory.
  package static func encoded(
    _ content: [UInt8], _ codings: [ContentCoding]
  ) throws(CodingError) -> [UInt8] {
    var bytes = content
    for coding in codings {
      switch coding {
      case .gzip: bytes = try ZlibEncoder(.gzip, level: zlibLevel).encoded(bytes)
      case .deflate: bytes = try ZlibEncoder(.zlib, level: zlibLevel).encoded(bytes)
      case .brotli: bytes = try brotli(bytes)
      case .zstd: bytes = try zstd(bytes)
      case .unknown: throw .codingUnknown(coding)
      }
    }
    return bytes
  }

  /// The C functions are `BrotliEncoderMaxCompressedSize` and `BrotliEncoderCompress`.
  private static func brotli(_ content: [UInt8]) throws(CodingError) -> [UInt8] {
    var count = BrotliEncoderMaxCompressedSize(content.count)
    guard count > 0 else { throw .callFailed(call: "BrotliEncoderMaxCompressedSize", code: 0) }
    var bytes = [UInt8](repeating: 0, count: count)
    let result = BrotliEncoderCompress(
      brotliQuality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, content.count, content, &count,
      &bytes)
    guard result != 0 else { throw .callFailed(call: "BrotliEncoderCompress", code: 0) }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// The C functions are `ZSTD_compressBound` and `ZSTD_compress`.
  private static func zstd(_ content: [UInt8]) throws(CodingError) -> [UInt8] {
    let bound = ZSTD_compressBound(content.count)
    try check(bound, "ZSTD_compressBound")
    var bytes = [UInt8](repeating: 0, count: bound)
    let count = ZSTD_compress(&bytes, bytes.count, content, content.count, zstdLevel)
    try check(count, "ZSTD_compress")
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  private static func check(_ result: Int, _ call: String) throws(CodingError) {
    guard ZSTD_isError(result) == 0 else {
      throw .callFailed(call: call, code: Int(ZSTD_getErrorCode(result).rawValue))
    }
  }
}
