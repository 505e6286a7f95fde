import FixtureCassette
import FixtureHTTP
import FixtureReplay

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `fixtured ctl`: asks the control API of a replay, for the shell.
enum ControlCommand {
  static func run(_ options: ControlOptions) -> ExitStatus {
    let request: Request
    do throws(UsageError) {
      request = try Request(options)
    } catch {
      Diagnostic.write(error.description)
      return .usage
    }
    let token = getenv("FIXTURED_CONTROL_TOKEN").map { String(cString: $0) } ?? ""
    let client = ControlClient(address: options.address, token: token.isEmpty ? nil : token)
    do throws(ControlClient.Failure) {
      let answer = try client.ask(request.method, request.target, request.content)
      guard (200...299).contains(answer.status) else {
        Diagnostic.write(detail(of: answer).escapedForTerminal)
        return .failure
      }
      return tell(answer, options)
    } catch {
      Diagnostic.write(error.description.escapedForTerminal)
      return .failure
    }
  }

  /// What a problem document says (RFC 9457).
  private static func detail(of answer: ControlClient.Answer) -> String {
    let detail = JSONNode(answer.content)?.member("detail")?.text
    return detail ?? "the control API answered with status \(answer.status)"
  }

  private static func tell(
    _ answer: ControlClient.Answer, _ options: ControlOptions
  ) -> ExitStatus {
    guard let json = JSONNode(answer.content) else {
      Diagnostic.write("the control API answered with what is no JSON, is it another program?")
      return .failure
    }
    let text =
      switch options.verb {
      case .create where !options.givesJSON: line(json, counts: false)
      case .sessions where !options.givesJSON:
        (json.member("sessions")?.elements ?? []).map { line($0, counts: true) }.joined()
      default: String(decoding: answer.content, as: UTF8.self)
      }
    let printed = Output.print(text)
    guard printed == .success, options.verb == .verdict || options.verb == .delete else {
      return printed
    }
    return judged(json, options)
  }

  /// `s1 http://127.0.0.1:40123`, with the number of exchanges if that is asked for.
  private static func line(_ session: JSONNode, counts: Bool) -> String {
    var words = [session.member("id")?.text ?? ""]
    words += session.member("urls")?.elements.compactMap { $0.member("url")?.text } ?? []
    if counts { words.append("\(session.member("exchanges")?.integer ?? 0)") }
    return words.joined(separator: " ").escapedForTerminal + "\n"
  }

  private static func judged(_ verdict: JSONNode, _ options: ControlOptions) -> ExitStatus {
    var hasFailed = false
    for finding in verdict.member("findings")?.elements ?? [] {
      let check = finding.member("check")?.text ?? ""
      let text = finding.member("text")?.text ?? ""
      Diagnostic.write("verdict: \(check): \(text)".escapedForTerminal)
      hasFailed = hasFailed || options.failsOn.contains { $0.rawValue == check }
    }
    return hasFailed ? .failure : .success
  }

  /// What a verb asks for.
  struct Request: Equatable {
    var method: String
    var target: String
    /// JSON.
    var content: [UInt8]?
  }
}

extension JSONNode {
  fileprivate func member(_ name: String) -> JSONNode? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == Array(name.utf8) }?.value
  }

  fileprivate var elements: [JSONNode] {
    if case .array(let elements) = self { elements } else { [] }
  }
}
