import Foundation

/// Certificates made for one run of the tests by the `openssl` command, in a temporary directory
/// that is removed when the tests end.
struct TestCertificates: Sendable {
  /// A PEM file of a certificate and one of its key.
  struct Identity: Sendable {
    var certificate: String
    var key: String
  }

  static let shared = TestCertificates()

  let directory: String
  /// The authority that signed all but the self-signed ones; clients do not trust it by default.
  let root: Identity
  /// For api.test, *.wild.test, 127.0.0.1 and ::1.
  let api: Identity
  /// For api.test until yesterday.
  let expired: Identity
  /// For api.test, signed by itself.
  let selfSigned: Identity
  /// Names api.test only as its common name.
  let commonNameOnly: Identity
  /// For api.test, allowed to act as a client only.
  let clientOnly: Identity

  private init() {
    let path = NSTemporaryDirectory() + "fixture-tls-" + UUID().uuidString
    directory = path
    // The tests cannot run without the directory, so a failure may stop them.
    try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(atPath: TestCertificates.shared.directory) }
    let ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    root = Self.make("root", in: path, ec + ["-days", "30", "-subj", "/CN=Fixture Test Root"])
    let signed = ["-CA", root.certificate, "-CAkey", root.key, "-subj", "/CN=api.test"]
    let leaf = ["-addext", "basicConstraints=critical,CA:FALSE", "-addext"]
    let apiNames = "subjectAltName=DNS:api.test,DNS:*.wild.test,IP:127.0.0.1,IP:::1"
    let name = "subjectAltName=DNS:api.test"
    api = Self.make("api", in: path, ec + signed + leaf + [apiNames, "-days", "30"])
    selfSigned = Self.make(
      "self-signed", in: path, ec + ["-subj", "/CN=api.test", "-days", "30"] + leaf + [name])
    expired = Self.makeExpired(in: path, ec + ["-subj", "/CN=api.test"] + leaf + [name], by: root)
    commonNameOnly = Self.make("common-name", in: path, ec + signed + ["-days", "30"])
    clientOnly = Self.make(
      "client-only", in: path,
      ec + signed + leaf + [name, "-addext", "extendedKeyUsage=clientAuth", "-days", "30"])
  }

  /// Runs `openssl req`, which makes a key and a certificate for it at once.
  private static func make(
    _ name: String, in directory: String, _ arguments: [String]
  ) -> Identity {
    let identity = Identity(
      certificate: "\(directory)/\(name).pem", key: "\(directory)/\(name).key")
    let files = ["-nodes", "-keyout", identity.key, "-out", identity.certificate]
    OpenSSLCommand.run(["req", "-x509"] + arguments + files)
    return identity
  }

  /// A certificate that was valid until yesterday: `openssl req` refuses to make one, so it makes a
  /// request only, and `openssl x509` the certificate.
  private static func makeExpired(
    in directory: String, _ arguments: [String], by authority: Identity
  ) -> Identity {
    let expired = Identity(
      certificate: "\(directory)/expired.pem", key: "\(directory)/expired.key")
    let request = "\(directory)/expired.csr"
    OpenSSLCommand.run(["req", "-nodes", "-keyout", expired.key, "-out", request] + arguments)
    OpenSSLCommand.run([
      "x509", "-req", "-in", request, "-copy_extensions", "copy", "-days", "-1",
      "-CA", authority.certificate, "-CAkey", authority.key, "-CAcreateserial",
      "-out", expired.certificate,
    ])
    return expired
  }
}

/// The `openssl` command of this machine.
enum OpenSSLCommand {
  static func process(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// Runs it to its end. The tests cannot go on without it, so a failure stops them.
  static func run(_ arguments: [String]) {
    let process = process(arguments)
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try! process.run()
    process.waitUntilExit()
    precondition(process.terminationStatus == 0, "openssl \(arguments) failed")
  }
}
