import FixtureReplay

/// Which rules are asked for.
struct ScenarioOptions: Equatable, Sendable {
  /// As given: `FILE` or `FILE#NAME`.
  var source: String?
  /// Given by themselves; they come after those of the file.
  var rules: [Rule] = []
  /// nil: the file's, or a drawn one.
  var seed: UInt64?
  var givesReceipts = false
}

extension ScenarioOptions {
  init(_ arguments: ScannedArguments, source: String?) throws(UsageError) {
    if let source, source.isEmpty {
      throw arguments.error(
        .valueInvalid(.scenario, source, expected: OptionValue.fileExpected))
    }
    self.source = source
    for text in arguments.values(.rule) {
      do throws(RuleError) {
        var rule = try Rule(parsing: text.utf8)
        rule.origin = OptionName.rule.written
        rules.append(rule)
      } catch {
        throw arguments.error(
          .scenarioInvalid(text, reason: "column \(error.column): \(error.reason)"))
      }
    }
    seed = try arguments.parse(.seed, as: "a whole number up to \(UInt64.max)") {
      Scenario.seed($0.utf8)
    }
    givesReceipts = arguments.has(.receipts)
  }

  /// The path of the file, and the section; nil when no file is given.
  private var parts: (path: String, section: String?)? {
    guard let source else { return nil }
    guard let hash = source.lastIndex(of: "#") else { return (source, nil) }
    return (String(source[..<hash]), String(source[source.index(after: hash)...]))
  }

  /// Reads the file and those it names.
  /// - Returns: nil when nothing is asked for.
  func load(for command: CommandName) throws(UsageError) -> ScenarioSetup? {
    guard source != nil || !rules.isEmpty || seed != nil || givesReceipts else { return nil }
    let scenario = try parts.map { (parts) throws(UsageError) in
      try read(parts.path, parts.section, command)
    }
    let all = (scenario?.rules ?? []) + rules
    return ScenarioSetup(
      rules: all, seed: seed ?? scenario?.seed ?? .random(in: 1...999_999_999),
      files: try files(of: all, command), givesReceipts: givesReceipts)
  }

  private func read(
    _ path: String, _ section: String?, _ command: CommandName
  ) throws(UsageError) -> Scenario {
    let text = try contents(path, command)
    let scenario: Scenario
    do throws(RuleError) {
      scenario = try Scenario(parsing: text, origin: path)
    } catch {
      throw refusal("\(error)", command)
    }
    do {
      return try scenario.section(section)
    } catch {
      throw refusal("\(error)", command)
    }
  }

  /// What bodies are taken from; paths begin beside the scenario.
  private func files(
    of rules: [Rule], _ command: CommandName
  ) throws(UsageError) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for path in rules.bodyFiles where files[path] == nil {
      let bytes = try contents(beside(path), command)
      guard bytes.count <= Int(Body.bytesMax) else {
        throw refusal("\(path) has more than \(Body.bytesMax >> 20) MiB", command)
      }
      files[path] = bytes
    }
    return files
  }

  private func beside(_ path: String) -> String {
    guard !path.hasPrefix("/"), let own = parts?.path, let slash = own.lastIndex(of: "/") else {
      return path
    }
    return own[...slash] + path
  }

  private func contents(_ path: String, _ command: CommandName) throws(UsageError) -> [UInt8] {
    do throws(FileError) {
      if let bytes = try File.contents(path, bytesMax: Int(Body.bytesMax) + 1) { return bytes }
    } catch {
      throw refusal(error.description, command)
    }
    throw refusal("there is no file \(path)", command)
  }

  private func refusal(_ reason: String, _ command: CommandName) -> UsageError {
    UsageError(.scenarioInvalid(source ?? "--rule", reason: reason), in: command)
  }
}
