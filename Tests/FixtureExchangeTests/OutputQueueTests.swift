import FixtureCassette
import FixtureExchange
import Testing

@Suite struct `The output queue` {
  /// What is left, front first: bytes as text, a body as its range.
  private func content(_ queue: OutputQueue) -> [String] {
    var queue = queue
    var parts: [String] = []
    while let front = queue.front {
      switch front {
      case .bytes(let bytes): parts.append(text(bytes.dropFirst(Int(queue.frontOffset))))
      case .body(let slice):
        parts.append("\(slice.range.lowerBound + queue.frontOffset)..<\(slice.range.upperBound)")
      }
      queue.advance(by: front.count - queue.frontOffset)
    }
    return parts
  }

  private func queue(_ parts: OutputQueue.Segment...) -> OutputQueue {
    var queue = OutputQueue()
    for part in parts {
      switch part {
      case .bytes(let bytes): queue.append(bytes)
      case .body(let slice): queue.append(slice)
      }
    }
    return queue
  }

  @Test func `a new queue has nothing to write`() {
    let queue = OutputQueue()
    #expect(queue.isEmpty)
    #expect(queue.front == nil)
    #expect(queue.second == nil)
  }

  @Test func `small pieces are joined, a body stands between`() {
    let queue = queue(
      .bytes(Array("he".utf8)), .bytes(Array("ad".utf8)), .body(slice(0..<5)),
      .bytes(Array("end".utf8)))
    #expect(content(queue) == ["head", "0..<5", "end"])
    #expect(queue.second == .body(slice(0..<5)))
    #expect(queue.count == 12)
    #expect(queue.heldCount == 7)
  }

  @Test func `empty pieces are no segments`() {
    let queue = queue(.bytes([]), .body(slice(3..<3)))
    #expect(queue.isEmpty)
    #expect(queue.front == nil)
  }

  @Test(arguments: [(16_384, 1), (16_385, 2)])
  func `bytes are joined up to 16 KiB`(total: Int, segments: Int) {
    let queue = queue(.bytes(Array(repeating: 0x61, count: total - 1)), .bytes([0x62]))
    #expect(content(queue).count == segments)
    #expect(content(queue).joined().count == total)
  }

  @Test func `a write may end anywhere`() {
    let whole = queue(.bytes(Array("head".utf8)), .body(slice(10..<15)), .bytes(Array("x".utf8)))
    let rests: [[String]] = [
      ["head", "10..<15", "x"], ["ead", "10..<15", "x"], ["ad", "10..<15", "x"],
      ["d", "10..<15", "x"], ["10..<15", "x"], ["11..<15", "x"], ["12..<15", "x"],
      ["13..<15", "x"], ["14..<15", "x"], ["x"], [],
    ]
    for (written, rest) in rests.enumerated() {
      var queue = whole
      queue.advance(by: Int64(written))
      #expect(content(queue) == rest)
      #expect(queue.count == Int64(10 - written))
      #expect(queue.heldCount == max(0, 4 - written) + (written < 10 ? 1 : 0))
      #expect(queue.isEmpty == rest.isEmpty)
    }
  }

  @Test func `what is added behind a half-written front follows it`() {
    var queue = queue(.bytes(Array("abc".utf8)))
    queue.advance(by: 2)
    queue.append(Array("def".utf8))
    #expect(content(queue) == ["cdef"])
    #expect(queue.count == 4)
    #expect(queue.heldCount == 4)
  }

  @Test func `thousands of segments leave in their order`() {
    var queue = OutputQueue()
    var expected: [String] = []
    for index in Int64(0)..<1000 {
      queue.append(slice(index..<(index + 3)))
      queue.append(Array("\(index),".utf8))
    }
    for index in Int64(0)..<1000 {
      expected.append("\(index)..<\(index + 3)")
      expected.append("\(index),")
    }
    #expect(content(queue) == expected)
  }

  @Test func `a queue that was drained takes more`() {
    var queue = queue(.bytes(Array("a".utf8)), .body(slice(0..<2)))
    queue.advance(by: 3)
    queue.append(Array("b".utf8))
    #expect(content(queue) == ["b"])
    #expect(queue.frontOffset == 0)
  }

  @Test func `writing more than there is is our own mistake`() async {
    await #expect(processExitsWith: .failure) {
      var queue = OutputQueue()
      queue.append([1])
      queue.advance(by: 2)
    }
  }
}
