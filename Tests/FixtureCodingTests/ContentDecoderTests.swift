import FixtureCoding
import Testing

@Suite struct ContentDecoderTests {
  private let whole = DecodedContent(Sample.content)

  @Test(arguments: Sample.all)
  func `what other programs made is decoded, whole and byte by byte`(
    coding: ContentCoding, bytes: [UInt8]
  ) {
    #expect(DecodedContent(bytes, [coding], bytesMax: 1000) == whole)
    #expect(Sample.byteWise(bytes, [coding]) == whole)
  }

  @Test(arguments: Sample.all)
  func `it does not matter where the content is cut`(coding: ContentCoding, bytes: [UInt8]) {
    for cut in 0...bytes.count {
      #expect(Sample.decoded([bytes[..<cut], bytes[cut...]], [coding]) == whole, "\(cut)")
    }
  }

  @Test(arguments: Sample.all)
  func `content that ends early is truncated, wherever it ends`(
    coding: ContentCoding, bytes: [UInt8]
  ) {
    for end in 1..<bytes.count {
      let found = DecodedContent(Array(bytes[..<end]), [coding], bytesMax: 1000)
      #expect(found.flaw == .truncated(coding), "\(end)")
      #expect(Sample.content.starts(with: found.bytes), "\(end)")
    }
  }

  @Test(arguments: [ContentCoding.gzip, .deflate, .brotli, .zstd])
  func `content of no bytes is complete`(coding: ContentCoding) {
    #expect(DecodedContent([], [coding], bytesMax: 1000) == DecodedContent([]))
    #expect(DecodedContent([], [coding, coding], bytesMax: 0) == DecodedContent([]))
  }

  @Test(arguments: Sample.all)
  func `bytes behind the data are counted, not decoded`(coding: ContentCoding, bytes: [UInt8]) {
    let found = Sample.decoded([(bytes + [0, 0])[...], [0x41]], [coding])
    #expect(found == DecodedContent(Sample.content, trailingBytes: 3))
    #expect(Sample.byteWise(bytes + [0, 0, 0x41], [coding]) == found)
  }

  @Test func `gzip members follow one another, cut anywhere`() {
    let bytes = Sample.gzip + Sample.gzipWithName + Sample.gzip
    let expected = DecodedContent(Sample.content + Sample.content + Sample.content)
    for cut in 0...bytes.count {
      #expect(Sample.decoded([bytes[..<cut], bytes[cut...]], [.gzip]) == expected, "\(cut)")
    }
    #expect(Sample.byteWise(bytes, [.gzip]) == expected)
  }

  @Test func `zstd frames follow one another, and others are skipped`() {
    let skipped: [UInt8] = [0x5F, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
    let bytes = skipped + Sample.zstd + skipped + Sample.zstd
    let expected = DecodedContent(Sample.content + Sample.content)
    for cut in 0...bytes.count {
      #expect(Sample.decoded([bytes[..<cut], bytes[cut...]], [.zstd]) == expected, "\(cut)")
    }
    #expect(Sample.byteWise(bytes, [.zstd]) == expected)
  }

  @Test(arguments: [(ContentCoding.gzip, Sample.gzip), (.zstd, Sample.zstd)])
  func `a second stream may be truncated, or be none`(coding: ContentCoding, bytes: [UInt8]) {
    for count in 1..<bytes.count {
      let found = DecodedContent(bytes + bytes[..<count], [coding], bytesMax: 1000)
      #expect(found.flaw == .truncated(coding), "\(count)")
    }
    // The first byte of another stream, then something else.
    #expect(
      Sample.byteWise(bytes + [bytes[0], 0], [coding])
        == DecodedContent(Sample.content, trailingBytes: 2))
  }

  @Test func `codings are undone from the last to the first`() throws {
    let codings: [ContentCoding] = [.gzip, .brotli, .zstd, .deflate]
    let bytes = try ContentEncoder.encoded(Sample.content, codings)
    #expect(DecodedContent(bytes, codings, bytesMax: Sample.content.count) == whole)
    #expect(Sample.byteWise(bytes, codings) == whole)
    #expect(
      DecodedContent(bytes, codings.reversed(), bytesMax: 1000)
        == DecodedContent([], flaw: .corrupt(.gzip, reason: "unknown beginning")))
  }

  @Test func `bytes behind the data count over all codings`() throws {
    let inner = Sample.gzip + [0]
    let bytes = try ContentEncoder.encoded(inner, [.zstd]) + [0, 0]
    #expect(
      DecodedContent(bytes, [.gzip, .zstd], bytesMax: 1000)
        == DecodedContent(Sample.content, trailingBytes: 3))
  }

  @Test func `an inner coding may be truncated`() throws {
    let bytes = try ContentEncoder.encoded(Sample.gzip.dropLast(), [.zstd])
    #expect(DecodedContent(bytes, [.gzip, .zstd], bytesMax: 1000).flaw == .truncated(.gzip))
  }

  @Test func `without a coding content is passed on up to the limit`() {
    #expect(Sample.byteWise(Sample.content, [], bytesMax: 18) == whole)
    #expect(
      Sample.byteWise(Sample.content, [], bytesMax: 17)
        == DecodedContent(
          Array(Sample.content.dropLast()), flaw: .outputLimitReached(bytesMax: 17)))
    let large = [UInt8](repeating: 7, count: 100_000)
    #expect(DecodedContent(large, [], bytesMax: 100_000) == DecodedContent(large))
  }

  @Test func `a coding that is not known, and too many, are refused at once`() {
    let compress = ContentCoding.unknown(Array("compress".utf8))
    #expect(
      DecodedContent(Sample.gzip, [compress, .gzip], bytesMax: 1000)
        == DecodedContent([], flaw: .codingUnknown(compress)))
    #expect(
      DecodedContent([], [ContentCoding](repeating: .gzip, count: 9), bytesMax: 1000)
        == DecodedContent([], flaw: .codingsTooMany(count: 9)))
    #expect(
      DecodedContent([], [ContentCoding](repeating: .gzip, count: 8), bytesMax: 1000)
        == DecodedContent([]))
  }

  @Test func `after a failure every call gives it again`() throws {
    var decoder = try ContentDecoder([.gzip], outputBytesMax: 1000)
    for piece in [Array("plain text".utf8), Sample.gzip] {
      #expect(throws: CodingError.corrupt(.gzip, reason: "unknown beginning")) {
        try decoder.decode(piece) { _ in }
      }
    }
    #expect(throws: CodingError.corrupt(.gzip, reason: "unknown beginning")) {
      try decoder.finish()
    }
  }

  @Test func `an error says what it is about`() {
    let cases: [(CodingError, String)] = [
      (.codingUnknown(.unknown(Array("x".utf8))), "the coding x is not known"),
      (.codingsTooMany(count: 9), "9 codings were applied, at most 8 can be undone"),
      (.corrupt(.brotli, reason: "why"), "the br data are corrupt (why)"),
      (.truncated(.zstd), "the zstd data end too early"),
      (.outputLimitReached(bytesMax: 5), "there is more than 5 bytes"),
      (.callFailed(call: "inflate", code: -4), "inflate failed with code -4"),
    ]
    for (error, text) in cases { #expect(error.description == text) }
  }
}
