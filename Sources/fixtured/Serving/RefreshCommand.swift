import FixtureCassette
import FixtureHTTP
import FixtureStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `fixtured refresh`: puts what an API answers now in the place of what was recorded.
enum RefreshCommand {
  static func run(_ options: AskOptions) -> ExitStatus {
    let command: AskCommand
    switch AskCommand.ask(options, as: .refresh) {
    case .success(let asked): command = asked
    case .failure(let failure): return failure.status
    }
    let output = Output(descriptor: STDOUT_FILENO)
    do throws(StoreError) {
      var numbers = FreshNumbers(count: command.reader.description.redactedCount)
      var changes: [Int64: RefreshedInteraction] = [:]
      var unanswered = 0
      for asked in command.plan.asked {
        let (old, new, answers) = try command.pair(asked)
        guard let new, replaces(new, old) else {
          unanswered += 1
          let missing = new?.response == nil ? "no answer" : "no whole answer"
          let detail = new?.outcomeDetail.map { ", \($0.escapedForTerminal)" } ?? ""
          output.write("\(DiffCommand.title(old))\n  \(missing)\(detail): is kept\n\n")
          continue
        }
        let refreshed = try RefreshedInteraction(
          old, of: command.reader, new, of: answers, &numbers)
        guard !refreshed.lines.isEmpty else { continue }
        let lines = [DiffCommand.title(old)] + refreshed.lines.map { "  " + $0 }
        output.write(lines.map { $0 + "\n" }.joined() + "\n")
        changes[old.id] = refreshed
      }
      try command.writeEnd(changes.count, word: "replaced", to: output)
      // What differs is told before anything is replaced.
      output.flush()
      try write(changes, numbers.count, to: command.reader)
      let printing = output.finishPrinting()
      return printing == .success && unanswered > 0 ? .failure : printing
    } catch {
      output.flush()
      Diagnostic.write(error.description)
      return .failure
    }
  }

  /// Whether an answer may stand where one stood: not one that broke off for one that came whole,
  /// and none that did not come at all.
  private static func replaces(_ new: Interaction, _ old: Interaction) -> Bool {
    if new.outcome == .complete || old.response == nil { return true }
    return new.response != nil && old.outcome != .complete
  }

  private static func write(
    _ changes: [Int64: RefreshedInteraction], _ redactedCount: Int64, to reader: CassetteReader
  ) throws(StoreError) {
    guard !changes.isEmpty else { return }
    try CassetteChange.perform(
      on: reader,
      description: {
        var description = reader.description
        description.redactedCount = max(redactedCount, description.redactedCount)
        return description
      },
      change: { (old) throws(StoreError) in
        guard let refreshed = changes[old.id] else { return .kept }
        return .changed(
          refreshed.interaction, request: .init(old.requestBody, in: reader),
          response: refreshed.response)
      })
  }
}

/// New numbers for the placeholders of new recordings: one that stands where one stood keeps that
/// number, any other gets the next.
struct FreshNumbers {
  /// The highest number in use.
  private(set) var count: Int64
  private var numbers: [Int64: Int64] = [:]

  init(count: Int64) {
    self.count = count
  }

  /// The numbers for a new interaction that takes the place of an old one.
  /// - Parameters: the placeholders of each field or content, in order.
  mutating func numbers(
    replacing old: [String: [Int64]], by new: [String: [Int64]]
  ) -> PlaceholderNumbers {
    for (place, found) in new.sorted(by: { $0.key < $1.key }) {
      let known = old[place] ?? []
      for (index, number) in found.enumerated() where numbers[number] == nil {
        if known.count == found.count {
          numbers[number] = known[index]
        } else {
          count += 1
          numbers[number] = count
        }
      }
    }
    return PlaceholderNumbers(numbers: numbers)
  }
}

/// A recorded request with the answer that it gets now.
struct RefreshedInteraction {
  let interaction: Interaction
  let response: CassetteRewrite.Content
  /// What differs from the answer before; empty when nothing does but what always does.
  let lines: [String]

  init(
    _ old: Interaction, of oldReader: CassetteReader, _ new: Interaction,
    of newReader: CassetteReader, _ numbers: inout FreshNumbers
  ) throws(StoreError) {
    let before = try oldReader.comparedContent(old.response?.body, of: old.response?.head.fields)
    let now = try newReader.comparedContent(new.response?.body, of: new.response?.head.fields)
    let mapping = numbers.numbers(
      replacing: Self.placeholders(old.response, before),
      by: Self.placeholders(new.response, now))
    // Only the answer is new.
    var answer = new
    answer.request = old.request
    answer.requestTrailers = old.requestTrailers
    mapping.renumber(&answer)
    var merged = old
    merged.startedAt_us = new.startedAt_us
    merged.interims = answer.interims
    merged.response = answer.response
    (merged.outcome, merged.outcomeDetail) = (new.outcome, new.outcomeDetail)
    (merged.connection, merged.firstByte_us, merged.end_us) = (
      new.connection, new.firstByte_us, new.end_us
    )
    merged.notes = new.notes.union(old.notes.intersection([.redacted]))
    var content = now
    var stored = CassetteRewrite.Content(new.response?.body, in: newReader)
    if let bytes = now?.plain, let renumbered = mapping.renumbering(bytes),
      let fields = new.response?.head.fields,
      // What was decoded can be coded again.
      let coded = try? ContentReplacement.coded(renumbered, as: fields)
    {
      stored = .bytes(coded)
      merged.responseBodyChanged(length: coded.count)
      content = ComparedContent(text: renumbered, isJSON: now?.isJSON ?? false)
    }
    interaction = merged
    response = stored
    lines = InteractionComparison.answers(old, merged, before, content)
  }

  private static func placeholders(
    _ response: RecordedResponse?, _ content: ComparedContent?
  ) -> [String: [Int64]] {
    guard let response else { return [:] }
    var result: [String: [Int64]] = [:]
    for fields in [response.head.fields, response.trailers] {
      for index in fields.lines.indices {
        let found = Placeholder.places(in: Array(fields.value(at: index))).map(\.number)
        guard !found.isEmpty else { continue }
        let name = String(decoding: fields.name(at: index), as: UTF8.self).lowercased()
        result[name, default: []] += found
      }
    }
    let found = (content?.bytes.map(Placeholder.places) ?? []).map(\.number)
    if !found.isEmpty { result["", default: []] += found }
    return result
  }
}
