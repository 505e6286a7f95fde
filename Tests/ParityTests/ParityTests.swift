import FixtureSetup
import FixtureStub
import Foundation
import Testing

@testable import FixtureReplay

/// The server and the stub do the same: every kind of answer and every word of a rule, asked by a
/// real URLSession of each. README's table is made of the same rows.
@Suite struct ParityTests {
  /// Removes the cassette's file at its end.
  private final class File {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "parity-\(UUID().uuidString).db").path

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  @Test(arguments: answerRows + wordRows)
  func `what a client sees of the server it sees of the stub`(_ row: Row) async throws {
    let file = File()
    let cassette = try Corpus.write(to: file.path)
    if let refusal = row.refusal {
      let error = await #expect(throws: FixtureFailure.self) {
        try await Engine.stub(cassette, row.rule, row.asks, timeout: row.timeout)
      }
      #expect("\(try #require(error))".contains(refusal))
      return
    }
    let (stub, stubSeconds) = try await timed {
      try await Engine.stub(cassette, row.rule, row.asks, timeout: row.timeout)
    }
    #expect(stubSeconds >= row.takes)
    if let lines = row.stubSees {
      #expect(stub.lines.count == lines.count)
      #expect(zip(stub.lines, lines).allSatisfy { $0.hasPrefix($1) }, "\(stub)")
    }
    guard row.unasked == nil else {
      #expect(!stub.lines.isEmpty)
      return
    }
    let (server, serverSeconds) = try await timed {
      try await Engine.server(cassette, row.rule, row.asks, timeout: row.timeout)
    }
    #expect(serverSeconds >= row.takes)
    #expect(row.stubSees != nil || stub.description == server.description)
  }

  @Test func `the table in the README is that of the rows`() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../README.md").standardizedFileURL
    let text = try String(contentsOf: file, encoding: .utf8)
    let parts = try #require(ParityTable(in: text))
    let table = ParityTable.text(answerRows, wordRows)
    if ProcessInfo.processInfo.environment["UPDATE_PARITY_TABLE"] == "1" {
      try Data((parts.before + table + parts.after).utf8).write(to: file)
      return
    }
    #expect(
      parts.table == table, "write it anew with UPDATE_PARITY_TABLE=1 swift test --filter Parity")
  }

  @Test func `every word of a rule is in the table`() {
    var words: Set<String> = []
    for row in wordRows {
      for rule in row.rule.split(separator: "\n") {
        let clauses = rule.split(separator: ":", maxSplits: 1).last ?? ""
        for clause in clauses.split(separator: ",") {
          words.formUnion(clause.split(separator: " ").prefix(1).map(String.init))
        }
      }
    }
    let all = ConditionWord.allCases.map(\.rawValue) + FaultWord.allCases.map(\.rawValue)
    // A test has to release what is held: both engines' own tests do.
    #expect(all.filter { !words.contains($0) } == ["hold"])
  }

  private func timed<Value>(
    _ body: () async throws -> Value
  ) async throws -> (Value, seconds: Double) {
    let start = ContinuousClock.now
    let value = try await body()
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return (value, Double(seconds) + Double(attoseconds) / 1e18)
  }
}
