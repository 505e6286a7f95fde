import FixtureHTTP

/// Which requests are meant: `[METHOD ]path`, where `*` stays in a segment of the path and `**`
/// crosses; with a `?` the query has to match too.
struct RequestPattern: Equatable, Sendable {
  static let expected = "a path with * and **, perhaps after a method, for example 'GET /users/**'"

  private let method: Method?
  private let target: [UInt8]
  private let hasQuery: Bool

  /// - Returns: nil for anything else.
  init?(parsing text: String) {
    var path = text[...]
    var method: Method?
    if let space = text.firstIndex(of: " ") {
      method = Method(Array(text[..<space].utf8))
      path = text[text.index(after: space)...]
      guard text[..<space].utf8.allSatisfy(\.isTokenCharacter), space > text.startIndex else {
        return nil
      }
    }
    guard path.hasPrefix("/") || path.hasPrefix("*"), path.utf8.allSatisfy({ $0 > 0x20 }) else {
      return nil
    }
    self.method = method
    target = Array(path.utf8)
    hasQuery = path.contains("?")
  }

  func matches(_ request: RequestHead) -> Bool {
    if let method, method != request.method { return false }
    let subject =
      hasQuery ? request.target : Array(RequestTarget.split(request.target).path)
    return Self.matches(target[...], subject[...])
  }

  /// Follows all ways to match at once, so the time is at most the product of the lengths.
  private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
    /// A star may also stand for nothing.
    func closed(_ places: Set<Int>) -> Set<Int> {
      var result = places
      for place in places {
        var next = place
        while next < pattern.endIndex, pattern[next] == 0x2A {
          next += 1
          result.insert(next)
        }
      }
      return result
    }
    var reached = closed([pattern.startIndex])
    for byte in text {
      var next: Set<Int> = []
      for place in reached where place < pattern.endIndex {
        if pattern[place] == 0x2A {
          let isDouble = place + 1 < pattern.endIndex && pattern[place + 1] == 0x2A
          let follows = place > pattern.startIndex && pattern[place - 1] == 0x2A
          if isDouble || follows || byte != 0x2F { next.insert(place) }
        } else if pattern[place] == byte {
          next.insert(place + 1)
        }
      }
      reached = closed(next)
      if reached.isEmpty { return false }
    }
    return reached.contains(pattern.endIndex)
  }
}
