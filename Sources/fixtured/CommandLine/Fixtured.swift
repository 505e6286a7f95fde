import FixtureCassette

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The program. Everything below returns a value; only `main` exits.
@main
enum Fixtured {
  static func main() {
    openStandardDescriptors()
    // Writing to a closed pipe is then an EPIPE that `Output` reports, not the end of a recording.
    _ = signal(SIGPIPE, SIG_IGN)
    // A file that may not grow (`ulimit -f`) is then an EFBIG, told as a full disk is.
    _ = signal(SIGXFSZ, SIG_IGN)
    exit(status(for: Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  /// Opens `/dev/null` for each of standard input, output and error that the parent has closed:
  /// else the next file or socket would get its number, and what is printed.
  private static func openStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number, which is this one. A failure leaves things as they were.
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// Parses the arguments and does what they say.
  static func status(for arguments: [String]) -> ExitStatus {
    do {
      return run(
        try Command(arguments: arguments) { cassette throws(UsageError) in
          try FolderConfiguration.read(beside: cassette)
        })
    } catch {
      Diagnostic.write(error.description)
      return .usage
    }
  }

  private static func run(_ command: Command) -> ExitStatus {
    switch command {
    case .record(let options): RecordCommand.run(options)
    case .replay(let options): ReplayCommand.run(options)
    case .explain(let options): ExplainCommand.run(options)
    case .inspect(let options): InspectCommand.run(options)
    case .dump(let options): DumpCommand.run(options)
    case .diff(let options): DiffCommand.run(options)
    case .merge(let options): MergeCommand.run(options)
    case .drift(let options): DriftCommand.run(options)
    case .refresh(let options): RefreshCommand.run(options)
    case .edit(let options): EditCommand.run(options)
    case .set(let options): SetCommand.run(options)
    case .remove(let options): RemoveCommand.run(options)
    case .redact(let options): RedactCommand.run(options)
    case .scan(let options): ScanCommand.run(options)
    case .report(let options): ReportCommand.run(options)
    case .verify(let options): VerifyCommand.run(options)
    case .control(let options): ControlCommand.run(options)
    case .help(let topic): Output.print(HelpText.text(topic))
    case .version: Output.print("fixtured \(Version.text)\n")
    }
  }
}

/// The exit statuses of every command, as `--help` lists them.
enum ExitStatus: Int32 {
  case success = 0
  /// The work failed: a damaged file, a miss with `--strict`, a difference found by `--check`.
  case failure = 1
  /// The command line, or what it asks for, makes no sense; nothing was done.
  case usage = 2
}
