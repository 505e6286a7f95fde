import Foundation
import Testing

/// A running `fixtured`, as a user starts it.
final class Program {
  /// What the program said when it had ended.
  struct Ended {
    let status: Int32
    let output: String
    let errors: String
    /// From the signal to the end.
    let duration: Duration
  }

  let process = Process()
  private let outputFile: URL
  private let errorsFile: URL

  /// The program that was built beside these tests.
  static let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("fixtured").path

  /// - Parameters:
  ///   - folder: where it runs, and where its output is kept.
  ///   - limits: what it may use, as the shell's `ulimit` takes it, for example `-S -n 64`.
  init(_ arguments: [String], in folder: Folder, limits: String? = nil) throws {
    let number = UUID().uuidString
    outputFile = folder.url.appendingPathComponent("output-\(number)")
    errorsFile = folder.url.appendingPathComponent("errors-\(number)")
    for file in [outputFile, errorsFile] { try Data().write(to: file) }
    if let limits {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments =
        ["-c", "ulimit \(limits) && exec \"$0\" \"$@\"", Self.path] + arguments
    } else {
      process.executableURL = URL(fileURLWithPath: Self.path)
      process.arguments = arguments
    }
    process.currentDirectoryURL = folder.url
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: outputFile)
    process.standardError = try FileHandle(forWritingTo: errorsFile)
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  var output: String { (try? String(contentsOf: outputFile, encoding: .utf8)) ?? "" }
  var errors: String { (try? String(contentsOf: errorsFile, encoding: .utf8)) ?? "" }

  /// The ports of its listeners, once it says that it is ready.
  func ports(_ count: Int = 1) throws -> [UInt16] {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      let lines = output.split(separator: "\n").filter { $0.hasPrefix("listening on ") }
      if lines.count == count {
        return lines.compactMap { line in
          let url = line.split(separator: " ")[2]
          return UInt16(url.split(separator: ":").last ?? "")
        }
      }
      if !process.isRunning { break }
      usleep(5_000)
    }
    throw ProgramError.notReady(output: output, errors: errors)
  }

  func port() throws -> UInt16 { try ports()[0] }

  /// Sends a signal and waits for the end.
  func stop(_ signal: Int32 = SIGTERM) -> Ended {
    let start = ContinuousClock.now
    kill(process.processIdentifier, signal)
    return waitForEnd(since: start)
  }

  func waitForEnd(since start: ContinuousClock.Instant = .now) -> Ended {
    process.waitUntilExit()
    let signaled = process.terminationReason == .uncaughtSignal
    return Ended(
      status: signaled ? 128 + process.terminationStatus : process.terminationStatus,
      output: output, errors: errors, duration: .now - start)
  }

  /// Runs it to its end.
  static func run(_ arguments: [String], in folder: Folder) throws -> Ended {
    try Program(arguments, in: folder).waitForEnd()
  }
}

enum ProgramError: Error {
  case notReady(output: String, errors: String)
}

/// A folder of its own for one test, removed with it.
final class Folder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("fixtured-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// The names in it, without what `Program` keeps there.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path)
      .filter { !$0.hasPrefix("output-") && !$0.hasPrefix("errors-") }.sorted()
  }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: url.appendingPathComponent(name)))
  }
}
