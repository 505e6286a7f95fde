import FixtureCassette
import FixtureCoding
import FixtureHTTP
import FixtureRecorder
import FixtureStore

/// Which recorded requests are asked again, of whom, and which are not.
struct AskPlan {
  struct Asked {
    let id: Int64
    /// The place of its upstream in `upstreams`.
    let upstream: Int
    let request: AskedRequest
    /// The recorded target, without the numbers of its placeholders.
    let maskedTarget: [UInt8]
  }

  struct Skipped {
    let id: Int64
    let reason: String
  }

  /// In the order of the cassette's.
  private(set) var upstreams: [RecordOptions.Upstream] = []
  private(set) var asked: [Asked] = []
  private(set) var skipped: [Skipped] = []
  /// Requests that may change something are never asked again.
  private(set) var unsafeCount = 0
  /// The secrets that were supplied, to be looked for in what is answered.
  private(set) var texts: [TextSecrets] = []

  /// Why nothing can be asked.
  enum Refusal: Error {
    case usage(UsageError)
    case secret(SuppliedSecret.Missing)
    case store(StoreError)
  }

  init(
    _ options: AskOptions, _ reader: CassetteReader, command: CommandName
  ) throws(Refusal) {
    do throws(UsageError) {
      upstreams = try Self.upstreams(options, reader.description.upstreams, command)
    } catch {
      throw .usage(error)
    }
    let secrets: SuppliedSecrets
    do throws(SuppliedSecret.Missing) {
      secrets = try SuppliedSecrets(options.secrets)
    } catch {
      throw .secret(error)
    }
    texts = secrets.texts
    let names = reader.description.upstreams.map(\.name)
    do throws(StoreError) {
      for id in try reader.interactionIDs() {
        try add(try reader.interaction(id: id), options, secrets, names, reader)
      }
    } catch {
      throw .store(error)
    }
    // A pattern that is misspelled would let everything pass.
    guard options.only == nil || !asked.isEmpty || !skipped.isEmpty || unsafeCount > 0 else {
      throw .usage(
        UsageError(
          .valueRefused(
            .only, reason: "it meets no request of the cassette: fixtured inspect lists them"),
          in: command))
    }
  }

  private static func upstreams(
    _ options: AskOptions, _ recorded: [CassetteDescription.Upstream], _ command: CommandName
  ) throws(UsageError) -> [RecordOptions.Upstream] {
    var upstreams: [RecordOptions.Upstream] = []
    if recorded.count == 1, options.upstreams.count == 1 { return options.upstreams }
    for given in options.upstreams where !recorded.contains(where: { $0.name == given.name }) {
      let names = recorded.compactMap(\.name).joined(separator: ", ")
      throw UsageError(
        .valueRefused(.upstream, reason: "the cassette's upstreams are \(names): write NAME=URL"),
        in: command)
    }
    for upstream in recorded {
      if let given = options.upstreams.first(where: { $0.name == upstream.name }) {
        upstreams.append(given)
        continue
      }
      do throws(BaseURLError) {
        upstreams.append(
          RecordOptions.Upstream(name: upstream.name, url: try BaseURL(parsing: upstream.url)))
      } catch {
        throw UsageError(.optionMissing(.upstream), in: command)
      }
    }
    return upstreams
  }

  private mutating func add(
    _ interaction: Interaction, _ options: AskOptions, _ secrets: SuppliedSecrets,
    _ names: [String?], _ reader: CassetteReader
  ) throws(StoreError) {
    var head = interaction.request
    if let only = options.only, !only.matches(head) { return }
    guard [.get, .head, .options].contains(head.method) else {
      unsafeCount += 1
      return
    }
    func skip(_ reason: String) {
      skipped.append(Skipped(id: interaction.id, reason: reason))
    }
    guard let upstream = names.firstIndex(of: interaction.upstream) else {
      return skip("its upstream is none of the cassette's")
    }
    if interaction.outcome == .cancelled { return skip("the client had left before the answer") }
    if interaction.notes.contains(.requestCut) { return skip("its content was not recorded whole") }
    let left = secrets.fill(&head)
    guard left.isEmpty else {
      let places = left.joined(separator: ", ")
      return skip(
        "redacted: \(places.escapedForTerminal), supply it with --with "
          + "'\(left[0].escapedForTerminal): env:VARIABLE'")
    }
    var content: [UInt8]?
    if let body = interaction.requestBody {
      guard body.size <= Self.contentBytesMax else { return skip("its content is too large") }
      content = try reader.bytes(of: body, from: 0, bytesMax: Self.contentBytesMax)
      let plain = try reader.comparedContent(body, of: head.fields)?.plain ?? content ?? []
      guard Placeholder.places(in: plain).isEmpty else { return skip("its content is redacted") }
    }
    asked.append(
      Asked(
        id: interaction.id, upstream: upstream, request: AskedRequest(head, content: content),
        maskedTarget: Placeholder.masking(interaction.request.target)))
  }

  /// Requests that only ask hardly ever have content.
  private static let contentBytesMax = 16 << 20
}
