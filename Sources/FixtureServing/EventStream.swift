import FixtureEventLoop
import FixtureExchange
import FixtureReplay

/// Tells one client of the control API of each exchange of a session that settles, as server-sent
/// events. Confined to the control server's loop.
///
/// A client that reads slowly is told nothing until it has read: its place is a cursor in the
/// journal, so nothing is held for it, and what the journal dropped meanwhile is counted for it.
final class EventStream: TimerTarget {
  /// How often the journal is looked at. Exchanges pay nothing for being watched.
  private static let interval_ns: Int64 = 50_000_000
  /// A comment is sent after so long without an event, so that a client that left is noticed.
  private static let silence_ns: Int64 = 15_000_000_000
  /// Written at once, about.
  private static let burstBytesMax = 64 << 10

  private let session: ServedSession
  private let sessions: SessionTable
  /// It holds the responder, which holds this.
  private unowned let connection: ServedConnection
  private let loop: EventLoop
  private var cursor: JournalCursor
  private let timer = LoopTimer()
  private var last_ns: Int64

  init(
    _ session: ServedSession, of sessions: SessionTable, from cursor: JournalCursor,
    to connection: ServedConnection
  ) {
    self.session = session
    self.sessions = sessions
    self.cursor = cursor
    self.connection = connection
    loop = connection.loop
    last_ns = loop.now_ns
    timer.target = self
  }

  func begin() { advance() }

  /// The client left or the server ends.
  func end() { loop.disarm(timer) }

  func fired(_ timer: LoopTimer) { advance() }

  /// Tells of what has settled. To be called when a client that was slow has read, too.
  func advance() {
    guard sessions.isServed(session) else {
      send("event: end\ndata: {}\n\n")
      connection.end(.close)
      return connection.flush()
    }
    guard !connection.isCongested else { return }
    var text: [UInt8] = []
    while text.count < Self.burstBytesMax, let event = cursor.next(in: session.journal) {
      write(event, to: &text)
    }
    let hasMore = text.count >= Self.burstBytesMax
    if text.isEmpty, loop.now_ns - last_ns >= Self.silence_ns { text = Array(": \n\n".utf8) }
    loop.arm(timer, at: loop.now_ns + (hasMore ? 0 : Self.interval_ns))
    guard !text.isEmpty else { return }
    last_ns = loop.now_ns
    connection.send(text)
    connection.flush()
  }

  private func write(_ event: JournalCursor.Event, to text: inout [UInt8]) {
    var json = JSONText()
    var name = ""
    switch event {
    case .exchange(let entry):
      entry.write(to: &json, began_ns: session.began_ns, isWhole: false)
    case .dropped(let count):
      name = "event: dropped\n"
      json.object { $0.member("dropped", Int64(count)) }
    }
    text.append(contentsOf: "\(name)id: \(cursor)\ndata: ".utf8)
    text.append(contentsOf: json.bytes)
    text.append(contentsOf: "\n\n".utf8)
  }

  private func send(_ text: String) { connection.send(Array(text.utf8)) }
}
