import FixtureCassette
import FixtureHTTP

/// One line of a scenario: what happens to which requests.
///
///     GET /flaky: first 3, status 503, retry-after 2s
///     └ pattern ┘ └when──┘ └faults────────────────┘
package struct Rule: Hashable, Sendable {
  package var pattern: RulePattern
  /// All must hold; none: always.
  package var when: [When]
  /// At least one.
  package var faults: [Fault]
  /// Where it was written, for people: `labs/slow.rules:3`; nil where nobody knows. It does not
  /// tell rules apart.
  package var origin: String?

  package init(
    _ pattern: RulePattern, when: [When] = [], faults: [Fault], origin: String? = nil
  ) {
    self.pattern = pattern
    self.when = when
    self.faults = faults
    self.origin = origin
  }

  package static func == (left: Rule, right: Rule) -> Bool {
    left.pattern == right.pattern && left.when == right.when && left.faults == right.faults
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(pattern)
    hasher.combine(when)
    hasher.combine(faults)
  }
}

/// A condition beside the pattern.
package enum When: Hashable, Sendable {
  /// Which of the requests that meet the pattern and the other conditions except `chance`: counted
  /// for each method and raw target, or across all of them.
  case counted(Counting, overall: Bool)
  /// Since the session began.
  case after(Duration)
  /// `for`: so long from `after`, or from when the session began.
  case lasting(Duration)
  case chance(Proportion)
  /// The request has the field; with this value, if there is one.
  case header([UInt8], value: [UInt8]?)
  case withoutHeader([UInt8])
  /// The request's content is JSON and has this value there.
  case json(JSONPointer, JSONLiteral)
  case raised(Flag)
}

/// Which requests of a count, from 1.
package enum Counting: Hashable, Sendable {
  case first(Int64)
  case nth([Int64])
  case from(Int64, to: Int64)
  case every(Int64)

  package func includes(_ number: Int64) -> Bool {
    switch self {
    case .first(let count): number <= count
    case .nth(let numbers): numbers.contains(number)
    case .from(let first, to: let last): first <= number && number <= last
    case .every(let count): number % count == 0
    }
  }
}

/// What a session remembers under a name: raised or lowered.
package struct Flag: Hashable, Sendable {
  package let name: String

  /// - Parameter name: letters, digits, `-`, `_` and `.`.
  package init(_ name: String) {
    self.name = name
  }
}

/// One JSON value as text, always valid JSON.
package struct JSONLiteral: Hashable, Sendable {
  package let text: [UInt8]

  /// A text that is JSON as it stands; nil for any other.
  package init?(json text: [UInt8]) {
    let isValid = text.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      guard scanner.skipValue(), case .end = scanner.next() else { return false }
      return true
    }
    guard isValid else { return nil }
    self.text = text
  }

  /// A string.
  package init(_ string: String) {
    var json = JSONText()
    json.string(string.utf8)
    text = json.bytes
  }

  /// As rules are written: the JSON value that the text is, else the text as a string.
  /// - Returns: nil when it is neither, because it is no UTF-8.
  init?(written text: [UInt8]) {
    if let value = JSONLiteral(json: text) {
      self = value
    } else if let string = String(validating: text, as: UTF8.self) {
      self.init(string)
    } else {
      return nil
    }
  }
}

extension JSONLiteral: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral
{
  package init(stringLiteral value: String) { self.init(value) }
  package init(integerLiteral value: Int64) { text = Array("\(value)".utf8) }
  package init(booleanLiteral value: Bool) { text = Array((value ? "true" : "false").utf8) }
}
