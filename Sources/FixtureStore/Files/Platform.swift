#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the system says about an error number.
func errorText(_ errno: Int32) -> String { String(cString: strerror(errno)) }

/// The calls about files that SQLite does not make for us. None of them opens an existing file:
/// closing it again would drop the locks SQLite holds on it in this process.
package enum FileSystem {
  enum Kind {
    case regular(size: Int64)
    case other
  }

  /// What lies at `path`, symbolic links followed; nil when nothing does.
  static func kind(path: String) throws(StoreError) -> Kind? {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      let code = errno
      if code == ENOENT || code == ENOTDIR { return nil }
      throw .system(path: path, call: "stat", errno: code)
    }
    return facts.st_mode & S_IFMT == S_IFREG ? .regular(size: Int64(facts.st_size)) : .other
  }

  /// Which file lies somewhere: another one has another identity.
  struct Identity: Equatable {
    let device: UInt64
    let number: UInt64
  }

  /// nil when there is none. The C function is `stat`.
  static func identity(path: String) throws(StoreError) -> Identity? {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      let code = errno
      if code == ENOENT || code == ENOTDIR { return nil }
      throw .system(path: path, call: "stat", errno: code)
    }
    return Identity(
      device: UInt64(truncatingIfNeeded: facts.st_dev), number: UInt64(facts.st_ino))
  }

  /// Where a symbolic link leads in the end; nil for anything else.
  static func linkTarget(path: String) throws(StoreError) -> String? {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFLNK else { return nil }
    guard let target = realpath(path, nil) else {
      throw .system(path: path, call: "realpath", errno: errno)
    }
    defer { free(target) }
    return String(cString: target)
  }

  /// - Throws: `.system` when no file can be made beside this one.
  static func checkFolderIsWritable(of path: String) throws(StoreError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard access(folder, W_OK) == 0 else {
      throw .system(path: folder, call: "access", errno: errno)
    }
  }

  /// Makes an empty file.
  /// - Parameter original: a file whose permissions it gets, if it exists; nil for the usual ones.
  /// - Throws: `.exists` when something lies there already, even a dangling link.
  static func createExclusively(
    path: String, permissionsOf original: String?
  ) throws(StoreError) {
    var facts = stat()
    let permissions = original.flatMap { stat($0, &facts) == 0 ? facts.st_mode & 0o777 : nil }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions ?? 0o644)
    guard descriptor >= 0 else {
      let code = errno
      if code == EEXIST { throw .exists(path: path) }
      throw .system(path: path, call: "open", errno: code)
    }
    defer { close(descriptor) }
    guard let permissions else { return }
    guard fchmod(descriptor, permissions) == 0 else {
      let code = errno
      remove(path: path)
      throw .system(path: path, call: "fchmod", errno: code)
    }
  }

  /// Removes a file; one that is gone already is fine, and one that can't go does no harm to what
  /// is removed here: side files, and new cassettes that nobody will use.
  package static func remove(path: String) { unlink(path) }

  /// Puts a finished file in the place of another in one step; readers see either of them.
  package static func rename(path: String, to place: String) throws(StoreError) {
    guard renameFile(path, place) == 0 else {
      throw .system(path: place, call: "rename", errno: errno)
    }
  }
}

/// The wall clock, for a cassette's creation date.
func currentDate_us() -> Int64 {
  var now = timespec()
  // CLOCK_REALTIME always exists, so the call cannot fail.
  clock_gettime(CLOCK_REALTIME, &now)
  return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
}

/// The C function, out of the reach of the name it has in `FileSystem`.
private func renameFile(_ path: String, _ place: String) -> Int32 { rename(path, place) }
