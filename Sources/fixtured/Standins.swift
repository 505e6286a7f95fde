// What the command line needs of other targets until they have it.

enum Durability: Sendable {
  case process, power
}

struct BaseURL: Equatable, Sendable {
  let host: String
  let description: String

  init(parsing text: String) throws(BaseURLError) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 3, !parts[2].contains("@") else { throw .invalid }
    host = String(parts[2].prefix { $0 != ":" })
    description = text
  }
}

enum BaseURLError: Error {
  case invalid

  var description: String { "give http://HOST or https://HOST without user and password" }
}

struct RedactionRules: Equatable, Sendable {
  let words: [String]

  init(adding rules: [String]) throws(RedactionRuleError) {
    guard rules.allSatisfy({ !$0.isEmpty }) else { throw .empty }
    words = rules
  }
}

enum RedactionRuleError: Error {
  case empty

  var description: String { "give header:NAME or query:NAME" }
}
