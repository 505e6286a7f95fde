import FixtureReplay
import FixtureStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a replay says of its client at its end.
final class ClientVerdict {
  /// Of each check, enough to see what is wrong.
  private static let findingsMax = 5

  private let options: VerdictOptions
  /// The file it is written to; nil when none is asked for.
  private let descriptor: Int32?

  /// Empties the file already: what an earlier replay wrote there is not about this one.
  /// - Throws: why it can't be written.
  init(_ options: VerdictOptions) throws(FileError) {
    self.options = options
    descriptor = try options.path.map { (path) throws(FileError) in try File.create(path) }
  }

  deinit {
    if let descriptor { close(descriptor) }
  }

  /// Judges a journal, says what was found and writes it where that is asked for.
  /// - Returns: whether no check that counts found something, and the verdict is written.
  func judge(_ journal: Journal, of cassette: String, _ diagnostics: DiagnosticThread) -> Bool {
    let unused: [Int64]
    do throws(StoreError) {
      let used = journal.used
      unused = try CassetteReader(path: cassette).interactionIDs().filter { !used.contains($0) }
    } catch {
      diagnostics.write(error.description)
      return false
    }
    let verdict = Verdict(journal, unused: unused, limits: options.limits)
    for line in lines(verdict) { diagnostics.line(line) }
    if let descriptor, let failure = write(verdict, to: descriptor) {
      let path = options.path ?? ""
      diagnostics.write("the verdict is not written, \(failure), \(path), name another FILE")
      return false
    }
    return !options.failsOn.contains { !verdict.findings(of: $0).isEmpty }
  }

  /// What was found, the checks that count first.
  private func lines(_ verdict: Verdict) -> [String] {
    let failed = verdict.failed
    guard !failed.isEmpty else { return ["verdict: \(verdict)"] }
    let counting = failed.filter(options.failsOn.contains)
    let others = failed.filter { !options.failsOn.contains($0) }
    return (counting + others).flatMap { check in
      let findings = verdict.findings(of: check)
      let lines = findings.prefix(Self.findingsMax).map { "verdict: \($0)".escapedForTerminal }
      let rest = findings.count - Self.findingsMax
      return rest > 0 ? lines + ["verdict: \(check.rawValue): and \(rest) more"] : lines
    }
  }

  /// - Returns: why it could not be written; nil when it is.
  private func write(_ verdict: Verdict, to descriptor: Int32) -> String? {
    var json = JSONText()
    verdict.write(to: &json)
    do {
      try Output.write(all: json.bytes + [0x0A], to: descriptor)
      return nil
    } catch {
      return error.description
    }
  }
}
