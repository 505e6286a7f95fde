import FixtureCassette
import FixtureEventLoop
import Synchronization

/// Redacts what is stored and what is told of it, in the order in which exchanges end. Confined to
/// the recorder's loop.
///
/// A large content takes a while: that is done on a thread of its own, so that it delays nobody's
/// bytes but its own last ones. What ends meanwhile waits for its turn there.
final class Redaction {
  /// An interaction that is ready to be stored.
  struct Prepared: Sendable {
    let draft: InteractionDraft
    /// What the cassette says about itself from now on; nil when that does not change.
    let description: CassetteDescription?
  }

  private let work: Work
  private let loop: EventLoop
  private let onPrepared: (Prepared) -> Void
  private var thread: LoopThread?
  /// How many the thread was given and has not given back.
  private var underWay = 0

  /// - Parameter onPrepared: called for each interaction, in order.
  init(
    _ configuration: RecordConfiguration, _ file: RecordFile.Opened, on loop: EventLoop,
    onPrepared: @escaping (Prepared) -> Void
  ) {
    work = Work(configuration, file)
    self.loop = loop
    self.onPrepared = onPrepared
  }

  deinit {
    thread?.stop()
  }

  /// Redacts an interaction, and tells of it.
  /// - Parameter exceptions: the contents that were too large to come here.
  func perform(
    _ draft: InteractionDraft, _ exceptions: [Redactor.Exception], responseCount: Int64
  ) {
    let isLarge = draft.contentBytes > Self.inPlaceBytesMax && work.isOn
    guard underWay > 0 || isLarge, let thread = startedThread() else {
      return onPrepared(work.prepared(draft, exceptions, responseCount: responseCount))
    }
    underWay += 1
    let bound = LoopReference(self, on: loop)
    let (work, handle) = (work, loop.handle)
    thread.handle.post {
      let prepared = work.prepared(draft, exceptions, responseCount: responseCount)
      handle.post { bound.object?.finished(prepared) }
    }
  }

  private func finished(_ prepared: Prepared) {
    underWay -= 1
    onPrepared(prepared)
  }

  /// nil when there can be none: then it is done in place.
  private func startedThread() -> LoopThread? {
    if let thread { return thread }
    do throws(SystemError) {
      thread = try LoopThread.start(name: "redact") { _ in }
    } catch {
      work.onError("large content is redacted without a thread of its own: \(error)")
    }
    return thread
  }

  /// Learns the secrets in the heads of an interaction whose content is handed on before it ends.
  func learn(from interaction: Interaction) { work.learn(from: interaction) }

  /// Whether a secret that is known is spelled in a text. Waits for what is being redacted.
  func holdsSecret(_ text: UnsafeRawBufferPointer) -> Bool { work.holdsSecret(text) }

  /// How many links to each origin stood in the contents so far.
  var contentLinks: [String: Int] { work.contentLinks }

  /// A line about a response that is under way; nil while something else is being redacted.
  func progress(_ interaction: Interaction, responseCount: Int64) -> String? {
    work.progress(interaction, responseCount: responseCount)
  }

  /// About a millisecond's worth.
  private static let inPlaceBytesMax = 64 << 10
}

/// The redactor, for whichever thread has the next interaction.
private final class Work: Sendable {
  private struct State {
    /// nil: nothing is redacted.
    var redactor: Redactor?
    /// What the file says of itself, and what it has to say.
    var storedDescription: CassetteDescription
    var description: CassetteDescription
    /// In content that was held.
    var links = ContentLinks()

    /// What is redacted, and the placeholders in use, belong to the file from the moment it holds
    /// an interaction that they matter to.
    mutating func changedDescription() -> CassetteDescription? {
      if let redactor {
        description.redactedCount = redactor.count
        description.textNumbers = redactor.textNumbers
      }
      guard description != storedDescription else { return nil }
      storedDescription = description
      return description
    }
  }

  let isOn: Bool
  let onError: @Sendable (String) -> Void
  private let state: Mutex<State>
  private let storesUnredacted: Bool
  private let onExchange: (@Sendable (String) -> Void)?

  init(_ configuration: RecordConfiguration, _ file: RecordFile.Opened) {
    let redactor = configuration.redactions.map {
      Redactor(
        rules: $0, count: file.description.redactedCount, texts: configuration.texts,
        textNumbers: file.description.textNumbers)
    }
    state = Mutex(
      State(
        redactor: redactor, storedDescription: file.storedDescription,
        description: file.description))
    isOn = redactor != nil
    storesUnredacted = configuration.storesUnredacted
    onExchange = configuration.onExchange
    onError = configuration.onError
  }

  func prepared(
    _ draft: InteractionDraft, _ exceptions: [Redactor.Exception], responseCount: Int64
  ) -> Redaction.Prepared {
    var draft = draft
    var exceptions = exceptions
    let description = state.withLock { state in
      var links = ContentLinks()
      swap(&links, &state.links)
      if state.redactor == nil {
        draft.readResponseText { links.read($0) }
      } else {
        exceptions +=
          state.redactor?.redact(&draft, storesUnredacted: storesUnredacted) { links.read($0) }
          ?? []
      }
      state.links = links
      return state.changedDescription()
    }
    onExchange?(ExchangeLine.text(draft.interaction, responseCount: responseCount))
    for exception in exceptions {
      onError(
        "interaction \(draft.interaction.id): its \(exception.side.rawValue) content "
          + "\(exception.omission.reason), "
          + (storesUnredacted
            ? "stored as it is (--store-unredacted)"
            : "not stored: --store-unredacted stores it as it is"))
    }
    return Redaction.Prepared(draft: draft, description: description)
  }

  func learn(from interaction: Interaction) {
    state.withLock { state in
      var interaction = interaction
      state.redactor?.redact(&interaction)
    }
  }

  func holdsSecret(_ text: UnsafeRawBufferPointer) -> Bool {
    state.withLock { $0.redactor?.holdsKnown(text) ?? false }
  }

  var contentLinks: [String: Int] { state.withLock { $0.links.counts } }

  func progress(_ interaction: Interaction, responseCount: Int64) -> String? {
    state.withLockIfAvailable { state in
      var interaction = interaction
      // What it would learn is learnt again at the end.
      var redactor = state.redactor
      redactor?.redact(&interaction)
      return ExchangeLine.progress(interaction, responseCount: responseCount)
    }
  }
}

extension InteractionDraft {
  fileprivate var contentBytes: Int {
    [requestBody, responseBody].reduce(0) { sum, body in
      if case .bytes(let bytes) = body { sum + bytes.count } else { sum }
    }
  }
}
