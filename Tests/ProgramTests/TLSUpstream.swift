import Foundation
import Glibc

/// An origin server with TLS, one connection at a time: `openssl s_server`. Its output is what the
/// client sends and whose input is what the client gets.
final class TLSUpstream {
  let port: UInt16
  private let server = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let certificate: String

  static let openssl = "/usr/bin/openssl"
  static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: openssl) }

  init(in folder: Folder) throws {
    certificate = folder.path("certificate.pem")
    let key = folder.path("key.pem")
    let request = try Process.run(
      URL(fileURLWithPath: Self.openssl),
      arguments: [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost",
      ])
    request.waitUntilExit()
    port = try RawSocket.unusedPort()
    server.executableURL = URL(fileURLWithPath: Self.openssl)
    server.arguments = [
      "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", key,
    ]
    server.standardInput = input
    server.standardOutput = output
    server.standardError = FileHandle.nullDevice
    try server.run()
    try waitUntilItAccepts()
  }

  private func waitUntilItAccepts() throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while true {
      do {
        return try RawSocket(port: port).close()
      } catch {
        guard ContinuousClock.now < deadline else { throw error }
        usleep(10_000)
      }
    }
  }

  deinit { kill(server.processIdentifier, SIGKILL) }

  /// The options that record it.
  var options: [String] { ["--upstream", "https://localhost:\(port)", "--cacert", certificate] }

  /// From now on nothing is read, and no handshake answered.
  func suspend() { kill(server.processIdentifier, SIGSTOP) }
  func resume() { kill(server.processIdentifier, SIGCONT) }

  func send(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: bytes(text)) }

  /// The next so many bytes that a client sends; fewer when they do not come.
  func take(count: Int) -> [UInt8] {
    let descriptor = output.fileHandleForReading.fileDescriptor
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var received: [UInt8] = []
    while received.count < count {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 5_000) > 0 else { break }
      let part = read(descriptor, &buffer, min(buffer.count, count - received.count))
      guard part > 0 else { break }
      received += buffer[..<part]
    }
    return received
  }
}
