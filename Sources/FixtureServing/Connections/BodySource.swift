import FixtureCassette
import FixtureEventLoop
import FixtureExchange
import FixtureReplay
import FixtureStore

/// The stored bodies of one loop: read from the cassette into a bounded cache, or straight through
/// when they are large, and written to sockets. Confined to its loop.
package final class BodySource {
  package enum Written {
    /// The queue is empty.
    case written
    /// The socket takes no more now, or others on the loop have their turn first; it becomes
    /// writable either way.
    case blocked
    case clientLeft
    /// A body could not be read; what to report.
    case failed(String)
  }

  /// Where a body is kept.
  private enum Kept {
    case bytes([UInt8])
    /// In `pages`, behind the head that it was first sent with: they leave as one piece.
    case pages(UnsafeRawBufferPointer, head: [UInt8])
  }

  /// nil while there is no cassette to read from: a recorder of a new file.
  private let reader: CassetteReader?
  private var positions = KeyTable()
  private var bodies: [Kept] = []
  private var keptBytes = 0
  private var pages: SharedPages?
  /// How often a body in pages was sent behind another head than the one before it.
  private var misfits = 0
  /// nil when there is none to be had.
  private lazy var pipe: PagePipe? = {
    do throws(SystemError) {
      return try PagePipe()
    } catch {
      // Short of descriptors, or not allowed here: large bodies are only sent slower.
      return nil
    }
  }()
  private let scratch = UnsafeMutableRawBufferPointer.allocate(
    byteCount: BodySource.streamedBytes, alignment: 16)

  package init(reader: CassetteReader?) {
    self.reader = reader
  }

  deinit {
    scratch.deallocate()
  }

  /// Writes the queue to a socket until it is empty, the socket is full, or `turnBytes` are
  /// written: a client that reads as fast as we write must not hold up the others.
  package func write(_ output: inout OutputQueue, to descriptor: Int32) -> Written {
    let countAtStart = output.count
    while let front = output.front {
      if countAtStart - output.count >= Self.turnBytes { return .blocked }
      let attempt: Attempt
      do {
        attempt = try writeFront(front, of: output, to: descriptor)
      } catch {
        return .failed("\(error)")
      }
      switch attempt.result {
      case .bytes(let count):
        output.advance(by: Int64(count))
        // The next attempt would only find out what is known: that the socket is full.
        if count < attempt.asked { return .blocked }
      case .wouldBlock: return .blocked
      case .finished, .failed: return .clientLeft
      }
    }
    return .written
  }

  private struct Attempt {
    let result: IOResult
    /// How many bytes were to be written.
    let asked: Int
  }

  private func writeFront(
    _ front: OutputQueue.Segment, of output: OutputQueue, to descriptor: Int32
  ) throws(StoreError) -> Attempt {
    switch front {
    case .bytes(let bytes):
      return try write(bytes, from: Int(output.frontOffset), before: output.second, to: descriptor)
    case .body(let slice):
      let range = (slice.range.lowerBound + output.frontOffset)..<slice.range.upperBound
      guard let kept = try kept(slice, behind: []) else {
        return try writeStreamed(slice.body, range, to: descriptor)
      }
      return write(kept, Int(range.lowerBound)..<Int(range.upperBound), to: descriptor)
    }
  }

  private func write(_ kept: Kept, _ range: Range<Int>, to descriptor: Int32) -> Attempt {
    switch kept {
    case .bytes(let bytes):
      bytes.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[range]), to: descriptor) }
    case .pages(let part, let head):
      writePages(
        UnsafeRawBufferPointer(
          rebasing: part[(head.count + range.lowerBound)..<(head.count + range.upperBound)]),
        to: descriptor)
    }
  }

  /// Writes bytes, together with the body behind them when there is one.
  private func write(
    _ head: [UInt8], from offset: Int, before next: OutputQueue.Segment?, to descriptor: Int32
  ) throws(StoreError) -> Attempt {
    if case .body(let slice)? = next {
      let range = Int(slice.range.lowerBound)..<Int(slice.range.upperBound)
      switch try fitting(slice, behind: head) {
      case .pages(let part, let own)? where own == head && range.lowerBound == 0:
        return writePages(
          UnsafeRawBufferPointer(rebasing: part[offset..<(head.count + range.count)]),
          to: descriptor)
      case .bytes(let body)?:
        return body.withUnsafeBytes {
          write(head, from: offset, UnsafeRawBufferPointer(rebasing: $0[range]), to: descriptor)
        }
      case .pages?, nil:
        return head.withUnsafeBytes {
          write(UnsafeRawBufferPointer(rebasing: $0[offset...]), more: true, to: descriptor)
        }
      }
    }
    return head.withUnsafeBytes {
      write(UnsafeRawBufferPointer(rebasing: $0[offset...]), to: descriptor)
    }
  }

  private func write(
    _ head: [UInt8], from offset: Int, _ body: UnsafeRawBufferPointer, to descriptor: Int32
  ) -> Attempt {
    head.withUnsafeBytes {
      let head = UnsafeRawBufferPointer(rebasing: $0[offset...])
      return Attempt(result: Socket.write(descriptor, head, body), asked: head.count + body.count)
    }
  }

  private func write(
    _ bytes: UnsafeRawBufferPointer, more: Bool = false, to descriptor: Int32
  ) -> Attempt {
    Attempt(result: Socket.write(descriptor, bytes, more: more), asked: bytes.count)
  }

  private func writePages(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Attempt {
    guard let pipe else { return write(bytes, to: descriptor) }
    return Attempt(result: pipe.write(bytes, to: descriptor), asked: bytes.count)
  }

  /// A large body passes through the scratch buffer; what the socket does not take is read again.
  private func writeStreamed(
    _ body: Int64, _ range: Range<Int64>, to descriptor: Int32
  ) throws(StoreError) -> Attempt {
    let wanted = min(Int64(Self.streamedBytes), range.upperBound - range.lowerBound)
    let part = UnsafeMutableRawBufferPointer(rebasing: scratch[..<Int(wanted)])
    try fill(part, from: body, at: range.lowerBound)
    return write(UnsafeRawBufferPointer(part), to: descriptor)
  }

  /// The whole body, when it is small enough to be kept; nil for one that is streamed.
  /// - Parameter head: what it is about to be sent behind, if anything.
  private func kept(_ slice: BodySlice, behind head: [UInt8]) throws(StoreError) -> Kept? {
    let key = UInt64(bitPattern: slice.body)
    if let position = positions[key] { return bodies[position] }
    guard let reader, slice.range.upperBound <= Int64(Self.keptBodyBytesMax) else { return nil }
    let size = try reader.bodySize(slice.body)
    guard size <= Int64(Self.keptBodyBytesMax), slice.range.upperBound <= size else {
      return nil
    }
    let bytes = try part(BodySlice(body: slice.body, range: 0..<size))
    // When full, all of it goes: simpler than an order of use, and what is in use returns.
    if keptBytes + bytes.count > Self.keptBytesMax { dropAll() }
    let kept = keeping(bytes, behind: head)
    keptBytes += bytes.count
    positions.insert(bodies.count, for: key)
    bodies.append(kept)
    return kept
  }

  /// The same, now and then moved behind the head that it is sent with: one with a date is another
  /// once a second. What was there before stays as long as sockets refer to it.
  private func fitting(_ slice: BodySlice, behind head: [UInt8]) throws(StoreError) -> Kept? {
    guard let kept = try kept(slice, behind: head) else { return nil }
    guard case .pages(let part, let own) = kept, own != head, slice.range.lowerBound == 0 else {
      return kept
    }
    misfits += 1
    guard misfits.isMultiple(of: Self.misfitsPerMove), head.count <= Self.pagesHeadBytesMax,
      let position = positions[UInt64(bitPattern: slice.body)]
    else { return kept }
    let moved = head.withUnsafeBytes {
      pages?.append($0, UnsafeRawBufferPointer(rebasing: part[own.count...]))
    }
    guard let moved else {
      dropAll()
      return try self.kept(slice, behind: head)
    }
    bodies[position] = .pages(moved, head: head)
    return bodies[position]
  }

  private func dropAll() {
    positions = KeyTable()
    bodies = []
    keptBytes = 0
    pages = nil
  }

  /// In pages, when that is what sends it fastest and there are some to be had.
  private func keeping(_ bytes: [UInt8], behind head: [UInt8]) -> Kept {
    guard bytes.count >= Self.pagesBodyBytesMin, head.count <= Self.pagesHeadBytesMax,
      pipe != nil, let part = addedToPages(bytes, behind: head)
    else { return .bytes(bytes) }
    return .pages(part, head: head)
  }

  private func addedToPages(_ bytes: [UInt8], behind head: [UInt8]) -> UnsafeRawBufferPointer? {
    head.withUnsafeBytes { head in
      bytes.withUnsafeBytes { bytes in
        if let part = pages?.append(head, bytes) { return part }
        if pages != nil { dropAll() }
        do throws(SystemError) {
          let pages = try SharedPages(count: Self.keptBytesMax)
          self.pages = pages
          return pages.append(head, bytes)
        } catch {
          // For want of memory: it is sent from where it is, only slower.
          return nil
        }
      }
    }
  }

  /// All that is queued, as bytes; bodies of any size are read.
  package func bytes(of output: OutputQueue) throws(StoreError) -> [UInt8] {
    var output = output
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(output.count))
    while let front = output.front {
      switch front {
      case .bytes(let queued): bytes.append(contentsOf: queued)
      case .body(let slice): bytes.append(contentsOf: try part(slice))
      }
      output.advance(by: front.count)
    }
    return bytes
  }

  private func part(_ slice: BodySlice) throws(StoreError) -> [UInt8] {
    let size = Int(slice.count)
    var failure: StoreError?
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      do throws(StoreError) {
        let part = UnsafeMutableBufferPointer(rebasing: buffer[..<size])
        try fill(
          UnsafeMutableRawBufferPointer(part), from: slice.body, at: slice.range.lowerBound)
        count = size
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  private func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from body: Int64, at offset: Int64
  ) throws(StoreError) {
    guard let reader else { preconditionFailure("body \(body) of no cassette") }
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = try reader.read(body: body, offset: offset + Int64(filled), into: rest)
      guard count > 0 else { throw .bodyDamaged(path: reader.path, id: body) }
      filled += count
    }
  }

  /// One piece row: anything larger is streamed.
  private static let keptBodyBytesMax = BodyLimits.pieceBytesMax
  /// Per loop; keeps a replay with two loops well below 100 MB.
  private static let keptBytesMax = 24 << 20
  /// From here on handing pages over costs less than copying.
  private static let pagesBodyBytesMin = 48 << 10
  /// So that moving costs little even where heads alternate.
  private static let misfitsPerMove = 16
  /// Longer ones are sent by themselves.
  private static let pagesHeadBytesMax = 16 << 10
  private static let streamedBytes = 256 << 10
  /// About a millisecond of copying.
  private static let turnBytes: Int64 = 1 << 20
}
