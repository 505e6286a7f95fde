import FixtureCassette
import FixtureHTTP

/// What `fixtured set` is asked to set.
struct SetOptions: Equatable, Sendable {
  enum Setting: Equatable, Sendable {
    /// nil: the usual reason.
    case status(Int, reason: String?)
    /// nil: the field is removed.
    case field(String, value: String?)
    case content(Source)
  }

  /// Where content comes from.
  enum Source: Equatable, Sendable {
    case text(String)
    /// `-` is standard input.
    case file(String)
  }

  var cassette: String
  var id: Int64
  var setting: Setting
  var side = EditedInteraction.Side.response
}

extension SetOptions {
  init(_ arguments: ScannedArguments) throws(UsageError) {
    let values = Array(arguments.operands.dropFirst(3))
    self.init(
      cassette: arguments.operands[0], id: try arguments.identifier(arguments.operands[1]),
      setting: try Self.setting(arguments.operands[2], values, arguments),
      side: arguments.has(.request) ? .request : .response)
    if case .status = setting, side == .request {
      throw arguments.error(
        .operandInvalid("WHAT", "status", expected: "field or body with --request"))
    }
  }

  private static let words = ["status", "field", "body"]

  private static func setting(
    _ word: String, _ values: [String], _ arguments: ScannedArguments
  ) throws(UsageError) -> Setting {
    guard words.contains(word) else {
      let nearest = EditDistance.nearest(to: word, in: words).map { "\($0); one of " } ?? ""
      throw arguments.error(
        .operandInvalid(
          "WHAT", word,
          expected: nearest + "status CODE [REASON], field 'NAME: VALUE' or body TEXT"))
    }
    let countMax = word == "status" ? 2 : 1
    if values.count > countMax { throw arguments.error(.operandUnexpected(values[countMax])) }
    guard let value = values.first else { throw arguments.error(.operandMissing("VALUE")) }
    switch word {
    case "status":
      guard value.utf8.count == 3, value.utf8.allSatisfy(\.isDigit), let status = Int(value),
        (200...999).contains(status)
      else {
        throw arguments.error(.operandInvalid("VALUE", value, expected: "a status from 200 to 999"))
      }
      if let reason = values.dropFirst().first, reason.utf8.contains(where: { $0 < 0x20 }) {
        throw arguments.error(.operandInvalid("REASON", reason, expected: "printable text"))
      }
      return .status(status, reason: values.dropFirst().first)
    case "field":
      guard let colon = value.firstIndex(of: ":") else { return .field(value, value: nil) }
      return .field(String(value[..<colon]), value: String(value[value.index(after: colon)...]))
    default:
      return .content(value.hasPrefix("@") ? .file(String(value.dropFirst())) : .text(value))
    }
  }
}
