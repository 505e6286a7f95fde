import Glibc
import Testing

@testable import FixtureEventLoop

@Suite struct MemoryFileTests {
  @Test func `parts are sent as they were added, from anywhere in them`() throws {
    let link = try Link()
    let file = try MemoryFile()
    let parts = [UInt8](0..<5).map { [UInt8](repeating: $0, count: 3000) }
    let starts = try parts.map { part in
      try part.withUnsafeBufferPointer { (part) throws(SystemError) in
        try file.append(UnsafeRawBufferPointer(part))
      }
    }
    #expect(Socket.write(link.server, file, (starts[3] + 2998)..<(starts[3] + 3000)) == .bytes(2))
    #expect(Socket.write(link.server, file, starts[1]..<(starts[1] + 3)) == .bytes(3))
    var received: [UInt8] = []
    while received.count < 5 { received += try receiveWhenReady(link.client).bytes }
    #expect(received == [3, 3, 1, 1, 1])
  }

  @Test func `what a socket holds stays when the file is closed`() throws {
    let link = try Link()
    let content = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 >> 8 ^ $0) }
    var written = 0
    do {
      let file = try MemoryFile()
      _ = try content.withUnsafeBufferPointer { (content) throws(SystemError) in
        try file.append(UnsafeRawBufferPointer(content))
      }
      while case .bytes(let count) = Socket.write(link.server, file, Int64(written)..<(1 << 20)),
        count > 0
      {
        written += count
      }
    }
    #expect(written > 0)
    var received: [UInt8] = []
    while received.count < written { received += try receiveWhenReady(link.client).bytes }
    let isSame = received.elementsEqual(content[..<written])
    #expect(isSame)
  }

  @Test func `a peer that is gone is an error, not a signal`() throws {
    let thread = try LoopThread.start(name: "writes to nobody") { loop in
      do {
        let error = try Self.writeToNobody()
        #expect(error?.errno == EPIPE || error?.errno == ECONNRESET)
      } catch {
        Issue.record(error)
      }
      loop.stop()
    }
    thread.join()
  }

  private static func writeToNobody() throws -> SystemError? {
    let link = try Link()
    link.resetClient()
    let file = try MemoryFile()
    let content = [UInt8](repeating: 1, count: 4096)
    _ = try content.withUnsafeBufferPointer { (content) throws(SystemError) in
      try file.append(UnsafeRawBufferPointer(content))
    }
    while true {
      switch Socket.write(link.server, file, 0..<4096) {
      // The first may still be taken: the reset is on its way.
      case .bytes, .wouldBlock: continue
      case .failed(let error): return error
      case .finished: return nil
      }
    }
  }
}
