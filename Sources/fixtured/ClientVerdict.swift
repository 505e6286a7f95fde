import FixtureReplay
import FixtureStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a replay says of its client at its end.
enum ClientVerdict {
  /// Of each check, enough to see what is wrong.
  private static let findingsMax = 5

  /// Judges a journal, says what was found and writes it where that is asked for.
  /// - Returns: whether no check that counts found something, and the verdict is written.
  static func judge(
    _ journal: Journal, of cassette: String, _ options: VerdictOptions,
    _ diagnostics: DiagnosticThread
  ) -> Bool {
    let unused: [Int64]
    do throws(StoreError) {
      let used = journal.used
      unused = try CassetteReader(path: cassette).interactionIDs().filter { !used.contains($0) }
    } catch {
      diagnostics.write(error.description)
      return false
    }
    let verdict = Verdict(journal, unused: unused, limits: options.limits)
    for line in lines(verdict, options) { diagnostics.line(line) }
    if let path = options.path, let failure = write(verdict, to: path) {
      diagnostics.write("the verdict is not written, \(failure), \(path), name another FILE")
      return false
    }
    return !options.failsOn.contains { !verdict.findings(of: $0).isEmpty }
  }

  /// What was found, the checks that count first.
  private static func lines(_ verdict: Verdict, _ options: VerdictOptions) -> [String] {
    let failed = verdict.failed
    guard !failed.isEmpty else { return ["verdict: \(verdict)"] }
    let counting = failed.filter(options.failsOn.contains)
    let others = failed.filter { !options.failsOn.contains($0) }
    return (counting + others).flatMap { check in
      let findings = verdict.findings(of: check)
      let lines = findings.prefix(findingsMax).map { "verdict: \($0)".escapedForTerminal }
      let rest = findings.count - findingsMax
      return rest > 0 ? lines + ["verdict: \(check.rawValue): and \(rest) more"] : lines
    }
  }

  /// - Returns: why it could not be written; nil when it is.
  private static func write(_ verdict: Verdict, to path: String) -> String? {
    var json = JSONText()
    verdict.write(to: &json)
    let descriptor: Int32
    do {
      descriptor = try File.create(path)
    } catch {
      return error.description
    }
    defer { close(descriptor) }
    do {
      try Output.write(all: json.bytes + [0x0A], to: descriptor)
      return nil
    } catch {
      return error.description
    }
  }
}
