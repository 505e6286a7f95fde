#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a request to the control API proves itself with.
enum ControlToken {
  /// Of `FIXTURED_CONTROL_TOKEN`; nil when it is not set, or empty.
  static var ofEnvironment: String? {
    guard let text = getenv("FIXTURED_CONTROL_TOKEN"), text.pointee != 0 else { return nil }
    return String(cString: text)
  }

  /// Whether a field can carry it as it is: visible ASCII (RFC 6750 §2.1 has a part of it).
  static func isUsable(_ token: String) -> Bool {
    token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
