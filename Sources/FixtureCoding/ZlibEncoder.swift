import CFixtureZlib

/// Makes one gzip or zlib stream of whole content.
final class ZlibEncoder {
  enum Format {
    case gzip, zlib
  }

  private static let pieceBytes = 32 * 1024
  /// "255 - unknown" (RFC 1952 §2.3.1), so that all systems write the same.
  private static let unknownSystem: Int32 = 255

  // zlib keeps pointers to both, so neither must move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let header: UnsafeMutablePointer<gz_header>
  private let piece: UnsafeMutableBufferPointer<UInt8>

  /// The C functions are `deflateInit2` and `deflateSetHeader`.
  init(_ format: Format, level: Int32) throws(CodingError) {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let header = UnsafeMutablePointer<gz_header>.allocate(capacity: 1)
    header.initialize(to: gz_header())
    header.pointee.os = Self.unknownSystem
    // The largest window, and 16 more for the gzip format.
    var code = fixture_zlib_deflate_init(stream, level, format == .gzip ? 15 + 16 : 15)
    guard code == Z_OK else {
      stream.deallocate()
      header.deallocate()
      throw .callFailed(call: "deflateInit2", code: Int(code))
    }
    self.stream = stream
    self.header = header
    piece = .allocate(capacity: Self.pieceBytes)
    guard format == .gzip else { return }
    code = deflateSetHeader(stream, header)
    guard code == Z_OK else { throw .callFailed(call: "deflateSetHeader", code: Int(code)) }
  }

  deinit {
    // Z_DATA_ERROR says that the stream was not finished.
    let code = deflateEnd(stream)
    assert(code == Z_OK || code == Z_DATA_ERROR, "deflateEnd failed with \(code)")
    stream.deallocate()
    header.deallocate()
    piece.deallocate()
  }

  /// To be called once.
  func encoded(_ content: [UInt8]) throws(CodingError) -> [UInt8] {
    var result: [UInt8] = []
    var isComplete = false
    try content.withUnsafeBufferPointer { (input) throws(CodingError) in
      var rest = input[...]
      while !isComplete {
        isComplete = try step(&rest, to: &result)
      }
    }
    return result
  }

  /// Takes some of the content and gives some of the stream; says whether it is complete. The C
  /// function is `deflate`.
  private func step(
    _ content: inout Slice<UnsafeBufferPointer<UInt8>>, to result: inout [UInt8]
  ) throws(CodingError) -> Bool {
    let offered = UInt32(clamping: content.count)
    let isLast = Int(offered) == content.count
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: UnsafeBufferPointer(rebasing: content).baseAddress)
    stream.pointee.avail_in = offered
    stream.pointee.next_out = piece.baseAddress
    stream.pointee.avail_out = UInt32(piece.count)
    let code = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
    // Z_BUF_ERROR only says that there is more to come.
    guard [Z_OK, Z_BUF_ERROR, Z_STREAM_END].contains(code) else {
      throw .callFailed(call: "deflate", code: Int(code))
    }
    content = content.dropFirst(Int(offered - stream.pointee.avail_in))
    result.append(contentsOf: piece.dropLast(Int(stream.pointee.avail_out)))
    return code == Z_STREAM_END
  }
}
