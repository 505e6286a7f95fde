import FixtureCassette

/// What waits to be written to a connection, in order: bytes, and bodies by reference.
///
/// The driver writes from the front and tells how far it came; nothing is copied to keep a rest.
package struct OutputQueue: Equatable, Sendable {
  /// What is written in one go, or in parts.
  package enum Segment: Equatable, Sendable {
    case bytes([UInt8])
    case body(BodySlice)

    package var count: Int64 {
      switch self {
      case .bytes(let bytes): Int64(bytes.count)
      case .body(let slice): slice.count
      }
    }
  }

  private var segments: [Segment] = []
  private var head = 0
  /// How much of the front segment is written.
  package private(set) var frontOffset: Int64 = 0
  /// Bytes not written yet, bodies included.
  package private(set) var count: Int64 = 0
  /// Bytes of the queue that are held in memory.
  package private(set) var heldCount = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// The segment to write next, from `frontOffset` on.
  package var front: Segment? { head < segments.count ? segments[head] : nil }

  /// The segment after the front, for a gathered write.
  package var second: Segment? { head + 1 < segments.count ? segments[head + 1] : nil }

  /// Adds bytes at the end; joined with the last segment when that is small, so that a head and a
  /// small content leave in one write.
  package mutating func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    count += Int64(bytes.count)
    heldCount += bytes.count
    if segments.count - head > 0, case .bytes(var last) = segments[segments.count - 1],
      last.count + bytes.count <= Self.joinedBytesMax
    {
      segments[segments.count - 1] = .bytes([])
      last.append(contentsOf: bytes)
      segments[segments.count - 1] = .bytes(last)
    } else {
      segments.append(.bytes(bytes))
    }
  }

  /// Adds a part of a stored body at the end; an empty one is nothing.
  package mutating func append(_ slice: BodySlice) {
    guard slice.count > 0 else { return }
    count += slice.count
    segments.append(.body(slice))
  }

  package mutating func append(contentsOf other: OutputQueue) {
    precondition(other.frontOffset == 0, "\(other.frontOffset) bytes have left already")
    for segment in other.segments[other.head...] {
      switch segment {
      case .bytes(let bytes): append(bytes)
      case .body(let slice): append(slice)
      }
    }
  }

  /// Changes bytes of the front segment.
  /// - Precondition: it holds bytes, nothing of it has left, and it is long enough.
  package mutating func overwriteFront(at offset: Int, with text: [UInt8]) {
    guard frontOffset == 0, case .bytes(var bytes)? = front else {
      preconditionFailure("the front is no bytes, or has left in part")
    }
    segments[head] = .bytes([])
    bytes.replaceSubrange(offset..<(offset + text.count), with: text)
    segments[head] = .bytes(bytes)
  }

  /// The first `written` bytes have left.
  /// - Precondition: no more than `count`.
  package mutating func advance(by written: Int64) {
    precondition(written <= count, "\(written) bytes written of \(count)")
    count -= written
    var rest = written
    while rest > 0, head < segments.count {
      let segment = segments[head]
      let step = min(rest, segment.count - frontOffset)
      rest -= step
      frontOffset += step
      if case .bytes = segment { heldCount -= Int(step) }
      if frontOffset == segment.count { dropFront() }
    }
  }

  private mutating func dropFront() {
    segments[head] = .bytes([])
    head += 1
    frontOffset = 0
    if head == segments.count {
      segments.removeAll(keepingCapacity: false)
      head = 0
    } else if head == 64 {
      segments.removeFirst(head)
      head = 0
    }
  }

  /// Up to here appended bytes are copied together: about what one packet train carries.
  private static let joinedBytesMax = 16 << 10
}
