import FixtureCassette
import FixtureExchange
import Testing

@Suite struct `Content on its way into a cassette` {
  private static let heldMax = RecordedContent.heldBytesMax

  /// What the writer gets of content that arrives in pieces of these sizes: what is handed on while
  /// it arrives, the rest, and how the draft names it.
  private func handedOn(
    _ sizes: [Int], begun: Bool = false
  ) -> (parts: [[UInt8]], rest: [UInt8]?, body: InteractionDraft.Body, sent: [UInt8]) {
    var content = RecordedContent(token: BodyToken(7))
    if begun { content.begin() }
    var parts: [[UInt8]] = []
    var sent: [UInt8] = []
    for size in sizes {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: sent.count &+ $0) }
      sent += bytes
      if let part = bytes.withUnsafeBytes({ content.append($0) }) { parts.append(part) }
      #expect(content.count == Int64(sent.count))
    }
    let rest = content.finish()
    return (parts, rest, content.body, sent)
  }

  @Test func `no content is absent, unless a framing said that there is some`() {
    #expect(handedOn([]).body == .absent)
    #expect(handedOn([0]).body == .absent)
    #expect(handedOn([], begun: true).body == .bytes([]))
    #expect(handedOn([0], begun: true).body == .bytes([]))
  }

  @Test(arguments: [[1], [5, 5], [heldMax - 1], [heldMax], [heldMax - 1, 1]])
  func `small content is in the draft`(sizes: [Int]) {
    for begun in [true, false] {
      let (parts, rest, body, sent) = handedOn(sizes, begun: begun)
      #expect(parts == [])
      #expect(rest == nil)
      #expect(body == .bytes(sent))
    }
  }

  @Test(arguments: [
    [heldMax + 1], [heldMax, 1], [1, heldMax], [heldMax + 1, 1], [heldMax, 1, heldMax],
    [heldMax, heldMax], [3 * heldMax], [1, 3 * heldMax + 1, heldMax, 1],
    Array(repeating: 4096, count: 33),
  ])
  func `larger content is handed on whole, in order, and nothing much is held`(sizes: [Int]) {
    let (parts, rest, body, sent) = handedOn(sizes)
    #expect(body == .streamed(BodyToken(7)))
    #expect((parts + [rest ?? []]).flatMap { $0 } == sent)
    #expect(parts.allSatisfy { $0.count > Self.heldMax })
    #expect((rest?.count ?? 0) <= Self.heldMax)
  }

  @Test func `what was handed on to its end leaves no rest`() {
    let (parts, rest, _, _) = handedOn([Self.heldMax, 1])
    #expect(parts.map(\.count) == [Self.heldMax + 1])
    #expect(rest == nil)
  }
}
