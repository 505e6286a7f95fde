import FixtureHTTP
import FixtureReplay

/// How the values of options are spelled. Each parser gives nil for anything else.
enum OptionValue {
  static let listenExpected = "HOST:PORT, for example 127.0.0.1:8377 or [::1]:0"

  static let switchExpected = "on or off"

  static func switched(_ text: String) -> Bool? {
    switch text {
    case "on": true
    case "off": false
    default: nil
    }
  }

  /// The longest deadline: longer ones are slips, and a day of nanoseconds is far from overflow.
  static let timeMax = Duration.seconds(24 * 60 * 60)
  static let timeExpected =
    "a time above 0 and up to 24h with its unit (ms, s, m, h), for example 30s"

  static func time(_ text: String) -> Duration? {
    let digits = text.prefix { $0 == "." || $0.isASCIIDigit }
    let unit_ms: Double
    switch text[digits.endIndex...] {
    case "ms": unit_ms = 1
    case "s": unit_ms = 1000
    case "m": unit_ms = 60 * 1000
    case "h": unit_ms = 60 * 60 * 1000
    default: return nil
    }
    guard let number = decimal(digits), number * unit_ms <= 24 * 60 * 60 * 1000 else { return nil }
    let time = Duration.nanoseconds(Int64((number * unit_ms * 1_000_000).rounded()))
    return time > .zero && time <= timeMax ? time : nil
  }

  static let checksExpected =
    "names of checks with commas between them, of "
    + Verdict.Check.allCases.map(\.rawValue).joined(separator: ", ")

  static func checks(_ text: String) -> [Verdict.Check]? {
    let checks = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Verdict.Check(rawValue: String($0))
    }
    return checks.contains(nil) ? nil : checks.compactMap(\.self)
  }

  static let limitExpected = "a number from 1"

  static func limit(_ text: String) -> Int? {
    guard text.allSatisfy(\.isASCIIDigit), let limit = Int(text) else { return nil }
    return limit > 0 ? limit : nil
  }

  /// Far more than the cores of any machine this runs on.
  static let threadsMax = 256
  static let portsExpected = "a range of ports, for example 8400-8499"

  static let threadsExpected = "a number from 1 to \(threadsMax)"

  static func threads(_ text: String) -> Int? {
    guard text.allSatisfy(\.isASCIIDigit), let count = Int(text) else { return nil }
    return (1...threadsMax).contains(count) ? count : nil
  }

  static let identifierExpected = "the number of an interaction, from 1"

  static func identifier(_ text: String) -> Int64? {
    guard text.allSatisfy(\.isASCIIDigit), let id = Int64(text), id > 0 else { return nil }
    return id
  }

  /// Any text but the empty one.
  static let fileExpected = "the path of a file"

  static func file(_ text: String) -> String? { text.isEmpty ? nil : text }

  /// Digits with at most one point between or after them: no sign, exponent, infinity or `0x`,
  /// all of which `Double` would take.
  private static func decimal(_ text: Substring) -> Double? {
    guard text.first?.isASCIIDigit == true, text.count <= 32,
      text.allSatisfy({ $0 == "." || $0.isASCIIDigit })
    else { return nil }
    return Double(text)
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
