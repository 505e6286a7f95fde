import FixtureEventLoop
import FixtureExchange
import FixtureReplay

/// The ways in which a responder answers.
extension ServedConnection {
  /// Performs a script as the answer.
  package func play(_ script: Script, client: ClientFacts, requestEnd_ns: Int64?) {
    if case .idle(let time) = script.persistence { idleMax_ns = time.saturatedNanoseconds }
    player = Player(
      playhead: Playhead(
        script: script, accepted_ns: accepted_ns, requestHead_ns: requestHead_ns,
        requestEnd_ns: requestEnd_ns),
      sink: WireSink(
        client: client, framing: script.framing,
        keepsAlive: requestState == .ended && script.persistence != .ends && !context.isEnding))
    let begun = journaled
    advancePlay()
    // What waits can be looked at; most answers are given by now, and pay nothing for it.
    if let begun, begun === journaled, player != nil { note(waiting: script) }
  }

  /// Answers with a complete response in its wire form.
  /// - Parameter head: what the journal says of its head; nil when none is kept.
  /// - Precondition: the request was read to its end and the client keeps the connection.
  package func answer(_ image: AnswerImage, _ head: AnsweredHead? = nil) {
    if let head, let journaled { return answer(image, head, journaled) }
    switch image {
    case .bytes(let bytes): answer(bytes)
    case .queue(let output): answer(output)
    }
  }

  private func answer(_ image: [UInt8]) {
    finalHeadQueued = true
    guard output.isEmpty else { return answerQueued(image, from: 0) }
    switch image.withUnsafeBytes({ Socket.write(descriptor, $0) }) {
    case .bytes(image.count): finish(.complete(keepsAlive: true))
    case .bytes(let count): answerQueued(image, from: count)
    case .wouldBlock: answerQueued(image, from: 0)
    case .finished, .failed: abort()
    }
  }

  func answerQueued(_ image: [UInt8], from written: Int) {
    output.append(image)
    output.advance(by: Int64(written))
    ending = .complete(keepsAlive: true)
    flush()
  }

  private func answer(_ image: OutputQueue) {
    finalHeadQueued = true
    if output.isEmpty { output = image } else { output.append(contentsOf: image) }
    ending = .complete(keepsAlive: true)
    flush()
  }
}
