import FixtureCassette
import FixtureEventLoop
import FixtureExchange
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

  /// nil while there is no cassette to read from: a recorder of a new file.
  private let reader: CassetteReader?
  private var cache: [Int64: [UInt8]] = [:]
  private var cachedBytes = 0
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
      guard case .body(let slice)? = output.second, let body = try cached(slice) else {
        return bytes.withUnsafeBytes {
          Socket.write(fd, UnsafeRawBufferPointer(rebasing: $0[Int(output.frontOffset)...]))
        }
      }
      return bytes.withUnsafeBytes { head in
        body.withUnsafeBytes { content in
          Socket.write(
            fd, UnsafeRawBufferPointer(rebasing: head[Int(output.frontOffset)...]),
            UnsafeRawBufferPointer(
              rebasing: content[Int(slice.range.lowerBound)..<Int(slice.range.upperBound)]))
        }
      }
    case .body(let slice):
      let start = slice.range.lowerBound + output.frontOffset
      if let body = try cached(slice) {
        return body.withUnsafeBytes {
          Socket.write(
            fd,
            UnsafeRawBufferPointer(rebasing: $0[Int(start)..<Int(slice.range.upperBound)]))
        }
      }
      return try writeStreamed(slice.body, start..<slice.range.upperBound, to: fd)
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

  /// The whole body, when it is small enough to be kept; nil for a large one.
  package func cached(_ slice: BodySlice) throws(StoreError) -> [UInt8]? {
    if let bytes = cache[slice.body] { return bytes }
    guard let reader, slice.range.upperBound <= Int64(Self.cachedBodyBytesMax) else { return nil }
    let size = try reader.bodySize(slice.body)
    guard size <= Int64(Self.cachedBodyBytesMax), slice.range.upperBound <= size else {
      return nil
    }
    let bytes = try part(BodySlice(body: slice.body, range: 0..<size))
    // When full, all of it goes: simpler than an order of use, and what is in use returns.
    if cachedBytes + bytes.count > Self.cacheBytesMax {
      cache.removeAll(keepingCapacity: true)
      cachedBytes = 0
    }
    cachedBytes += bytes.count
    cache[slice.body] = bytes
    return bytes
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
  private static let cachedBodyBytesMax = BodyLimits.pieceBytesMax
  /// Per loop; keeps a replay with two loops well below 100 MB.
  private static let cacheBytesMax = 24 << 20
  private static let streamedBytes = 256 << 10
  /// About a millisecond of copying.
  private static let turnBytes: Int64 = 1 << 20
}
