import CFixtureBrotli

/// Decodes brotli data. There is no check sum in them, and one stream is all.
final class BrotliDecoder: StreamDecoder {
  private let state: OpaquePointer

  /// The C function is `BrotliDecoderCreateInstance`. Windows of more than 16 MiB, which are no
  /// part of RFC 7932, stay off.
  init() throws(CodingError) {
    guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else {
      throw .callFailed(call: "BrotliDecoderCreateInstance", code: 0)
    }
    self.state = state
  }

  deinit { BrotliDecoderDestroyInstance(state) }

  /// The C function is `BrotliDecoderDecompressStream`.
  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecodingStep {
    var nextIn = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var leftIn = input.count
    var nextOut = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var leftOut = output.count
    let result = BrotliDecoderDecompressStream(state, &leftIn, &nextIn, &leftOut, &nextOut, nil)
    return DecodingStep(
      read: input.count - leftIn, written: output.count - leftOut, outcome: outcome(result))
  }

  private func outcome(_ result: BrotliDecoderResult) -> DecodingStep.Outcome {
    switch result {
    case BROTLI_DECODER_RESULT_SUCCESS: return .ended
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
      return .goesOn
    default: return .failed(failure)
    }
  }

  /// The C functions are `BrotliDecoderGetErrorCode` and `BrotliDecoderErrorString`.
  private var failure: CodingError {
    let code = BrotliDecoderGetErrorCode(state)
    // The codes up to this one are about the format, the others about calls and memory.
    guard code.rawValue >= BROTLI_DECODER_ERROR_FORMAT_DISTANCE.rawValue, code.rawValue < 0 else {
      return .callFailed(call: "BrotliDecoderDecompressStream", code: Int(code.rawValue))
    }
    let reason = BrotliDecoderErrorString(code).map { String(cString: $0) } ?? "no reason given"
    return .corrupt(.brotli, reason: reason)
  }
}
