#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A line on a terminal that the next line of any kind replaces.
enum ProgressLine {
  /// Whether standard error is a terminal (isatty); nothing else wants a line that changes.
  static var isWatched: Bool { isatty(STDERR_FILENO) == 1 }

  /// The text without moving to the next line: the cursor returns to the start, so that what is
  /// written next stands in its place.
  static func shown(_ text: String) -> String {
    "\r\u{1B}[K\(text.escapedForTerminal)\r"
  }
}
