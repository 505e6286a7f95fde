import FixtureHTTP
import FixtureReplay

/// What a connection says of its exchanges in the log of its server, if that keeps one.
extension ServedConnection {
  /// The open exchange and what was queued of its response.
  struct Logged {
    let log: ExchangeLog
    let number: Int
    /// Bytes of heads. They come before any body.
    var headCount: Int64 = 0
    /// All bytes that have left.
    var written: Int64 = 0
  }

  func logBegins(_ request: RequestHead) {
    guard let log = context.log else { return }
    logged = Logged(
      log: log, number: log.begin(request, connection: number, at: ContinuousClock.now))
  }

  func logContent(_ bytes: UnsafeRawBufferPointer) {
    guard let logged else { return }
    logged.log.append(bytes, to: logged.number)
  }

  /// What the log has of the open exchange; nil without a log, and when it was dropped there.
  package var entry: ExchangeEntry? { logged.flatMap { $0.log.entry($0.number) } }

  /// It was decided what answers the open exchange.
  func logPlan(_ plan: Plan) {
    guard let logged else { return }
    logged.log.update(logged.number) { entry in
      switch plan {
      case .play(let play): entry.interaction = play.id
      case .ruled(let answer):
        entry.interaction = answer.play?.id
        entry.rules = answer.rules
      case .miss: entry.isMiss = true
      case .needsContent: break
      }
    }
  }

  /// An action was performed, which queued so many bytes.
  func logAction(_ action: Action, queued count: Int64) {
    guard logged != nil else { return }
    switch action {
    case .interim, .headRest: logHead(nil, count)
    case .head(let head), .headBeginning(let head): logHead(head.status, count)
    case .malform, .content, .generated, .paced, .send, .wait, .raw, .trailers, .end, .close,
      .reset:
      break
    }
  }

  /// A head was queued, or a part of one.
  func logHead(_ status: Int?, _ count: Int64) {
    logged?.headCount += count
    guard let logged, let status else { return }
    logged.log.update(logged.number) { $0.status = status }
  }

  /// All that is queued is about to be written: said beforehand, because the client may have it
  /// before the call returns.
  func logBeforeWriting() {
    guard let logged else { return }
    logCounts(logged, written: logged.written + output.count, isLast: ending?.isComplete ?? false)
  }

  /// - Parameter count: how many bytes have left.
  func logWritten(_ count: Int64) {
    logged?.written += count
    guard let logged, !output.isEmpty else { return }
    logCounts(logged, written: logged.written, isLast: false)
  }

  private func logCounts(_ logged: Logged, written: Int64, isLast: Bool) {
    let head = min(written, logged.headCount)
    logged.log.update(logged.number) { entry in
      entry.headBytesSent = head
      entry.bodyBytesSent = written - head
      entry.outcome = isLast ? .completed : .open
    }
  }

  /// The exchange is over.
  func logEnds(_ outcome: ExchangeEntry.Outcome) {
    guard let logged else { return }
    self.logged = nil
    logged.log.update(logged.number) { entry in
      entry.outcome = outcome
      entry.isSettled = true
    }
  }
}
