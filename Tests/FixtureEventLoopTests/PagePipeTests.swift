import Glibc
import Testing

@testable import FixtureEventLoop

@Suite struct PagePipeTests {
  private static let content = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 >> 8 ^ $0) }

  private func added(_ bytes: [UInt8], in pages: SharedPages) -> UnsafeRawBufferPointer? {
    bytes.withUnsafeBytes {
      pages.append(UnsafeRawBufferPointer(rebasing: $0[..<1]), .init(rebasing: $0[1...]))
    }
  }

  private func slice(_ part: UnsafeRawBufferPointer, _ range: Range<Int>) -> UnsafeRawBufferPointer
  {
    UnsafeRawBufferPointer(rebasing: part[range])
  }

  @Test func `parts are sent as they were added, from anywhere in them`() throws {
    let link = try Link()
    let pipe = try PagePipe()
    let pages = try SharedPages(count: 1 << 20)
    let parts = try [UInt8](0..<5).map { number in
      try #require(added([UInt8](repeating: number, count: 3000), in: pages))
    }
    #expect(pipe.write(slice(parts[3], 2998..<3000), to: link.server) == .bytes(2))
    #expect(pipe.write(slice(parts[1], 0..<3), to: link.server) == .bytes(3))
    var received: [UInt8] = []
    while received.count < 5 { received += try receiveWhenReady(link.client).bytes }
    #expect(received == [3, 3, 1, 1, 1])
  }

  @Test func `what does not fit is not added, the rest still may be`() throws {
    let pages = try SharedPages(count: 2 << 20)
    #expect(added(Self.content, in: pages) != nil)
    #expect(added(Self.content + [1], in: pages) == nil)
    #expect(added(Self.content, in: pages) != nil)
    #expect(added([1, 2], in: pages) == nil)
  }

  @Test func `what a socket holds stays when the pages are gone`() throws {
    let link = try Link()
    let pipe = try PagePipe()
    var written = 0
    do {
      let pages = try SharedPages(count: 1 << 20)
      let part = try #require(added(Self.content, in: pages))
      while case .bytes(let count) = pipe.write(slice(part, written..<part.count), to: link.server),
        count > 0
      {
        written += count
      }
    }
    #expect(written > 0)
    var received: [UInt8] = []
    while received.count < written { received += try receiveWhenReady(link.client).bytes }
    let isSame = received.elementsEqual(Self.content[..<written])
    #expect(isSame)
  }

  @Test func `what one socket does not take goes to no other`() throws {
    let pipe = try PagePipe()
    let pages = try SharedPages(count: 4 << 20)
    let large = try #require(added(Self.content, in: pages))
    let small = try #require(added([7, 8, 9], in: pages))
    let full = try Link()
    while case .bytes(let count) = pipe.write(large, to: full.server), count > 0 {}
    #expect(pipe.write(large, to: full.server) == .wouldBlock)
    let other = try Link()
    #expect(pipe.write(small, to: other.server) == .bytes(3))
    #expect(try receiveWhenReady(other.client).bytes == [7, 8, 9])
  }

  @Test func `a peer that is gone is an error, not a signal`() throws {
    let thread = try LoopThread.start(name: "writes to nobody") { loop in
      do {
        let error = try writeToNobody()
        #expect(error?.errno == EPIPE || error?.errno == ECONNRESET)
      } catch {
        Issue.record(error)
      }
      loop.stop()
    }
    thread.join()
  }

  private func writeToNobody() throws -> SystemError? {
    let link = try Link()
    link.resetClient()
    let pipe = try PagePipe()
    let pages = try SharedPages(count: 1)
    let part = try #require(added([UInt8](repeating: 1, count: 4096), in: pages))
    while true {
      switch pipe.write(part, to: link.server) {
      // The first may still be taken: the reset is on its way.
      case .bytes, .wouldBlock: continue
      case .failed(let error): return error
      case .finished: return nil
      }
    }
  }
}
