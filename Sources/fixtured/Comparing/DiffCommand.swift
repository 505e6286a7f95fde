import FixtureCassette
import FixtureHTTP
import FixtureStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `fixtured diff`: what differs between two cassettes.
enum DiffCommand {
  static func run(_ options: DiffOptions) -> ExitStatus {
    let output = Output(descriptor: STDOUT_FILENO)
    do throws(StoreError) {
      let left = try CassetteReader(path: options.left)
      let right = try CassetteReader(path: options.right)
      let differs = try write(left, right, options, to: output)
      let printing = output.finishPrinting()
      return printing == .success && differs ? .failure : printing
    } catch {
      output.flush()
      Diagnostic.write(error.description)
      return .failure
    }
  }

  /// - Returns: whether anything differs.
  private static func write(
    _ left: CassetteReader, _ right: CassetteReader, _ options: DiffOptions, to output: Output
  ) throws(StoreError) -> Bool {
    var blocks = 0
    func add(_ lines: [String]) {
      if blocks > 0 { output.write("\n") }
      output.write(lines.map { $0 + "\n" }.joined())
      blocks += 1
    }
    let headings = [left, right].map { reader in
      Dump.heading(reader.description).split(separator: "\n").map(String.init)
    }
    let heading = LineDifference.lines(headings[0], headings[1])
    if !heading.isEmpty { add(["the cassettes:"] + heading) }
    let comparison = try CassetteComparison(left, right)
    for match in comparison.matches where output.isOpen {
      let lines = try lines(match, left, right, options)
      if !lines.isEmpty { add(lines) }
    }
    if comparison.isReordered { add(["the interactions in both come in another order"]) }
    return blocks > 0
  }

  private static func lines(
    _ match: CassetteComparison.Match, _ left: CassetteReader, _ right: CassetteReader,
    _ options: DiffOptions
  ) throws(StoreError) -> [String] {
    switch match {
    case .left(let id): return ["- \(title(try left.interaction(id: id)))"]
    case .right(let id): return ["+ \(title(try right.interaction(id: id)))"]
    case .both(let leftID, let rightID):
      let before = try left.interaction(id: leftID)
      let now = try right.interaction(id: rightID)
      let lines = try InteractionComparison(
        before, of: left, now, of: right, withTimes: options.withTimes
      ).lines
      if lines.isEmpty { return [] }
      let second = leftID == rightID ? "" : " and \(rightID)"
      return [title(before) + second] + lines.map { "  " + $0 }
    }
  }

  /// `GET /feed (api), interaction 3`
  static func title(_ interaction: Interaction) -> String {
    let request = interaction.request
    let name = interaction.upstream.map { " (\($0.escapedForTerminal))" } ?? ""
    return "\(String(escaping: request.method.bytes)) \(String(escaping: request.target))\(name), "
      + "interaction \(interaction.id)"
  }
}

/// What `fixtured diff` is asked to compare.
struct DiffOptions: Equatable, Sendable {
  var left: String
  var right: String
  var withTimes = false
}

extension DiffOptions {
  init(_ arguments: ScannedArguments) throws(UsageError) {
    self.init(
      left: arguments.operands[0], right: arguments.operands[1],
      withTimes: arguments.has(.times))
  }
}
