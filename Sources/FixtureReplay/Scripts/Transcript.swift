import FixtureCassette
import FixtureHTTP

/// A script or a play as text, one line a step.
///
/// Of a script: what each step waits for and does. Of a play: when each action was performed, since
/// whatever instant the caller counts from. Lines show everything that tells two values apart
/// except the bytes of bodies, which a script only names: equal transcripts mean equal plays.
package struct Transcript: Equatable, Sendable, CustomStringConvertible {
  package private(set) var lines: [String] = []

  /// An empty transcript of a play.
  package init() {}

  /// The script, its framing in the first line.
  package init(_ script: Script) {
    let source = script.interaction.map { "interaction \($0)" } ?? "no interaction"
    let persistence = script.persistence.transcript
    lines.append("\(source), framing \(script.framing.rawValue)\(persistence)")
    for step in script.steps { lines.append(step.description) }
  }

  /// Adds a line for an action, performed this long after the instant the caller counts from.
  package mutating func performed(_ action: Action, after_ns: Int64) {
    lines.append("\(PrintableText.milliseconds(ns: after_ns)) \(action)")
  }

  /// Adds a line for what happened to the play from outside, or what it waits for.
  package mutating func note(_ words: String, after_ns: Int64) {
    lines.append("\(PrintableText.milliseconds(ns: after_ns)) \(words)")
  }

  package var description: String { lines.joined(separator: "\n") }
}

extension Script: CustomStringConvertible {
  /// The script as a transcript.
  package var description: String { Transcript(self).description }
}

extension Step: CustomStringConvertible {
  /// `request end + 250ms: head 200 OK`.
  package var description: String {
    let delay =
      offset == .zero ? "" : " + \(PrintableText.milliseconds(ns: offset.saturatedNanoseconds))"
    return "\(anchor)\(delay): \(action)"
  }
}

extension Anchor: CustomStringConvertible {
  package var description: String {
    switch self {
    case .accept: "accept"
    case .requestHead: "request head"
    case .requestEnd: "request end"
    case .previous: "then"
    }
  }
}

extension Action: CustomStringConvertible {
  package var description: String {
    switch self {
    case .interim(let head): "interim \(Self.text(head))"
    case .head(let head): "head \(Self.text(head))"
    case .content(let slice): "content \(slice.transcript)"
    case .generated(let bytes): "generated \(PrintableText.of(bytes))"
    case .paced(let payload, let flow): "paced \(payload.transcript) \(flow.transcript)"
    case .send(let payload, let link): "send \(payload.transcript) via \(link.name)"
    case .headBeginning(let head): "head beginning \(Self.text(head))"
    case .headRest: "head rest"
    case .raw(let bytes): "raw \(PrintableText.of(bytes))"
    case .malform(let malformation): "malformed \(malformation.rawValue)"
    case .wait(let gate): "wait for \(gate.name)"
    case .trailers(let fields): "trailers\(Self.text(fields))"
    case .end: "end"
    case .close: "close"
    case .reset: "reset"
    }
  }

  private static func text(_ head: ResponseHead) -> String {
    let reason = PrintableText.of(head.reason, escaping: "|")
    let status = reason.isEmpty ? "\(head.status)" : "\(head.status) \(reason)"
    let version = head.version == .http11 ? "" : "\(head.version.description) "
    return "\(version)\(status)\(text(head.fields))"
  }

  private static func text(_ fields: FieldSection) -> String {
    var text = ""
    for index in 0..<fields.count {
      text += " | \(PrintableText.of(fields.line(at: index).dropLast(2), escaping: "|"))"
    }
    return text
  }
}

extension BodySlice {
  /// `body 3 at 0..<12`.
  fileprivate var transcript: String { "body \(body) at \(range)" }
}

extension Payload {
  fileprivate var transcript: String {
    switch self {
    case .stored(let slice): slice.transcript
    case .made(let bytes): "made \(PrintableText.of(bytes))"
    }
  }
}

extension Flow {
  /// `100KB/s`, `1B/600ms from 12`.
  var transcript: String {
    let pace =
      switch kind {
      case .rate(let rate): RuleUnits.text(rate)
      case .trickle(let size, every: let time): "\(RuleUnits.text(size))/\(RuleUnits.text(time))"
      case .pieces(let count, of: let size, over: let time):
        "\(count) pieces of \(size) over \(RuleUnits.text(time))"
      }
    let capped = cap.map { "\(pace) capped \(RuleUnits.text($0))" } ?? pace
    return start == 0 ? capped : "\(capped) from \(start)"
  }
}

extension Script.Persistence {
  fileprivate var transcript: String {
    switch self {
    case .asAsked: ""
    case .ends: ", then the connection ends"
    case .idle(let time): ", idle at most \(RuleUnits.text(time))"
    }
  }
}
