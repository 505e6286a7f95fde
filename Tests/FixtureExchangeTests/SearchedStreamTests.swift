import FixtureExchange
import Testing

@Suite struct SearchedStreamTests {
  private static let secret = Array("s3cret".utf8)

  private static func holdsSecret(_ text: UnsafeRawBufferPointer) -> Bool {
    Array(text).firstRange(of: secret) != nil
  }

  /// What is written of content that comes in parts of a size, before its end and then.
  private func written(_ content: [UInt8], by size: Int) -> (parts: [UInt8], isOmitted: Bool) {
    var stream = SearchedStream()
    var written: [UInt8] = []
    for start in stride(from: 0, to: content.count, by: size) {
      let part = Array(content[start..<min(start + size, content.count)])
      written += stream.append(part, holdsSecret: Self.holdsSecret) ?? []
    }
    written += stream.finish() ?? []
    return (written, stream.isOmitted)
  }

  @Test(arguments: [1000, 16 << 10, 65_537])
  func `content without a secret is written whole`(size: Int) {
    for count in [0, 1, 16 << 10, (16 << 10) + 1, 200_000] {
      let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let (parts, isOmitted) = written(content, by: size)
      #expect(parts == content)
      #expect(!isOmitted)
    }
  }

  @Test(arguments: [1000, 16 << 10, 65_537])
  func `of a secret not one byte is written, wherever parts begin`(size: Int) {
    for place in [0, size - 3, 2 * size - 1, 3 * size, 199_994] {
      var content = [UInt8](repeating: 0x2E, count: 200_000)
      let start = min(place, content.count - Self.secret.count)
      content.replaceSubrange(start..<(start + Self.secret.count), with: Self.secret)
      let (parts, isOmitted) = written(content, by: size)
      #expect(isOmitted)
      #expect(parts.allSatisfy { $0 == 0x2E })
    }
  }
}
