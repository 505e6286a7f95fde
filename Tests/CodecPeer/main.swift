import FixtureHTTP
import FixtureHTTP1
import FixtureInvariants

// Our codec as a peer for another one, over pipes: reads connections and says what it heard.
//
// A connection is given as a case of the codec's corpus is, without its transcript, and ended by an
// empty line: `request` or `response METHOD…`, lines of bytes behind `| `, `EOF` for the close. The
// answer is the transcript of all messages, the line `= ` with what `MessageEncoder` writes for
// those that were whole, and an empty line.

/// A connection as far as it was read.
struct Connection {
  /// nil for requests.
  var methods: [Method]?
  var input: [UInt8] = []
  var isClosed = false

  mutating func read(_ line: Substring) {
    if line.hasPrefix("response ") {
      methods = line.split(separator: " ").dropFirst().map { Method(Array($0.utf8)) }
    } else if line.hasPrefix("| ") {
      input += Escapes.decode(line.dropFirst(2))
    } else if line == "EOF" {
      isClosed = true
    }
  }

  func answer() throws(Violation) -> [String] {
    if let methods {
      try answer(Listener(AnswerParser(answering: methods)))
    } else {
      try answer(Listener(RequestParser()))
    }
  }

  private func answer<Parser>(_ listener: Listener<Parser>) throws(Violation) -> [String] {
    var listener = listener
    try listener.feed(input[...])
    if isClosed { try listener.close() }
    let written = Rewriting(listener.heard).bytes
    return listener.transcript + ["= " + Escapes.encode(written), ""]
  }
}

var connection = Connection()
while let line = readLine() {
  if line.isEmpty {
    print(try connection.answer().joined(separator: "\n"))
    connection = Connection()
  } else {
    connection.read(line[...])
  }
}
