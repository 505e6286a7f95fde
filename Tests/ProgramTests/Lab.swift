import Foundation

/// A replay of the sample cassette under one of the sample scenarios, or rules of the test's own.
struct Lab {
  let program: Program
  let port: UInt16

  static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func path(_ name: String) -> String {
    repository.appendingPathComponent("cassettes").appendingPathComponent(name).path
  }

  /// - Parameter scenario: `cache-lab.rules`, perhaps with a section.
  init(_ scenario: String, in folder: Folder) throws {
    try self.init(options: ["--scenario", Self.path(scenario)], in: folder)
  }

  init(rules: [String], in folder: Folder) throws {
    try self.init(options: ["--seed", "7"] + rules.flatMap { ["--rule", $0] }, in: folder)
  }

  private init(options: [String], in folder: Folder) throws {
    program = try Program(
      ["replay", "--listen", "127.0.0.1:0"] + options + [Self.path("httpbin.db")], in: folder)
    port = try program.port()
  }

  var url: String { "http://127.0.0.1:\(port)" }

  static func get(_ target: String, _ fields: String...) -> [UInt8] {
    let lines = ["GET \(target) HTTP/1.1", "Host: lab.test"] + fields
    return bytes(lines.joined(separator: "\r\n") + "\r\n\r\n")
  }
}

extension Client.Response {
  /// The value of the first field with this name; nil without one.
  func value(_ name: String) -> String? {
    for line in head.split(separator: "\r\n")
    where line.lowercased().hasPrefix(name.lowercased() + ": ") {
      return String(line.dropFirst(name.utf8.count + 2))
    }
    return nil
  }
}

/// Runs what waits long on a thread of its own, so that it does not take one of the few that all
/// tests share.
func onThread<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Worker.start { continuation.resume(with: Result { try body() }) }
  }
}
