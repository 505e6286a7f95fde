#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Bytes on their way to standard output or a file, collected into large writes.
///
/// After the first failure everything else is dropped and `finish` tells why.
final class Output {
  enum Failure: Error, Equatable {
    /// Nobody reads any more (EPIPE); not worth a message.
    case readerGone
    /// The C function and its `errno`.
    case failed(call: String, errno: Int32)

    var description: String {
      switch self {
      case .readerGone: "write: \(Diagnostic.text(ofErrno: EPIPE))"
      case .failed(let call, let code): "\(call): \(Diagnostic.text(ofErrno: code))"
      }
    }
  }

  private static let bufferBytes = 64 * 1024

  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var failure: Failure?

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Whether writing more is of use.
  var isOpen: Bool { failure == nil }

  func write(_ text: String) {
    write(bytes: text.utf8)
  }

  func write(bytes: some Sequence<UInt8>) {
    guard isOpen else { return }
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferBytes { flush() }
  }

  /// Writes what was collected.
  /// - Throws: the first failure since the beginning.
  func finish() throws(Failure) {
    flush()
    if let failure { throw failure }
  }

  /// Writes what was collected so far; a failure is kept for `finish`.
  func flush() {
    guard isOpen else { return }
    do {
      try Self.write(all: buffer, to: descriptor)
    } catch {
      failure = error
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes every byte. The C function is `write`; EINTR is retried. A descriptor that would block
  /// is a pipe or terminal that another program made so; it is made to wait again (`fcntl`).
  static func write(all bytes: [UInt8], to descriptor: Int32) throws(Failure) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        systemWrite(descriptor, buffer.baseAddress! + written, buffer.count - written)
      }
      if count >= 0 {
        written += count
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN where makeBlocking(descriptor): continue
      case EPIPE: throw .readerGone
      case let code: throw .failed(call: "write", errno: code)
      }
    }
  }

  private static func makeBlocking(_ descriptor: Int32) -> Bool {
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0 else { return false }
    return fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) >= 0
  }

  private static func systemWrite(
    _ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int
  ) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes, count)
    #else
      Darwin.write(descriptor, bytes, count)
    #endif
  }
}

extension Output {
  /// Prints a whole text on standard output at once.
  static func print(_ text: String) -> ExitStatus {
    let output = Output(descriptor: STDOUT_FILENO)
    output.write(text)
    return output.finishPrinting()
  }

  /// As `finish` for standard output, with the failure told on standard error. A reader that is
  /// gone (`| head`) has what it wanted: that is no failure of ours.
  func finishPrinting() -> ExitStatus {
    do {
      try finish()
      return .success
    } catch {
      if error == .readerGone { return .success }
      Diagnostic.write(
        "the output is not whole, \(error.description), standard output, give it a place to go")
      return .failure
    }
  }
}

/// Lines on standard error.
enum Diagnostic {
  /// Writes `fixtured: ` and the message as one line, whatever the message holds.
  static func write(_ message: String) { put(Self.message(message)) }

  /// Writes a line as it is. A failure is dropped: there is nowhere left to tell it.
  static func line(_ text: String) { put(ended(text)) }

  /// What `write` writes.
  static func message(_ message: String) -> String {
    ended("fixtured: \(message.escapedForTerminal)")
  }

  /// What `line` writes; on a terminal it replaces a progress line.
  static func ended(_ text: String) -> String {
    ProgressLine.isWatched ? "\u{1B}[K\(text)\n" : "\(text)\n"
  }

  private static func put(_ text: String) {
    do {
      try Output.write(all: Array(text.utf8), to: STDERR_FILENO)
    } catch {}
  }

  /// The C function is `strerror`.
  static func text(ofErrno code: Int32) -> String {
    String(cString: strerror(code))
  }
}
