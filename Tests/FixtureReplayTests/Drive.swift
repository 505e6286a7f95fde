import FixtureCassette
import FixtureReplay

/// Something that happens to a play from outside, at an instant in milliseconds.
enum Event {
  case requestEnd
  case open(Gate)
  case grant(Int64, Link)
  /// Whatever is performed from now on takes this long to write, in milliseconds.
  case slow(Int64)
}

/// Performs a script with events at their instants and time that jumps to the next thing to do.
///
/// The request head was read at 0, the connection accepted 10 ms before. Each line of the
/// transcript says when an action was performed or what the play began to wait for.
func drive(_ script: Script, _ events: [(ms: Int64, event: Event)] = [(0, .requestEnd)])
  -> (transcript: Transcript, rebases: Int)
{
  var playhead = Playhead(script: script, accepted_ns: -10_000_000, requestHead_ns: 0)
  var transcript = Transcript()
  var events = events
  var now_ns: Int64 = 0
  var slow_ns: Int64 = 0
  for _ in 0..<1000 {
    while let next = events.first, next.ms * 1_000_000 <= now_ns {
      events.removeFirst()
      switch next.event {
      case .requestEnd: playhead.requestEnded(at: now_ns)
      case .open(let gate): playhead.open(gate, at: now_ns)
      case .grant(let count, let link): playhead.grant(count, on: link)
      case .slow(let ms): slow_ns = ms * 1_000_000
      }
    }
    let upcoming = events.first.map { $0.ms * 1_000_000 }
    switch playhead.next(at: now_ns) {
    case .perform(let action):
      transcript.performed(action, after_ns: now_ns)
      now_ns += slow_ns
      playhead.performed(at: now_ns)
    case .waitUntil(let due_ns):
      now_ns = min(due_ns, upcoming ?? due_ns)
    case .waitForRequestEnd:
      guard let upcoming else { return (transcript.noting("waits for request end", now_ns), 0) }
      now_ns = upcoming
    case .waitFor(let gate):
      transcript.note("waits for \(gate.name)", after_ns: now_ns)
      guard let upcoming else { return (transcript, playhead.rebases) }
      now_ns = upcoming
    case .waitForGrant(let link, let count):
      transcript.note("waits for \(count) B of \(link.name)", after_ns: now_ns)
      guard let upcoming else { return (transcript, playhead.rebases) }
      now_ns = upcoming
    case .finished:
      return (transcript, playhead.rebases)
    }
  }
  return (transcript.noting("does not end", now_ns), playhead.rebases)
}

/// The transcript's text alone.
func transcript(
  _ script: Script, _ events: [(ms: Int64, event: Event)] = [(0, .requestEnd)]
) -> String {
  drive(script, events).transcript.description
}

extension Transcript {
  func noting(_ words: String, _ now_ns: Int64) -> Transcript {
    var copy = self
    copy.note(words, after_ns: now_ns)
    return copy
  }
}
