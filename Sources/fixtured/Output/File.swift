#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file could not be read or written.
struct FileError: Error, Equatable {
  let path: String
  /// The C function.
  let call: String
  let errno: Int32

  var description: String { "\(call): \(Diagnostic.text(ofErrno: errno)), \(path)" }
}

/// Small files, read and written whole, and folders.
enum File {
  /// - Returns: nil when there is no such file.
  static func contents(_ path: String, bytesMax: Int = .max) throws(FileError) -> [UInt8]? {
    guard let reader = try FileReader(path) else { return nil }
    var contents: [UInt8] = []
    while contents.count < bytesMax {
      let part = try reader.next(bytesMax: bytesMax - contents.count)
      if part.isEmpty { break }
      contents += part
    }
    return contents
  }

  /// Makes or empties a file. The C function is `open`.
  static func create(_ path: String) throws(FileError) -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw FileError(path: path, call: "open", errno: errno) }
    return descriptor
  }

  /// Whether something is there, also a link that leads nowhere. The C function is `lstat`.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Makes the folder in which a file is to be, when only that folder is missing. The C function is
  /// `mkdir`.
  static func createFolder(of path: String) throws(FileError) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    let folder = String(path[..<slash])
    guard mkdir(folder, 0o755) != 0, errno != EEXIST else { return }
    throw FileError(path: folder, call: "mkdir", errno: errno)
  }

  /// Whether the file is an SQLite database, most likely a cassette. Nothing is read from what is
  /// no regular file, such as a pipe or a terminal. The C function is `stat`.
  static func isDatabase(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    let magic = Array("SQLite format 3\0".utf8)
    do {
      return try contents(path, bytesMax: magic.count) == magic
    } catch {
      // What can't be read can't be recognised; writing to it tells what is wrong.
      return false
    }
  }
}
