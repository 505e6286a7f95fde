import FixtureEventLoop
import FixtureHTTP
import FixtureReplay

/// What a connection says of its exchanges in the journal of its session, if that keeps one.
extension ServedConnection {
  /// The open exchange and what was queued of its response. A class, so that nothing of it is
  /// copied when a part of it changes.
  final class Journaled {
    let journal: Journal
    var entry: JournalEntry
    /// Bytes of heads. They come before any body.
    var headCount: Int64 = 0
    /// All bytes that have left.
    var written: Int64 = 0
    /// When the client closed its side; nil while it has not.
    var clientFinished_ns: Int64?

    init(_ journal: Journal, _ entry: JournalEntry) {
      self.journal = journal
      self.entry = entry
    }
  }

  func noteBegin(_ request: RequestHead) {
    guard let journal = context.journal else { return }
    journaled = Journaled(journal, journal.begin(beginning(request)))
  }

  private func beginning(_ request: RequestHead) -> JournalEntry.Beginning {
    JournalEntry.Beginning(
      request, connection: number, ordinal: Int(exchangeCount), received_ns: loop.now_ns,
      receivedAt_us: context.date_us)
  }

  /// Answers a request that was just read; its exchange begins in the journal when it is settled.
  ///
  /// What the journal has is final before the client can have the last byte: so it is said that all
  /// went well before that is known, and taken back if it did not.
  func answer(
    _ known: KnownRequest, _ image: AnswerImage, _ head: AnsweredHead, in journal: Journal
  ) {
    guard output.isEmpty else {
      var entry = JournalEntry(beginning(known.asked.request))
      entry.source = known.asked.source
      entry.requestEnd_ns = loop.now_ns
      return answer(image, head, entry, in: journal)
    }
    finalHeadQueued = true
    var exchange = PlainExchange(
      known.asked, head, connection: number, ordinal: Int(exchangeCount), at_ns: loop.now_ns,
      at_us: context.date_us, bodyBytesSent: image.count - head.byteCount)
    let settlement = journal.settle(&exchange)
    switch image {
    case .bytes(let bytes):
      let result = bytes.withUnsafeBytes { Socket.write(descriptor, $0) }
      if case .bytes(bytes.count) = result {
        journal.finish(exchange, settlement)
        return finish(.complete(keepsAlive: true))
      }
      takeBack(JournalEntry(exchange), settlement, in: journal, head, bytes, result)
    case .queue(let queue):
      output = queue
      let result = context.bodies.write(&output, to: descriptor)
      if case .written = result {
        journal.finish(exchange, settlement)
        return finish(.complete(keepsAlive: true))
      }
      takeBack(
        JournalEntry(exchange), settlement, in: journal, head, written: queue.count - output.count)
      ending = .complete(keepsAlive: true)
      // What became of it is seen again.
      flush()
    }
  }

  /// Answers a request whose exchange was begun.
  func answer(_ image: AnswerImage, _ head: AnsweredHead, _ journaled: Journaled) {
    self.journaled = nil
    answer(image, head, journaled.entry, in: journaled.journal)
  }

  /// The same for one that is not plain.
  private func answer(
    _ image: AnswerImage, _ head: AnsweredHead, _ open: JournalEntry, in journal: Journal
  ) {
    let moment = JournalEntry.Moment(due_ns: loop.now_ns, done_ns: loop.now_ns)
    var entry = open
    entry.response = head.response
    entry.head = moment
    entry.last = moment
    guard case .bytes(let bytes) = image, output.isEmpty else {
      if entry.number == 0 { journal.begin(&entry) }
      goOn(Journaled(journal, entry), head)
      return answer(image)
    }
    finalHeadQueued = true
    entry.headBytesSent = head.byteCount
    entry.bodyBytesSent = Int64(bytes.count) - head.byteCount
    entry.end(.completed, at: loop.now_ns)
    let settlement = journal.settle(&entry)
    let result = bytes.withUnsafeBytes { Socket.write(descriptor, $0) }
    if case .bytes(bytes.count) = result {
      journal.finish(entry, settlement)
      return finish(.complete(keepsAlive: true))
    }
    takeBack(entry, settlement, in: journal, head, bytes, result)
  }

