import FixtureCoding
import Testing

/// Content that was made to break or to busy whoever decodes it.
@Suite struct HostileContentTests {
  private static let codings: [ContentCoding] = [.gzip, .deflate, .brotli, .zstd]

  @Test(arguments: codings)
  func `a bomb stops at the limit`(coding: ContentCoding) throws {
    let bytes = try ContentEncoder.encoded([UInt8](repeating: 0, count: 8 << 20), [coding])
    #expect(bytes.count < 20_000)
    var given = 0
    var largest = 0
    var decoder = try ContentDecoder([coding], outputBytesMax: 1_000_000)
    #expect(throws: CodingError.outputLimitReached(bytesMax: 1_000_000)) {
      try decoder.decode(bytes) { output in
        given += output.count
        largest = max(largest, output.count)
      }
    }
    #expect(given == 1_000_000)
    #expect(largest <= 32 * 1024)
  }

  @Test(arguments: codings)
  func `content as large as the limit is complete`(coding: ContentCoding) throws {
    let content = [UInt8](repeating: 0, count: 100_000)
    let bytes = try ContentEncoder.encoded(content, [coding])
    #expect(DecodedContent(bytes, [coding], bytesMax: 100_000) == DecodedContent(content))
    #expect(
      DecodedContent(bytes, [coding], bytesMax: 99_999)
        == DecodedContent(
          Array(content.dropLast()), flaw: .outputLimitReached(bytesMax: 99_999)))
  }

  /// Gives nothing, so that only the limit between the codings stops it.
  @Test func `a bomb of empty members inside a coding stops`() throws {
    let empty = try ContentEncoder.encoded([], [.gzip])
    let members = [UInt8]((0..<50_000).map { _ in empty }.joined())
    let bytes = try ContentEncoder.encoded(members, [.brotli])
    let found = DecodedContent(bytes, [.gzip, .brotli], bytesMax: 1000)
    #expect(found == DecodedContent([], flaw: .outputLimitReached(bytesMax: 2000 + 64 * 1024)))
    #expect(DecodedContent(bytes, [.gzip, .brotli], bytesMax: .max) == DecodedContent([]))
  }

  /// The beginning of what `zstd --ultra -22 --long=27` makes of zeros.
  @Test func `a zstd window of more than 8 MiB is refused`() {
    let bytes: [UInt8] = [
      0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x88, 0x4C, 0x00, 0x00, 0x08, 0x00, 0x01, 0x00, 0xFC, 0xFF,
      0x39, 0x10, 0x02,
    ]
    #expect(
      DecodedContent(bytes, [.zstd], bytesMax: 1000)
        == DecodedContent(
          [], flaw: .corrupt(.zstd, reason: "Frame requires too much memory for decoding")))
  }

  @Test func `a preset dictionary is refused`() {
    #expect(
      DecodedContent([0x78, 0xBB, 0, 0, 0, 1, 3, 0], [.deflate], bytesMax: 1000)
        == DecodedContent([], flaw: .corrupt(.deflate, reason: "needs a preset dictionary")))
  }

  @Test func `a wrong check sum is corrupt after the content was given`() {
    var bytes = Sample.gzip
    bytes[30] ^= 1
    #expect(
      DecodedContent(bytes, [.gzip], bytesMax: 1000)
        == DecodedContent(
          Sample.content, flaw: .corrupt(.gzip, reason: "incorrect data check")))
  }

  /// Every byte of every sample replaced by every other: no trap, the same outcome however it is
  /// cut, and with check sums never other content.
  @Test(arguments: Sample.all)
  func `a changed byte never goes unnoticed where there is a check sum`(
    coding: ContentCoding, bytes: [UInt8]
  ) {
    let hasCheckSum = coding != .brotli && bytes != Sample.rawDeflate
    var wrong: [[UInt8]] = []
    for index in bytes.indices {
      for value in UInt8.min...UInt8.max where value != bytes[index] {
        var changed = bytes
        changed[index] = value
        let found = DecodedContent(changed, [coding], bytesMax: 1000)
        let byteWise = Sample.byteWise(changed, [coding], bytesMax: 1000)
        let isComplete = found.flaw == nil
        let isOther = isComplete && found.trailingBytes == 0 && found.bytes != Sample.content
        if found.flaw != byteWise.flaw || isComplete && found != byteWise || hasCheckSum && isOther
        {
          wrong.append(changed)
        }
      }
    }
    #expect(wrong == [])
  }

  /// All of two bytes, in the codings that have no fixed beginning.
  @Test(arguments: [ContentCoding.deflate, .brotli])
  func `small contents of any bytes come to an end`(coding: ContentCoding) {
    var wrong: [[UInt8]] = []
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let found = DecodedContent([first, second], [coding], bytesMax: 10)
        let byteWise = Sample.byteWise([first, second], [coding], bytesMax: 10)
        if found.flaw != byteWise.flaw || found.bytes.count > 10 { wrong.append([first, second]) }
      }
    }
    #expect(wrong == [])
  }
}
