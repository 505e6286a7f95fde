import FixtureCassette
import FixtureHTTP

extension Miss: CustomStringConvertible {
  /// What, where, what to do: a line for the request, one for each recording that is near, and one
  /// for what to do. Printable ASCII but for the line breaks.
  package var description: String {
    var lines = ["\(request)\(place) \(reason.words)"]
    for recording in nearest { lines.append("  \(recording)") }
    lines.append("  \(advice)")
    return lines.joined(separator: "\n")
  }

  /// The same in one line, for a summary.
  package var brief: String {
    var line = "\(request)\(place) \(reason.words)"
    if let nearest = nearest.first, !nearest.differences.isEmpty {
      line += ", nearest is \(nearest)"
    }
    if let option { line += "; \(option)" }
    return line
  }

  /// Method and target in printable ASCII.
  var request: String {
    "\(PrintableText.of(method.bytes)) \(PrintableText.of(Self.shown(target)))"
  }

  /// Enough of a target to recognize it.
  static func shown(_ target: [UInt8]) -> [UInt8] {
    target.count <= targetBytesMax ? target : target[..<targetBytesMax] + Array("...".utf8)
  }

  private static let targetBytesMax = 512

  private var place: String { upstream.map { " of \($0)" } ?? "" }

  /// What to do about it.
  var advice: String {
    switch reason {
    case .notRecorded, .differs:
      guard let option, let nearest = nearest.first else { return "record it with \(command)" }
      return "replay with \(option) to get interaction \(nearest.interaction), "
        + "or record it with \(command)"
    case .exhausted:
      return "replay with --exhausted repeat or --exhausted cycle, or start the replay again"
    case .partial: return "record it with a client that has nothing of it yet, with \(command)"
    case .contentOmitted: return "record it again so that its content is stored"
    case .ambiguous:
      let option = option(changing: "-authority")
      return "send one of them as Host, or replay with \(option) to take them in recorded order"
    }
  }
}

extension Miss.Reason {
  /// What is wrong, as the end of a sentence that begins with the request.
  var words: String {
    switch self {
    case .notRecorded: "is not in the cassette"
    case .differs(let recordings): "is recorded \(times(recordings)), not as it was asked"
    case .exhausted(1): "is recorded 1 time, already used"
    case .exhausted(2): "is recorded 2 times, both used"
    case .exhausted(let recordings): "is recorded \(recordings) times, all used"
    case .contentOmitted(let interaction):
      "is interaction \(interaction), whose content was not stored"
    case .ambiguous(let authorities):
      "is recorded for \(authorities.map { PrintableText.of($0) }.joined(separator: " and ")), "
        + "and its Host names none of them"
    case .partial(let recordings):
      "is recorded \(times(recordings)), only in other parts or for a client that had it"
    }
  }

  private func times(_ count: Int) -> String { count == 1 ? "1 time" : "\(count) times" }
}

extension Miss.Nearest: CustomStringConvertible {
  /// The recording and what differs.
  package var description: String {
    let request = "\(PrintableText.of(method.bytes)) \(PrintableText.of(Miss.shown(target)))"
    let place = "interaction \(interaction) \(request)"
    if differences.isEmpty { return "\(place), used" }
    var parts = differences.first.map(\.text)
    let more = differences.count - parts.count
    if differences.count >= Differences.countMax {
      parts.append("and a thousand more")
    } else if more > 0 {
      parts.append("and \(more) more")
    }
    return "\(place), \(parts.joined(separator: "; "))"
  }
}

extension Difference {
  /// Where, and the two values.
  var text: String {
    let recorded = recorded.map { "\($0.text) recorded" } ?? "not recorded"
    let asked = asked.map { "\($0.text) asked" } ?? "not asked"
    return "\(place.text): \(recorded), \(asked)"
  }
}

extension Difference.Place {
  var text: String {
    switch self {
    case .method: "method"
    case .path: "path"
    case .upstream: "upstream"
    case .authority: "Host"
    case .queryPresence: "query"
    case .query(let name): "query \(PrintableText.of(name))"
    case .field(let name): "header \(PrintableText.of(name))"
    case .content: "content"
    case .json(let pointer):
      pointer.tokens.isEmpty ? "content" : "content \(PrintableText.of(pointer.text))"
    case .form(let name): "form field \(PrintableText.of(name))"
    case .byte(let offset): "content at byte \(offset)"
    case .part(let name, let aspect):
      aspect.text(ofPart: name.map { "part \(PrintableText.of($0))" } ?? "a part without a name")
    }
  }
}

extension Difference.Aspect {
  fileprivate func text(ofPart part: String) -> String {
    switch self {
    case .presence, .content: part
    case .fileName: "file name of \(part)"
    case .disposition: "disposition of \(part)"
    case .type: "type of \(part)"
    case .byte(let offset): "\(part) at byte \(offset)"
    }
  }
}

extension ValueExcerpt {
  var text: String { PrintableText.of(bytes) + (isCut ? "..." : "") }
}
