import FixtureCassette
import FixtureHTTP

extension RecordedFraming {
  /// What the cassette keeps of a framing: the length is the body's own.
  package init(_ framing: BodyFraming) {
    switch framing {
    case .none: self = .none
    case .length: self = .length
    case .chunked: self = .chunked
    case .untilClose: self = .untilClose
    }
  }
}
