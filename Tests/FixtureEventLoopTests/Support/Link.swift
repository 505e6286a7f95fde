import Glibc
import Testing

@testable import FixtureEventLoop

/// Two connected TCP sockets on loopback, closed at the end unless a test did so.
final class Link {
  let listener: TCPListener
  private(set) var client: Int32
  private(set) var server: Int32

  init() throws {
    listener = try TCPListener(host: "127.0.0.1", port: 0)
    client = try Socket.connect(to: listener.address)
    server = try waitForConnection(listener)
    try waitUntil(client, POLLOUT)
    if let error = Socket.connectError(client) { throw error }
  }

  deinit {
    if client >= 0 { Socket.close(client) }
    if server >= 0 { Socket.close(server) }
  }

  func closeClient() {
    Socket.close(client)
    client = -1
  }

  func resetClient() {
    Socket.reset(client)
    client = -1
  }
}

struct TimedOut: Error {}

/// Blocks until poll(2) reports one of `events`, 10 s at most.
func waitUntil(_ descriptor: Int32, _ events: Int32) throws {
  var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
  guard poll(&entry, 1, 10_000) == 1 else { throw TimedOut() }
}

func waitForConnection(_ listener: TCPListener) throws -> Int32 {
  try waitUntil(listener.descriptor, POLLIN)
  return try #require(try listener.accept())
}

func send(_ descriptor: Int32, _ bytes: [UInt8]) -> IOResult {
  bytes.withUnsafeBytes { Socket.write(descriptor, $0) }
}

/// Reads once, up to 64 KiB: the bytes, or what came instead of them.
func receive(_ descriptor: Int32) -> (result: IOResult, bytes: [UInt8]) {
  var result = IOResult.wouldBlock
  let bytes = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
    result = Socket.read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
    if case .bytes(let received) = result { count = received }
  }
  return (result, bytes)
}

/// Blocks until something can be read, and reads it.
func receiveWhenReady(_ descriptor: Int32) throws -> (result: IOResult, bytes: [UInt8]) {
  try waitUntil(descriptor, POLLIN)
  return receive(descriptor)
}
