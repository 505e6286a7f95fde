import FixtureCassette
import FixtureHTTP
import FixtureReplay
import FixtureServing

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
    let token = ControlToken.ofEnvironment
    guard token.map(ControlToken.isUsable) ?? true else {
      Diagnostic.write("\(ServerError.controlTokenInvalid)")
      return .failure
    }
    let client = ControlClient(address: options.address, token: token)
    do throws(ControlClient.Failure) {
      if options.listsExchanges { return try list(request, client) }
      let answer = try client.ask(request.method, request.target, request.content)
      return answer.isRefusal ? refused(answer) : tell(answer, options)
    } catch {
      Diagnostic.write(error.description.escapedForTerminal)
      return .failure
    }
  }

  /// Says what a problem document says (RFC 9457).
  private static func refused(_ answer: ControlClient.Answer) -> ExitStatus {
    let detail = JSONNode(answer.content)?.member("detail")?.text
    Diagnostic.write(
      (detail ?? "the control API answered with status \(answer.status)").escapedForTerminal)
    return .failure
  }

  /// Prints a journal, a line for each exchange, page after page.
  private static func list(
    _ request: Request, _ client: ControlClient
  ) throws(ControlClient.Failure) -> ExitStatus {
    var last: Int64 = 0
    while true {
      let answer = try client.ask(request.method, request.target + "?after=\(last)", nil)
      if answer.isRefusal { return refused(answer) }
      guard let page = JSONNode(answer.content), page.has("exchanges") else { return foreign() }
      if last == 0, let dropped = page.member("dropped")?.integer, dropped > 0 {
        Diagnostic.write("\(dropped) older exchanges are not in the journal any more")
      }
      let exchanges = page.member("exchanges")?.elements ?? []
      guard let next = page.member("next")?.integer, next > last, !exchanges.isEmpty else {
        return .success
      }
      let printed = Output.print(exchanges.map(JournalLine.text).joined())
      guard printed == .success else { return printed }
      last = next
    }
  }

  /// Nothing is to be concluded from what another program says.
  private static func foreign() -> ExitStatus {
    Diagnostic.write("the answer is none of a control API: name the one that a replay prints")
    return .failure
  }

  private static func tell(
    _ answer: ControlClient.Answer, _ options: ControlOptions
  ) -> ExitStatus {
    guard let json = JSONNode(answer.content), member(of: options).map(json.has) ?? true
    else { return foreign() }
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

  /// What an answer always has; nil where something was done and little is said.
  private static func member(of options: ControlOptions) -> String? {
    switch options.verb {
    case .sessions: "sessions"
    case .session, .create: "urls"
    case .verdict, .delete: "findings"
    case .exchanges: options.words.count > 1 ? "number" : "exchanges"
    case .reset, .scenario, .flags, .etags, .release, .clock: nil
    }
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
