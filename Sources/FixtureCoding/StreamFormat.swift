/// The formats of the streams that coded content is made of, told apart by how they begin.
enum StreamFormat: Equatable {
  case gzip, zlib, rawDeflate, brotli, zstd

  /// What bytes behind a stream, or at the start of the content, are.
  enum Beginning: Equatable {
    /// There must be one byte more to tell.
    case undecided
    case stream(StreamFormat)
    /// Not the beginning of a stream.
    case neither
  }

  /// - Parameters:
  ///   - bytes: not empty, and `.undecided` when the last one was not there yet.
  ///   - isFirst: whether they begin the content.
  static func beginning(
    _ bytes: [UInt8], _ coding: ContentCoding, isFirst: Bool
  ) -> Beginning {
    switch coding {
    case .gzip: compare(bytes, [[0x1F, 0x8B]], .gzip)
    case .zstd: compare(bytes, zstdMagic, .zstd)
    case .brotli: isFirst ? .stream(.brotli) : .neither
    case .deflate where !isFirst: .neither
    case .deflate:
      bytes.count < 2 ? .undecided : .stream(isZlibHeader(bytes) ? .zlib : .rawDeflate)
    case .unknown: .neither
    }
  }

  /// - Throws: `.callFailed`.
  func makeDecoder() throws(CodingError) -> any StreamDecoder {
    switch self {
    case .gzip, .zlib, .rawDeflate: try ZlibDecoder(self)
    case .brotli: try BrotliDecoder()
    case .zstd: try ZstdDecoder()
    }
  }

  private static func compare(
    _ bytes: [UInt8], _ magics: [[UInt8]], _ format: StreamFormat
  ) -> Beginning {
    guard let magic = magics.first(where: { $0.starts(with: bytes) }) else { return .neither }
    return magic.count == bytes.count ? .stream(format) : .undecided
  }

  /// A frame (RFC 8878 §3.1.1) or one of the sixteen kinds to be skipped (§3.1.2).
  private static let zstdMagic: [[UInt8]] =
    [[0x28, 0xB5, 0x2F, 0xFD]] + (0x50...0x5F).map { [$0, 0x2A, 0x4D, 0x18] }

  /// CMF and FLG (RFC 1950 §2.2): deflate, a window of at most 32 KiB, a check sum. Read as bare
  /// deflate data, they would begin a stored block with padding bits that nobody sets.
  private static func isZlibHeader(_ bytes: [UInt8]) -> Bool {
    bytes[0] & 0x0F == 8 && bytes[0] >> 4 <= 7
      && (UInt16(bytes[0]) << 8 | UInt16(bytes[1])).isMultiple(of: 31)
  }
}
