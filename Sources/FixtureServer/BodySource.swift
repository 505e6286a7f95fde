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
    /// From there on in the file.
    case file(MemoryFile, start: Int64)
  }

  /// nil while there is no cassette to read from: a recorder of a new file.
  private let reader: CassetteReader?
  private var positions = KeyTable()
  private var bodies: [Kept] = []
  private var keptBytes = 0
  private var file: MemoryFile?
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
  package func write(_ output: inout OutputQueue, to fd: Int32) -> Written {
    let countAtStart = output.count
    while let front = output.front {
      if countAtStart - output.count >= Self.turnBytes { return .blocked }
      let result: IOResult
      do {
        result = try writeFront(front, of: output, to: fd)
      } catch {
        return .failed("\(error)")
      }
      switch result {
      case .bytes(let count): output.advance(by: Int64(count))
      case .wouldBlock: return .blocked
      case .finished, .failed: return .clientLeft
      }
    }
    return .written
  }

  private func writeFront(
    _ front: OutputQueue.Segment, of output: OutputQueue, to fd: Int32
  ) throws(StoreError) -> IOResult {
    switch front {
    case .bytes(let bytes):
      return try bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
        let head = UnsafeRawBufferPointer(bytes)[Int(output.frontOffset)...]
        return try write(
          UnsafeRawBufferPointer(rebasing: head), before: output.second, to: fd)
      }
    case .body(let slice):
      let range = (slice.range.lowerBound + output.frontOffset)..<slice.range.upperBound
      switch try kept(slice) {
      case .bytes(let body):
        return body.withUnsafeBytes {
          Socket.write(
            fd, UnsafeRawBufferPointer(rebasing: $0[Int(range.lowerBound)..<Int(range.upperBound)]))
        }
      case .file(let file, let start):
        return Socket.write(
          fd, file, (start + range.lowerBound)..<(start + range.upperBound))
      case nil:
        return try writeStreamed(slice.body, range, to: fd)
      }
    }
  }

  /// Writes bytes, together with the body behind them when there is one.
  private func write(
    _ head: UnsafeRawBufferPointer, before next: OutputQueue.Segment?, to fd: Int32
  ) throws(StoreError) -> IOResult {
    guard case .body(let slice)? = next else { return Socket.write(fd, head) }
    guard case .bytes(let body)? = try kept(slice) else {
      return Socket.write(fd, head, more: true)
    }
    return body.withUnsafeBytes {
      Socket.write(
        fd, head,
        UnsafeRawBufferPointer(
          rebasing: $0[Int(slice.range.lowerBound)..<Int(slice.range.upperBound)]))
    }
  }

  /// A large body passes through the scratch buffer; what the socket does not take is read again.
  private func writeStreamed(
    _ body: Int64, _ range: Range<Int64>, to fd: Int32
  ) throws(StoreError) -> IOResult {
    let wanted = min(Int64(Self.streamedBytes), range.upperBound - range.lowerBound)
    let part = UnsafeMutableRawBufferPointer(rebasing: scratch[..<Int(wanted)])
    try fill(part, from: body, at: range.lowerBound)
    return Socket.write(fd, UnsafeRawBufferPointer(part))
  }

  /// The whole body, when it is small enough to be kept; nil for one that is streamed.
  private func kept(_ slice: BodySlice) throws(StoreError) -> Kept? {
    let key = UInt64(bitPattern: slice.body)
    if let position = positions[key] { return bodies[position] }
    guard let reader, slice.range.upperBound <= Int64(Self.keptBodyBytesMax) else { return nil }
    let size = try reader.bodySize(slice.body)
    guard size <= Int64(Self.keptBodyBytesMax), slice.range.upperBound <= size else {
      return nil
    }
    let bytes = try part(BodySlice(body: slice.body, range: 0..<size))
    // When full, all of it goes: simpler than an order of use, and what is in use returns.
    if keptBytes + bytes.count > Self.keptBytesMax {
      positions = KeyTable()
      bodies = []
      keptBytes = 0
      file = nil
    }
    keptBytes += bytes.count
    let kept = keeping(bytes)
    positions.insert(bodies.count, for: key)
    bodies.append(kept)
    return kept
  }

  /// In the file in memory, when that is what sends it fastest and there is one to be had.
  private func keeping(_ bytes: [UInt8]) -> Kept {
    guard bytes.count >= Self.fileBodyBytesMin else { return .bytes(bytes) }
    do throws(SystemError) {
      let file = if let file { file } else { try MemoryFile() }
      self.file = file
      let start = try bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
        try file.append(UnsafeRawBufferPointer(bytes))
      }
      return .file(file, start: start)
    } catch {
      // Short of descriptors or memory: it is sent from where it is, only slower.
      return .bytes(bytes)
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
  private static let fileBodyBytesMin = 48 << 10
  private static let streamedBytes = 256 << 10
  /// About a millisecond of copying.
  private static let turnBytes: Int64 = 1 << 20
}
