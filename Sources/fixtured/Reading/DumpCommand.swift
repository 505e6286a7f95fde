import FixtureStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `fixtured dump`: a cassette as text, for review.
enum DumpCommand {
  static func run(_ options: DumpOptions) -> ExitStatus {
    var status = runOne(options)
    for other in options.others {
      var options = options
      options.cassette = other
      options.destination = .comparison(with: DumpOptions.standardFile(for: other))
      if runOne(options) != .success { status = .failure }
    }
    return status
  }

  private static func runOne(_ options: DumpOptions) -> ExitStatus {
    do {
      let reader = try CassetteReader(path: options.cassette)
      switch options.destination {
      case .standardOutput: return try print(reader, options)
      case .file(let path): return try write(reader, options, to: path)
      case .comparison(let path): return try compare(reader, options, with: path)
      }
    } catch {
      Diagnostic.write(error.description)
      return .failure
    }
  }

  private static func print(
    _ reader: CassetteReader, _ options: DumpOptions
  ) throws(StoreError) -> ExitStatus {
    let output = Output(descriptor: STDOUT_FILENO)
    defer { output.flush() }
    try Dump.write(reader, withTimes: options.withTimes) { text in
      output.write(text)
      return output.isOpen
    }
    return output.finishPrinting()
  }

  private static func write(
    _ reader: CassetteReader, _ options: DumpOptions, to path: String
  ) throws(StoreError) -> ExitStatus {
    // Naming the cassette, or the one beside it, as the output is an easy slip.
    if File.isDatabase(path) {
      Diagnostic.write(UsageError(.outputIsDatabase(path), in: .dump).description)
      return .usage
    }
    let descriptor: Int32
    do {
      descriptor = try File.create(path)
    } catch {
      Diagnostic.write("the dump cannot be written, \(error.description), name another FILE")
      return .failure
    }
    defer { close(descriptor) }
    let output = Output(descriptor: descriptor)
    defer { output.flush() }
    try Dump.write(reader, withTimes: options.withTimes) { text in
      output.write(text)
      return output.isOpen
    }
    do {
      try output.finish()
      return .success
    } catch {
      Diagnostic.write("the dump is not whole, \(error.description), \(path), write it again")
      return .failure
    }
  }

  private static func compare(
    _ reader: CassetteReader, _ options: DumpOptions, with path: String
  ) throws(StoreError) -> ExitStatus {
    let times = options.withTimes ? " --times" : ""
    let remedy = "write it with fixtured dump\(times) \(options.cassette) -o \(path)"
    switch try difference(reader, options, from: path) {
    case nil:
      Diagnostic.write("there is no dump to compare with, \(path), \(remedy)")
      return .failure
    case .failure(let error)?:
      Diagnostic.write("the dump cannot be read, \(error.description), \(remedy)")
      return .failure
    case .success(nil)?:
      return .success
    case .success(let difference?)?:
      Diagnostic.write(
        "the dump is not that of the cassette, \(path) line \(difference.line), \(remedy)")
      if let line = difference.expected { Diagnostic.line("- \(line)") }
      if let line = difference.found { Diagnostic.line("+ \(line)") }
      return .failure
    }
  }

  /// The first difference from a dump in a file; nil when there is no such file.
  private static func difference(
    _ reader: CassetteReader, _ options: DumpOptions, from path: String
  ) throws(StoreError) -> Result<LineComparison.Difference?, FileError>? {
    let file: FileReader
    do throws(FileError) {
      guard let opened = try FileReader(path) else { return nil }
      file = opened
    } catch {
      return .failure(error)
    }
    var comparison = LineComparison { () throws(FileError) in try file.next() }
    var result = Result<LineComparison.Difference?, FileError>.success(nil)
    try Dump.write(reader, withTimes: options.withTimes) { text in
      result = Result { () throws(FileError) in try comparison.take(text) }
      if case .success(nil) = result { return true }
      return false
    }
    guard case .success(nil) = result else { return result }
    return Result { () throws(FileError) in try comparison.finish() }
  }
}
