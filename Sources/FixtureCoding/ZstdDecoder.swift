import CFixtureZstd

/// Decodes zstd frames, with their check sums when they have them, and skips those to be skipped.
final class ZstdDecoder: StreamDecoder {
  /// 8 MiB: "decoders MUST [...] support a Window_Size of up to and including 8 MB", encoders must
  /// not use a larger one (RFC 9659 §3).
  private static let windowLogMax: Int32 = 23

  private let context: OpaquePointer

  /// The C functions are `ZSTD_createDCtx` and `ZSTD_DCtx_setParameter`.
  init() throws(CodingError) {
    guard let context = ZSTD_createDCtx() else {
      throw .callFailed(call: "ZSTD_createDCtx", code: 0)
    }
    let result = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLogMax)
    guard ZSTD_isError(result) == 0 else {
      ZSTD_freeDCtx(context)
      throw .callFailed(
        call: "ZSTD_DCtx_setParameter", code: Int(ZSTD_getErrorCode(result).rawValue))
    }
    self.context = context
  }

  deinit { ZSTD_freeDCtx(context) }

  /// The C function is `ZSTD_decompressStream`, which begins the next frame by itself.
  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecodingStep {
    var from = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var to = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let result = ZSTD_decompressStream(context, &to, &from)
    return DecodingStep(read: from.pos, written: to.pos, outcome: outcome(result))
  }

  private func outcome(_ result: Int) -> DecodingStep.Outcome {
    // 0 when a frame is complete, else how much the library would like to have next.
    if ZSTD_isError(result) == 0 { return result == 0 ? .ended : .goesOn }
    let code = ZSTD_getErrorCode(result)
    if code == ZSTD_error_memory_allocation {
      return .failed(.callFailed(call: "ZSTD_decompressStream", code: Int(code.rawValue)))
    }
    let reason = ZSTD_getErrorName(result).map { String(cString: $0) } ?? "no reason given"
    return .failed(.corrupt(.zstd, reason: reason))
  }
}
