import Foundation
import Testing

/// Who may use what: the layout of the package, read from its sources.
@Suite struct Layering {
  @Test func `a target imports only what its line in the table allows`() throws {
    let pattern = try Regex(
      #"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public |package |internal |private |fileprivate )?"#
        + #"import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)"#)
    for file in Repository.sources {
      let allowed = try #require(
        allowedImports[file.target], "\(file.path): its target has no line in the table")
      for (index, line) in file.lines.enumerated() {
        guard let match = line.firstMatch(of: pattern), let name = match.output[1].substring
        else { continue }
        #expect(allowed.contains(String(name)), "\(file.finding(at: index))")
      }
    }
  }

  @Test func `SQLite is called only in the store`() {
    let found = Repository.sources.filter { $0.target != "FixtureStore" }.flatMap { file in
      file.findings { $0.contains("sqlite3_") }
    }
    #expect(found == [])
  }

  @Test func `sockets and polling are called only in the event loop`() throws {
    let calls =
      "socket|accept4|epoll_\\w+|ppoll|poll|kqueue|kevent|getaddrinfo|setsockopt|getsockopt|"
      + "getsockname|eventfd|timerfd_\\w+|signalfd|recv|recvfrom|recvmsg|sendto|sendmsg"
    let pattern = try Regex("(?:^|[^\\w.`])(?:Glibc\\.|Darwin\\.)?(?:\(calls))\\(")
    let found = Repository.sources.filter { $0.target != "FixtureEventLoop" }.flatMap { file in
      file.findings { line in !line.contains("func ") && line.contains(pattern) }
    }
    #expect(found == [])
  }

  @Test func `what a test links holds no sockets, no TLS and no codec`() {
    let served: Set = [
      "FixtureEventLoop", "FixtureTLS", "FixtureHTTP1", "FixtureExchange", "FixtureServing",
      "CFixtureOpenSSL", "CFixtureSystem",
    ]
    for product in ["FixtureStub", "FixtureTesting"] {
      #expect(served.intersection(everything(behind: product)) == [], "\(product)")
    }
  }

  @Test func `only one target imports a test framework, and no other links it`() {
    let importing = allowedImports.filter { !$0.value.isDisjoint(with: ["Testing", "XCTest"]) }
    #expect(importing.map(\.key) == ["FixtureTesting"])
    let linking = allowedImports.filter { $0.value.contains("FixtureTesting") }
    #expect(linking.map(\.key) == [])
  }

  /// The targets that a target may import, and those that these may.
  private func everything(behind target: String) -> Set<String> {
    var found: Set<String> = []
    var next = [target]
    while let target = next.popLast() {
      for name in allowedImports[target] ?? [] where found.insert(name).inserted {
        next.append(name)
      }
    }
    return found
  }

  @Test func `a check that is set aside has its reason beside it and is listed`() {
    let constructs = ["@unchecked Sendable", "nonisolated(unsafe)", "try?"]
    var found: [String: [String: Int]] = [:]
    for file in Repository.sources {
      for (index, line) in file.lines.enumerated() where !isComment(line) {
        for construct in constructs where holds(line, construct) {
          found[file.path, default: [:]][construct, default: 0] += 1
          #expect(hasReason(file.lines, at: index), "\(file.finding(at: index)): no reason given")
        }
      }
    }
    for path in Set(found.keys).union(exceptions.keys).sorted() {
      #expect(found[path] == exceptions[path], "\(path): its line in Tables.swift is out of date")
    }
  }

  /// Not as the end of a longer word.
  private func holds(_ line: Substring, _ construct: String) -> Bool {
    line.ranges(of: construct).contains { place in
      place.lowerBound == line.startIndex || !line[line.index(before: place.lowerBound)].isLetter
    }
  }

  private func isComment(_ line: Substring) -> Bool {
    line.drop { $0 == " " }.hasPrefix("//")
  }

  /// A comment on the line itself, or right above the declaration or statement it belongs to.
  private func hasReason(_ lines: [Substring], at index: Int) -> Bool {
    if lines[index].contains(" // ") { return true }
    let above = lines[..<index].reversed().prefix(3)
    for line in above {
      if isComment(line) { return true }
      if line.allSatisfy({ $0 == " " }) { return false }
    }
    return false
  }
}
