import Foundation
import Glibc
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
  ///   - wrapper: a command that runs it.
  ///   - errors: where its standard error leads; nil for a file that `errors` reads.
  init(
    _ arguments: [String], in folder: Folder, limits: String? = nil, through wrapper: [String] = [],
    errors: Pipe? = nil
  ) throws {
    let number = UUID().uuidString
    outputFile = folder.url.appendingPathComponent("output-\(number)")
    errorsFile = folder.url.appendingPathComponent("errors-\(number)")
    for file in [outputFile, errorsFile] { try Data().write(to: file) }
    let shell = limits.map { ["/bin/sh", "-c", "ulimit \($0) && exec \"$0\" \"$@\""] } ?? []
    let command = shell + wrapper + [Self.path] + arguments
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.currentDirectoryURL = folder.url
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: outputFile)
    process.standardError = try errors ?? FileHandle(forWritingTo: errorsFile)
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

  /// Of its control API, which is told after its listeners.
  func controlPort() throws -> UInt16 {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      let line = output.split(separator: "\n").first { $0.hasPrefix("control on ") }
      if let port = line?.split(separator: ":").last.flatMap({ UInt16($0) }) { return port }
      if !process.isRunning { break }
      usleep(5_000)
    }
    throw ProgramError.notReady(output: output, errors: errors)
  }

  /// Bytes of memory that are its own (RssAnon), files it has read not counted.
  func privateMemory() throws -> Int {
    let path = "/proc/\(process.processIdentifier)/status"
    let status = try String(contentsOfFile: path, encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return 1024 * (Int(line?.split(whereSeparator: \.isWhitespace)[1] ?? "") ?? .max / 1024)
  }

  /// Sends a signal and waits for the end.
  func stop(_ signal: Int32 = SIGTERM) -> Ended {
    let start = ContinuousClock.now
    kill(process.processIdentifier, signal)
    return waitForEnd(since: start)
  }

  /// Waits for the end; what has not ended after a while is killed.
  func waitForEnd(since start: ContinuousClock.Instant = .now) -> Ended {
    let deadline = start + .seconds(15)
    while process.isRunning, ContinuousClock.now < deadline { usleep(2_000) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    let signaled = process.terminationReason == .uncaughtSignal
    return Ended(
      status: signaled ? 128 + process.terminationStatus : process.terminationStatus,
      output: output, errors: errors, duration: .now - start)
  }

  /// The most resident memory it has had, in bytes.
  func peakMemory() throws -> Int {
    let path = "/proc/\(process.processIdentifier)/status"
    let line = try String(contentsOfFile: path, encoding: .utf8)
      .split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0)
      << 10
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

  /// What can be told of a file without opening it for writing.
  struct FileState: Equatable {
    let bytes: [UInt8]
    let modified_ns: Int
    let number: UInt64
  }

  /// Everything in it, without what `Program` keeps there.
  func states() throws -> [String: FileState] {
    var states: [String: FileState] = [:]
    for name in try names() {
      var status = stat()
      guard stat(path(name), &status) == 0 else { throw SocketError(call: "stat", errno: errno) }
      states[name] = FileState(
        bytes: try bytes(name),
        modified_ns: status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec,
        number: UInt64(status.st_ino))
    }
    return states
  }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: url.appendingPathComponent(name)))
  }
}