  /// The kernel did not take all of an answer.
  private func takeBack(
    _ settled: JournalEntry, _ settlement: Journal.Settlement, in journal: Journal,
    _ head: AnsweredHead, _ bytes: [UInt8], _ result: IOResult
  ) {
    var count = 0
    if case .bytes(let written) = result { count = written }
    takeBack(settled, settlement, in: journal, head, written: Int64(count))
    switch result {
    case .bytes, .wouldBlock: answerQueued(bytes, from: count)
    case .finished, .failed: abort()
    }
  }

  private func takeBack(
    _ settled: JournalEntry, _ settlement: Journal.Settlement, in journal: Journal,
    _ head: AnsweredHead, written: Int64
  ) {
    var entry = settled
    entry.headBytesSent = min(written, head.byteCount)
    entry.bodyBytesSent = written - entry.headBytesSent
    entry.outcome = .open
    entry.end_ns = nil
    entry.isSettled = false
    journal.reopen(entry, settlement)
    goOn(Journaled(journal, entry), head)
    journaled?.written = written
  }

  private func goOn(_ journaled: Journaled, _ head: AnsweredHead) {
    journaled.headCount = head.byteCount
    self.journaled = journaled
  }

  func note(content bytes: UnsafeRawBufferPointer) {
    journaled?.entry.append(bytes)
  }

  func noteRequestEnd() {
    guard let journaled else { return }
    journaled.entry.requestEnd_ns = loop.now_ns
    if !journaled.entry.content.isEmpty { publish() }
  }

  /// What the journal has of the open exchange; nil without one.
  package var entry: JournalEntry? { journaled?.entry }

  /// It was decided what answers the open exchange.
  func note(plan: Plan) { journaled?.entry.planned(plan) }

  /// The answer of the open exchange waits for something.
  func note(waiting script: Script) {
    journaled?.entry.steps = script.steps
    publish()
  }

  /// An action was performed, which queued so many bytes.
  func note(_ action: Action, queued count: Int64, due_ns: Int64) {
    guard let journaled else { return }
    let moment = JournalEntry.Moment(due_ns: due_ns, done_ns: loop.now_ns)
    if action.beginsHead { journaled.entry.head = moment }
    journaled.entry.last = moment
    switch action {
    case .interim, .headRest: noteHead(nil, count)
    case .head(let head), .headBeginning(let head): noteHead(head, count)
    case .malform, .content, .generated, .paced, .send, .wait, .raw, .trailers, .end, .close,
      .reset:
      break
    }
  }

  /// A head was queued, or a part of one.
  func noteHead(_ head: ResponseHead?, _ count: Int64) {
    guard let journaled else { return }
    journaled.headCount += count
    if let head { journaled.entry.response = head }
  }

  /// What was performed last is with the kernel: later than it was performed, if the client was
  /// slow to read.
  func noteSent() { journaled?.entry.last?.done_ns = loop.now_ns }

  /// The plan was moved so often by such a client.
  func note(rebases: Int) {
    if rebases > 0 { journaled?.entry.rebases = rebases }
  }

  /// All that is queued is about to be written: said beforehand, because the client may have it
  /// before the call returns.
  func noteBeforeWriting() {
    guard let journaled else { return }
    noteCounts(
      written: journaled.written + output.count, isLast: ending?.isComplete ?? false)
  }

  /// - Parameter count: how many bytes have left.
  func noteWritten(_ count: Int64) {
    guard let journaled else { return }
    journaled.written += count
    if output.isEmpty { return }
    noteCounts(written: journaled.written, isLast: false)
  }

  private func noteCounts(written: Int64, isLast: Bool) {
    guard let journaled else { return }
    let head = min(written, journaled.headCount)
    journaled.entry.headBytesSent = head
    journaled.entry.bodyBytesSent = written - head
    journaled.entry.outcome = isLast ? .completed : .open
    journaled.entry.end_ns = isLast ? loop.now_ns : nil
    publish()
  }

  private func publish() {
    if let journaled { journaled.journal.note(journaled.entry) }
  }

  /// The client closed its side. If it turns out that it has left, it did so now.
  func noteClientFinished() { journaled?.clientFinished_ns = loop.now_ns }

  /// The exchange is over.
  func noteEnd(_ outcome: JournalEntry.Outcome) {
    guard let journaled else { return }
    var end_ns = loop.now_ns
    if outcome == .aborted {
      journaled.entry.departure = clientFinished ? .closed : .reset
      // It got a while to show that it reads on: that was no time of its own.
      end_ns = journaled.clientFinished_ns ?? end_ns
    }
    journaled.entry.end(outcome, at: end_ns)
    publish()
    self.journaled = nil
  }
}
