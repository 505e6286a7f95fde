#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The user's editor: `$VISUAL`, else `$EDITOR`, else `vi`.
enum Editor {
  /// What it left.
  struct Result {
    let path: String
    let bytes: [UInt8]

    func remove() { unlink(path) }
  }

  enum Failure: Error {
    case file(FileError)
    case output(Output.Failure, path: String)
    /// It ended with another status than 0.
    case editor(String, path: String)

    var description: String {
      switch self {
      case .file(let error): "the text to be edited can't be kept, \(error.description)"
      case .output(let error, let path):
        "the text to be edited can't be kept, \(error.description), \(path)"
      case .editor(let command, let path):
        "the editor failed, \(command), set EDITOR to one that works, the text is in \(path)"
      }
    }
  }

  /// Puts a text before the user, in a file that only they can read, and waits for the end of the
  /// editor. The C functions are `mkstemps` and `system`, which gives the terminal's signals to the
  /// editor alone.
  static func edit(_ text: [UInt8]) throws(Failure) -> Result {
    let path = try write(text)
    let command = Self.command
    // Ignored signals would be ignored by the editor's own children too.
    _ = signal(SIGPIPE, SIG_DFL)
    let status = system("\(command) '\(path)'")
    _ = signal(SIGPIPE, SIG_IGN)
    guard status == 0 else { throw .editor(command, path: path) }
    do throws(FileError) {
      guard let bytes = try File.contents(path) else {
        throw FileError(path: path, call: "open", errno: ENOENT)
      }
      return Result(path: path, bytes: bytes)
    } catch {
      throw .file(error)
    }
  }

  private static var command: String {
    for name in ["VISUAL", "EDITOR"] {
      if let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty { return value }
    }
    return "vi"
  }

  private static func write(_ text: [UInt8]) throws(Failure) -> String {
    var template = Array("\(TemporaryPlace.folder)/fixtured-edit-XXXXXX.txt".utf8CString)
    let descriptor = mkstemps(&template, 4)
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard descriptor >= 0 else {
      throw .file(FileError(path: path, call: "mkstemps", errno: errno))
    }
    defer { close(descriptor) }
    do throws(Output.Failure) {
      try Output.write(all: text, to: descriptor)
    } catch {
      unlink(path)
      throw .output(error, path: path)
    }
    return path
  }
}

/// Where files are put that nobody needs afterwards.
enum TemporaryPlace {
  /// `$TMPDIR`, unless the shell would not take it as it is, else `/tmp`.
  static var folder: String {
    guard let value = getenv("TMPDIR").map({ String(cString: $0) }), !value.isEmpty,
      !value.contains("'"), !value.contains("\0")
    else { return "/tmp" }
    return value.hasSuffix("/") ? String(value.dropLast()) : value
  }
}
