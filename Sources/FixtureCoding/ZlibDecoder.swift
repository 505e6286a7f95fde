import CFixtureZlib

/// Decodes gzip, zlib or bare deflate data, with their check sums.
final class ZlibDecoder: StreamDecoder {
  // zlib's own state points back at it, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let coding: ContentCoding
  private var hasEnded = false

  /// The C function is `inflateInit2`.
  init(_ format: StreamFormat) throws(CodingError) {
    coding = format == .gzip ? .gzip : .deflate
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let code = fixture_zlib_inflate_init(stream, Self.windowBits(format))
    guard code == Z_OK else {
      stream.deallocate()
      throw .callFailed(call: "inflateInit2", code: Int(code))
    }
    self.stream = stream
  }

  deinit {
    // Fails only for a state that inflateInit2 did not make.
    let code = inflateEnd(stream)
    assert(code == Z_OK, "inflateEnd failed with \(code)")
    stream.deallocate()
  }

  /// The largest window, and zlib's codes for the formats: 16 more for gzip, negative for none.
  private static func windowBits(_ format: StreamFormat) -> Int32 {
    switch format {
    case .gzip: 15 + 16
    case .rawDeflate: -15
    case .zlib, .brotli, .zstd: 15
    }
  }

  /// The C functions are `inflate` and, before another stream, `inflateReset`.
  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecodingStep {
    if hasEnded {
      let code = inflateReset(stream)
      guard code == Z_OK else { return failure("inflateReset", code) }
      hasEnded = false
    }
    let offered = UInt32(clamping: input.count)
    let room = UInt32(clamping: output.count)
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = offered
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = room
    let code = inflate(stream, Z_NO_FLUSH)
    let read = Int(offered - stream.pointee.avail_in)
    let written = Int(room - stream.pointee.avail_out)
    stream.pointee.next_in = nil
    stream.pointee.next_out = nil
    return DecodingStep(read: read, written: written, outcome: outcome(code))
  }

  private func outcome(_ code: Int32) -> DecodingStep.Outcome {
    switch code {
    // Z_BUF_ERROR only says that there was nothing to do.
    case Z_OK, Z_BUF_ERROR: return .goesOn
    case Z_STREAM_END:
      hasEnded = true
      return .ended
    case Z_NEED_DICT: return .failed(.corrupt(coding, reason: "needs a preset dictionary"))
    case Z_DATA_ERROR:
      let reason = stream.pointee.msg.map { String(cString: $0) } ?? "no reason given"
      return .failed(.corrupt(coding, reason: reason))
    default: return .failed(.callFailed(call: "inflate", code: Int(code)))
    }
  }

  private func failure(_ call: String, _ code: Int32) -> DecodingStep {
    DecodingStep(
      read: 0, written: 0, outcome: .failed(.callFailed(call: call, code: Int(code))))
  }
}
