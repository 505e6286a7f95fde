#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder that only the user can read, for as long as it is needed.
final class TemporaryFolder {
  let path: String

  /// The C function is `mkdtemp`.
  init() throws(FileError) {
    var template = Array("\(TemporaryPlace.folder)/fixtured-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw FileError(path: TemporaryPlace.folder, call: "mkdtemp", errno: errno)
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Removes it with the files in it; it never holds folders. What can't be removed is left to
  /// whoever cleans the place it is in.
  deinit {
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { unlink("\(path)/\(name)") }
      }
      closedir(folder)
    }
    rmdir(path)
  }
}
