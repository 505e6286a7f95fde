/// A kind of bytes from outside, and the rule that holds for any bytes given as that kind.
///
/// Each rule is written at the top of the file that checks it. A fuzzer and ordinary tests run the
/// same checks; public because the fuzzer is linked outside the package.
public enum InputKind: String, CaseIterable, Sendable {
  case requests, responses, chunked, codings, stored, targets, contents, redactions
  case rules, rows, cassettes, control

  /// What the bytes did to the rule; nil when it held.
  public func violation(by bytes: [UInt8]) -> String? {
    do throws(Violation) {
      switch self {
      case .requests: try checkRequests(bytes)
      case .responses: try checkResponses(bytes)
      case .chunked: try checkChunked(bytes)
      case .codings: try checkCodings(bytes)
      case .stored: try checkStored(bytes)
      case .targets: try checkTarget(bytes)
      case .contents: try checkContents(bytes)
      case .redactions: try checkRedaction(bytes)
      case .rules: try checkRules(bytes)
      case .rows: try checkRows(bytes)
      case .cassettes: try checkCassette(bytes)
      case .control: try checkControl(bytes)
      }
      return nil
    } catch {
      return error.text
    }
  }
}

/// A rule did not hold; the text says which and for what.
package struct Violation: Error {
  package let text: String
}

func require(_ holds: Bool, _ text: @autoclosure () -> String) throws(Violation) {
  guard holds else { throw Violation(text: text()) }
}
