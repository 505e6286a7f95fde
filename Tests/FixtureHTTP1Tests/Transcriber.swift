import FixtureHTTP
import FixtureHTTP1
import FixtureInvariants
import Testing

/// Feeds a parser of either role and writes down what it says, one line an event.
struct Transcriber {
  private enum Ears {
    case request(Listener<RequestParser>)
    case response(Listener<AnswerParser>)
  }

  private var ears: Ears

  /// - Parameter messageCount: the messages to read; what comes after them is left.
  init(_ role: CorpusCase.Role, messageCount: Int, limits: Limits = .init()) {
    switch role {
    case .request:
      ears = .request(Listener(RequestParser(limits: limits), messageCount: messageCount))
    case .response(let methods):
      let parser = AnswerParser(
        answering: methods.map { Method(Array($0.utf8)) }, limits: limits)
      ears = .response(Listener(parser, messageCount: messageCount))
    }
  }

  mutating func feed(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)[...]
    do throws(Violation) {
      switch ears {
      case .request(var listener):
        try listener.feed(bytes)
        ears = .request(listener)
      case .response(var listener):
        try listener.feed(bytes)
        ears = .response(listener)
      }
    } catch { Issue.record("\(error.text)") }
  }

  mutating func close() {
    do throws(Violation) {
      switch ears {
      case .request(var listener):
        try listener.close()
        ears = .request(listener)
      case .response(var listener):
        try listener.close()
        ears = .response(listener)
      }
    } catch { Issue.record("\(error.text)") }
  }

  /// The transcript, with what is left.
  func finish() -> [String] {
    switch ears {
    case .request(let listener): listener.transcript
    case .response(let listener): listener.transcript
    }
  }
}
