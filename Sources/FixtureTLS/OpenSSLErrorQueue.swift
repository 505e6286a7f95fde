import CFixtureOpenSSL

/// The calling thread's queue of OpenSSL errors.
///
/// OpenSSL reports the reason of a failure beside the return code, in a queue for each thread, and
/// SSL_get_error misreads a call's result when an older error is left in it. So it is cleared
/// before every call whose result matters and drained into facts after one that failed.
enum OpenSSLErrorQueue {
  /// One error taken from the queue.
  struct Entry: Equatable {
    /// The packed code, as ERR_get_error returns it.
    var code: UInt
    /// What OpenSSL calls the reason, for example `certificate verify failed`.
    var reason: String

    /// The SSL library's reason number (`SSL_R_…`), or nil when another library reported the error.
    var tlsReasonNumber: Int32? {
      ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : nil
    }
  }

  /// Entries taken at most; OpenSSL itself keeps 16 for each thread.
  static let entriesMax = 16

  /// Forgets every error of this thread. The C function is `ERR_clear_error`.
  static func clear() { ERR_clear_error() }

  /// Takes every error of this thread, the first cause first. The C function is `ERR_get_error`.
  static func drain() -> [Entry] {
    var entries: [Entry] = []
    while entries.count < entriesMax {
      let code = ERR_get_error()
      if code == 0 { break }
      entries.append(Entry(code: code, reason: reason(of: code)))
    }
    ERR_clear_error()
    return entries
  }

  /// The reasons alone, for an error that names the call which failed.
  static func drainReasons() -> [String] { drain().map(\.reason) }

  /// The first cause alone, for a failure that OpenSSL's layers only repeat in other words.
  static func drainFirstReason() -> String { drain().first?.reason ?? "no reason given" }

  /// The last part of `error:code:library:function:reason`, which unlike ERR_reason_error_string
  /// also knows the operating system's errors.
  private static func reason(of code: UInt) -> String {
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      ERR_error_string_n(code, buffer.baseAddress, buffer.count)
      return String(cString: buffer.baseAddress!)
    }
    let parts = text.split(separator: ":", maxSplits: 4, omittingEmptySubsequences: false)
    return parts.count == 5 ? String(parts[4]) : text
  }
}
