import FixtureHTTP
import FixtureHTTP1

/// What a parser said about a stream of messages, in a form that does not depend on where its input
/// was cut: neighbouring pieces of content are one.
package enum Heard: Equatable {
  case request(RequestHead, BodyFraming)
  case interim(ResponseHead)
  case response(ResponseHead, BodyFraming, bothFramings: Bool)
  case content([UInt8])
  case end(trailers: FieldSection)
  case error(ProtocolError)
}

extension Heard: CustomStringConvertible {
  /// The lines of a transcript, in the words of the codec's corpus.
  package var lines: [String] {
    switch self {
    case .request(let head, let framing):
      let words = [head.method.bytes, head.target, Array(head.version.description.utf8)]
      let start = Escapes.encode(words.joined(separator: [0x20]))
      return ["head \(start) \(framing.text)"] + lines(head.fields, "field")
    case .interim(let head): return ["interim \(text(head))"] + lines(head.fields, "field")
    case .response(let head, let framing, let bothFramings):
      let both = bothFramings ? " both-framings" : ""
      return ["head \(text(head)) \(framing.text)\(both)"] + lines(head.fields, "field")
    case .content(let content): return ["content " + Escapes.encode(content)]
    case .end(let trailers): return ["end"] + lines(trailers, "trailer")
    case .error(let error): return ["error \(error.statusHint) \(error)"]
    }
  }

  package var description: String { lines.joined(separator: " | ") }

  private func text(_ head: ResponseHead) -> String {
    "\(head.version.description) \(head.status) '\(Escapes.encode(head.reason))'"
  }

  private func lines(_ fields: FieldSection, _ word: String) -> [String] {
    (0..<fields.count).map { index in
      let (name, value) = (fields.name(at: index), fields.value(at: index))
      return "\(word) \(Escapes.encode(name)): \(Escapes.encode(value))"
    }
  }
}

extension BodyFraming {
  fileprivate var text: String {
    switch self {
    case .none: "none"
    case .length(let length): "length=\(length)"
    case .chunked: "chunked"
    case .untilClose: "until-close"
    }
  }
}
