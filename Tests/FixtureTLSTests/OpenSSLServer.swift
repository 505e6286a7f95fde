import FixtureTLS
import Foundation

/// `openssl s_server` on a free loopback port: a peer that is not this module.
final class OpenSSLServer {
  private let process: Process
  let port: UInt16

  /// Serves the files of `directory` in answer to `GET /NAME`, as `-WWW` does.
  init(identity: TestCertificates.Identity, directory: String, _ arguments: [String]) throws {
    let files = ["-cert", identity.certificate, "-key", identity.key]
    process = OpenSSLCommand.process(
      ["s_server", "-accept", "127.0.0.1:0", "-WWW"] + files + arguments)
    process.currentDirectoryURL = URL(fileURLWithPath: directory)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    port = try Self.port(from: output.fileHandleForReading)
  }

  /// Ends the process with SIGKILL: it inherits the signal mask of the test's thread, which blocks
  /// SIGTERM where that is a worker of the concurrency runtime.
  func stop() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Reads up to the line `ACCEPT 127.0.0.1:PORT`, at most 100 reads.
  private static func port(from output: FileHandle) throws -> UInt16 {
    var text = ""
    for _ in 0..<100 {
      let data = output.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
      if let match = text.firstMatch(of: /ACCEPT 127\.0\.0\.1:(\d+)\n/) {
        return UInt16(match.1)!
      }
    }
    throw CocoaError(.fileReadUnknown, userInfo: ["output": text])
  }
}

/// An engine on a blocking socket, for peers in other processes.
final class SocketClient {
  let engine: TLSEngine
  private let descriptor: Int32

  init(port: UInt16, engine: TLSEngine) throws {
    self.engine = engine
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    let limitSize = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, limitSize)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let result = withUnsafeBytes(of: &address) { bytes in
      connect(
        descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count))
    }
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  deinit { close(descriptor) }

  func handshake() throws {
    try engine.start()
    while !engine.isEstablished {
      try sendAll()
      try receiveOnce()
    }
    try sendAll()
  }

  /// Sends the text and reads until the peer has ended its side.
  func exchange(_ text: String) throws -> (bytes: [UInt8], end: TLSEngine.ReadResult) {
    _ = try engine.write(text)
    try sendAll()
    var bytes: [UInt8] = []
    while true {
      let read = try engine.readAll()
      bytes += read.bytes
      if read.end != .wantsMore { return (bytes, read.end) }
      try receiveOnce()
    }
  }

  private func sendAll() throws {
    var bytes: [UInt8] = []
    try engine.takeCiphertext(into: &bytes)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { throw POSIXError(.EIO) }
      sent += count
    }
  }

  private func receiveOnce() throws {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    if count == 0 {
      try engine.receivedEOF()
    } else {
      try engine.receive(buffer[..<count])
    }
  }
}
