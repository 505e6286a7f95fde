import FixtureEventLoop
import FixtureExchange
import FixtureReplay

/// Tells one client of the control API of each exchange of a session that waits or settles, as
/// server-sent events. Confined to the control server's loop.
///
/// A client that reads slowly is told nothing until it has read: its place is a cursor in the
/// journal, so nothing is held for it, and what the journal dropped meanwhile is counted for it.
/// One that reads nothing at all is let go, so that it keeps no other from watching.
final class EventStream: TimerTarget {
  /// How often the journal is looked at. Exchanges pay nothing for being watched.
  private static let interval_ns: Int64 = 50_000_000
  /// How often those that wait are looked at again.
  private static let openInterval_ns: Int64 = 500_000_000
  /// So many of those, the latest.
  private static let openMax = 200
  /// With more open ones than this a place is too long to stand in each event.
  private static let placeOpenMax = 16
  /// A comment is sent after so long without an event, so that a client that left is noticed.
  private static let silence_ns: Int64 = 15_000_000_000
  /// How long a client may read nothing while much waits for it. One that comes back goes on where
  /// it was.
  private static let unreadMax_ns: Int64 = 15_000_000_000
  /// Written at once, about.
  private static let burstBytesMax = 64 << 10

  private let session: ServedSession
  private let sessions: SessionTable
  /// It holds the responder, which holds this.
  private unowned let connection: ServedConnection
  private let loop: EventLoop
  private var cursor: JournalCursor
  /// What was told of the exchanges that wait.
  private var open: [Int: Told] = [:]
  private var openTold_ns: Int64
  /// Exchanges up to this one were forgotten by resets, which the client knows of.
  private var reset: Int
  private let timer = LoopTimer()
  private var last_ns: Int64
  /// What waited for the client when it was last looked at; nil: it keeps up.
  private var unread: (bytes: Int, since_ns: Int64)?
  /// The client was told, or will be when it reads, that the session is over.
  private var isOver = false

  /// What changes of an exchange while it is open.
  private struct Told: Equatable {
    let isPlanned: Bool
    let bytesSent: Int64

    init(_ entry: JournalEntry) {
      isPlanned = entry.steps != nil
      bytesSent = entry.headBytesSent + entry.bodyBytesSent
    }
  }

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
    openTold_ns = loop.now_ns
    reset = session.journal.totals.exchangesBeforeReset
    timer.target = self
  }

  func begin() {
    cursor.begin(in: session.journal)
    cursor.skip(upTo: reset)
    var text: [UInt8] = []
    writeSession(to: &text)
    connection.send(text)
    advance()
  }

  /// The client left or the server ends.
  func end() { loop.disarm(timer) }

  func fired(_ timer: LoopTimer) {
    if isOver { connection.abort(reset: true) } else { advance() }
  }

  /// Tells of what has happened. To be called when a client that was slow has read, too.
  func advance() {
    guard !isOver else { return }
    guard sessions.isServed(session) else { return sayEnd() }
    guard !connection.isCongested else { return waitForReader() }
    unread = nil
    var text: [UInt8] = []
    let before = session.journal.totals.exchangesBeforeReset
    if before != reset {
      reset = before
      cursor.skip(upTo: reset)
      open = [:]
      writeSession(to: &text)
    }
    cursor.look(in: session.journal)
    while text.count < Self.burstBytesMax, let event = cursor.next(in: session.journal) {
      write(event, to: &text)
    }
    if !text.isEmpty, cursor.open.count > Self.placeOpenMax {
      text.append(contentsOf: "id: \(cursor)\n\n".utf8)
    }
    let hasMore = text.count >= Self.burstBytesMax
    if !hasMore, loop.now_ns - openTold_ns >= Self.openInterval_ns { writeOpen(to: &text) }
    if text.isEmpty, loop.now_ns - last_ns >= Self.silence_ns { text = Array(": \n\n".utf8) }
    loop.arm(timer, at: loop.now_ns + (hasMore ? 0 : Self.interval_ns))
    guard !text.isEmpty else { return }
    last_ns = loop.now_ns
    connection.send(text)
    connection.flush()
  }

  private func sayEnd() {
    isOver = true
    // Who does not read does not keep the connection.
    loop.arm(timer, at: loop.now_ns + Self.unreadMax_ns)
    connection.send(Array("event: end\ndata: {}\n\n".utf8))
    connection.end(.close)
    connection.flush()
  }

  /// Nothing can be told to it but by a reset, which it sees when it reads again.
  private func waitForReader() {
    let bytes = connection.heldCount
    let since_ns = unread.map { $0.bytes > bytes ? loop.now_ns : $0.since_ns } ?? loop.now_ns
    unread = (bytes, since_ns)
    let end_ns = since_ns + Self.unreadMax_ns
    guard loop.now_ns < end_ns else { return connection.abort(reset: true) }
    loop.arm(timer, at: end_ns)
  }

  private func writeSession(to text: inout [UInt8]) {
    text.append(contentsOf: "event: session\ndata: ".utf8)
    text.append(
      contentsOf: Self.json { json in
        json.object { json in
          json.member("id", session.id)
          json.member("began_us", session.beganAt_us)
          json.member("now_ms", (loop.now_ns - session.began_ns) / 1_000_000)
          json.member("first", Int64(reset + 1))
        }
      })
    text.append(contentsOf: "\n\n".utf8)
  }

  private func write(_ event: JournalCursor.Event, to text: inout [UInt8]) {
    switch event {
    case .begun(let entry):
      open[entry.number] = Told(entry)
      write("begun", json(entry), to: &text)
    case .exchange(let entry):
      open[entry.number] = nil
      write(nil, json(entry), to: &text)
    case .dropped(let count):
      write("dropped", Self.json { $0.object { $0.member("dropped", Int64(count)) } }, to: &text)
    }
  }

  /// Those of which more is known than was told.
  private func writeOpen(to text: inout [UInt8]) {
    openTold_ns = loop.now_ns
    for number in cursor.open.suffix(Self.openMax) {
      guard let entry = session.journal.entry(number), !entry.isSettled else { continue }
      let told = Told(entry)
      guard open.updateValue(told, forKey: number) != told else { continue }
      write("begun", json(entry), to: &text)
    }
    if open.count > JournalCursor.openMax {
      let numbers = Set(cursor.open)
      open = open.filter { numbers.contains($0.key) }
    }
  }

  private func write(_ name: StaticString?, _ data: [UInt8], to text: inout [UInt8]) {
    if let name { text.append(contentsOf: "event: \(name)\n".utf8) }
    if cursor.open.count <= Self.placeOpenMax { text.append(contentsOf: "id: \(cursor)\n".utf8) }
    text.append(contentsOf: "data: ".utf8)
    text.append(contentsOf: data)
    text.append(contentsOf: "\n\n".utf8)
  }

  private func json(_ entry: JournalEntry) -> [UInt8] {
    Self.json { entry.write(to: &$0, began_ns: session.began_ns, isWhole: false) }
  }

  private static func json(_ write: (inout JSONText) -> Void) -> [UInt8] {
    var json = JSONText()
    write(&json)
    return json.bytes
  }
}
