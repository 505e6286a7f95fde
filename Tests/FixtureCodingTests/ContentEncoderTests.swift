import FixtureCoding
import Foundation
import Testing

@Suite struct ContentEncoderTests {
  private static let codings: [ContentCoding] = [.gzip, .deflate, .brotli, .zstd]

  /// Bytes that no coding makes smaller, the same in every run.
  private static func noise(_ count: Int) -> [UInt8] {
    var state: UInt64 = 42
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(state >> 56)
    }
  }

  private static let contents: [[UInt8]] = [
    [], [0], Sample.content, noise(100_000), [UInt8](repeating: 0x61, count: 1 << 20),
    Array(String(repeating: "{\"id\":12,\"name\":\"a fixture\"},\n", count: 5000).utf8),
  ]

  @Test(arguments: codings, contents.indices)
  func `what is encoded is decoded to the same`(coding: ContentCoding, index: Int) throws {
    let content = Self.contents[index]
    let bytes = try ContentEncoder.encoded(content, [coding])
    #expect(DecodedContent(bytes, [coding], bytesMax: 1 << 20) == DecodedContent(content))
    #expect(try ContentEncoder.encoded(content, [coding]) == bytes)
  }

  @Test(arguments: codings)
  func `an encoder's bytes are decoded at every split`(coding: ContentCoding) throws {
    let content = Array(String(repeating: "split me anywhere, ", count: 20).utf8)
    let bytes = try ContentEncoder.encoded(content, [coding])
    for cut in 0...bytes.count {
      #expect(
        Sample.decoded([bytes[..<cut], bytes[cut...]], [coding]) == DecodedContent(content))
    }
    #expect(Sample.byteWise(bytes, [coding]) == DecodedContent(content))
  }

  @Test func `a gzip header has no date and no system`() throws {
    let bytes = try ContentEncoder.encoded(Sample.content, [.gzip])
    #expect(Array(bytes.prefix(10)) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    #expect(bytes.dropFirst(10) == Sample.gzip.dropFirst(10))
  }

  @Test func `deflate is the zlib format`() throws {
    #expect(try ContentEncoder.encoded(Sample.content, [.deflate]) == Sample.deflate)
  }

  @Test func `without codings content stays as it is`() throws {
    #expect(try ContentEncoder.encoded(Sample.content, []) == Sample.content)
  }

  @Test func `a coding that is not known cannot be applied`() {
    let compress = ContentCoding.unknown(Array("compress".utf8))
    #expect(throws: CodingError.codingUnknown(compress)) {
      try ContentEncoder.encoded(Sample.content, [.gzip, compress])
    }
  }

  /// Beside the libraries this module uses itself: the programs, where they are installed.
  @Test(arguments: [
    (ContentCoding.gzip, "gzip"), (.brotli, "brotli"), (.zstd, "zstd"),
  ])
  func `other programs decode it`(coding: ContentCoding, program: String) throws {
    let path = "/usr/bin/\(program)"
    guard FileManager.default.isExecutableFile(atPath: path) else { return }
    // Small enough for a pipe, so that nobody waits for the other.
    let content = Array(String(repeating: "read by others, ", count: 1000).utf8)
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = ["-dc"]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try input.fileHandleForWriting.write(
      contentsOf: Data(try ContentEncoder.encoded(content, [coding])))
    try input.fileHandleForWriting.close()
    let decoded = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(Array(decoded) == content)
  }
}
