import CFixtureSystem
import Glibc

/// A C function that failed, and why.
package struct SystemError: Error, Equatable, Sendable {
  /// The C function's name, as in its manual page.
  package let call: String
  /// What it failed with; always positive.
  package let errno: Int32
  /// What it was called for, such as `127.0.0.1:8377`; empty when the call says it all.
  package let subject: String

  package init(call: String, errno: Int32, subject: String = "") {
    self.call = call
    self.errno = errno
    self.subject = subject
  }

  /// Whether the process or the system has no descriptor or socket memory left. It passes when
  /// something is closed, so the caller waits before it tries again.
  package var descriptorsExhausted: Bool {
    errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM
  }

  /// Whether the address has another listener already.
  package var isAddressInUse: Bool { errno == EADDRINUSE }

  func about(_ subject: String) -> SystemError {
    SystemError(call: call, errno: errno, subject: subject)
  }
}

extension SystemError: CustomStringConvertible {
  /// `bind 127.0.0.1:8377: Address already in use (EADDRINUSE)`
  package var description: String {
    let meaning = fixture_error_meaning(errno).map { String(cString: $0) } ?? "unknown error"
    let name = fixture_error_name(errno).map { String(cString: $0) } ?? "\(errno)"
    return "\(call)\(subject.isEmpty ? "" : " ")\(subject): \(meaning) (\(name))"
  }
}
