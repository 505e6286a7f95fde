import FixtureCassette
import FixtureHTTP
import FixtureStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What `fixtured drift` and `fixtured refresh` have in common: asking, and telling of it.
struct AskCommand {
  let options: AskOptions
  let reader: CassetteReader
  let plan: AskPlan
  let asking: Asking

  /// - Returns: nil when nothing was asked, which was said, with the status that follows.
  static func ask(
    _ options: AskOptions, as command: CommandName
  ) -> Result<AskCommand, ExitStatusFailure> {
    do throws(StoreError) {
      let reader = try CassetteReader(path: options.cassette)
      let plan: AskPlan
      do throws(AskPlan.Refusal) {
        plan = try AskPlan(options, reader, command: command)
      } catch {
        return .failure(told(error))
      }
      guard let process = ServingProcess.prepare() else { return .failure(.init(.failure)) }
      defer { process.diagnostics.finish() }
      if !options.verifiesCertificates {
        process.diagnostics.write("--insecure: the upstream's certificate is not verified")
      }
      do throws(Asking.Failure) {
        let asking = try Asking(plan, options, reader.description, process)
        return .success(
          AskCommand(options: options, reader: reader, plan: plan, asking: asking))
      } catch {
        process.diagnostics.write(error.description)
        return .failure(.init(.failure))
      }
    } catch {
      Diagnostic.write(error.description)
      return .failure(.init(.failure))
    }
  }

  private static func told(_ refusal: AskPlan.Refusal) -> ExitStatusFailure {
    switch refusal {
    case .usage(let error):
      Diagnostic.write(error.description)
      return .init(.usage)
    case .secret(let missing):
      Diagnostic.write(missing.reason)
      return .init(.usage)
    case .store(let error):
      Diagnostic.write(error.description)
      return .init(.failure)
    }
  }

  /// The recorded interaction, and the one that was recorded now; nil when there is none.
  func pair(
    _ asked: AskPlan.Asked
  ) throws(StoreError) -> (old: Interaction, new: Interaction?, of: CassetteReader) {
    let old = try reader.interaction(id: asked.id)
    guard let answers = asking.reader, let id = asking.answers[asked.id] else {
      return (old, nil, reader)
    }
    return (old, try answers.interaction(id: id), answers)
  }

  /// Tells of what was not asked, and how many were.
  /// - Parameter changed: how many of them differ.
  func writeEnd(_ changed: Int, word: String, to output: Output) throws(StoreError) {
    for skipped in plan.skipped {
      let interaction = try reader.interaction(id: skipped.id)
      output.write("skipped: \(DiffCommand.title(interaction)): \(skipped.reason)\n")
    }
    var text = "\(plan.asked.count) asked, \(changed) \(word)"
    if !plan.skipped.isEmpty { text += ", \(plan.skipped.count) skipped" }
    if plan.unsafeCount > 0 { text += ", \(plan.unsafeCount) never asked again (not safe)" }
    output.write(text + "\n")
  }
}

/// A status to exit with, where something else was expected.
struct ExitStatusFailure: Error {
  let status: ExitStatus

  init(_ status: ExitStatus) {
    self.status = status
  }
}

/// `fixtured drift`: whether an API still answers as recorded.
enum DriftCommand {
  static func run(_ options: AskOptions) -> ExitStatus {
    let command: AskCommand
    switch AskCommand.ask(options, as: .drift) {
    case .success(let asked): command = asked
    case .failure(let failure): return failure.status
    }
    let output = Output(descriptor: STDOUT_FILENO)
    do throws(StoreError) {
      var drifted = 0
      for asked in command.plan.asked {
        let lines = try lines(command, asked)
        guard !lines.isEmpty else { continue }
        drifted += 1
        output.write(lines.map { $0 + "\n" }.joined() + "\n")
      }
      try command.writeEnd(drifted, word: "drifted", to: output)
      let printing = output.finishPrinting()
      return printing == .success && drifted > 0 ? .failure : printing
    } catch {
      output.flush()
      Diagnostic.write(error.description)
      return .failure
    }
  }

  private static func lines(
    _ command: AskCommand, _ asked: AskPlan.Asked
  ) throws(StoreError) -> [String] {
    let (old, new, answers) = try command.pair(asked)
    guard let new else { return [DiffCommand.title(old), "  answer: none was recorded"] }
    let lines = try DriftComparison(
      old, of: command.reader, new, of: answers, withValues: command.options.withValues
    ).lines
    return lines.isEmpty ? [] : [DiffCommand.title(old)] + lines.map { "  " + $0 }
  }
}
