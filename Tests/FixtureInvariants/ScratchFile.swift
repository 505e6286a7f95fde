#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file in a folder of its own below `TMPDIR`, removed with whatever came beside it.
final class ScratchFile {
  private let folder: String
  let path: String

  /// - Parameter bytes: nil for a file that is still to be made.
  init(_ bytes: [UInt8]?) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/fixture-invariant-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no folder in \(parent)") }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = folder + "/c.db"
    guard let bytes else { return }
    let file = fopen(path, "wb")
    precondition(fwrite(bytes, 1, bytes.count, file) == bytes.count, "can't write \(path)")
    fclose(file)
  }

  deinit {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    rmdir(folder)
  }

  var bytes: [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: ftell(file))
    rewind(file)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }

  /// Whether SQLite left a file beside it.
  var hasSideFile: Bool {
    ["-wal", "-shm", "-journal"].contains { access(path + $0, F_OK) == 0 }
  }
}
