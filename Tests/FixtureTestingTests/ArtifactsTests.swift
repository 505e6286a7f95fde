import Foundation
import Testing

@testable import FixtureTesting

@Suite struct ArtifactFiles {
  @Test func `without the variable, or with an empty one, nothing is written`() {
    #expect(Artifacts(environment: [:]) == nil)
    #expect(Artifacts(environment: ["FIXTURED_ARTIFACTS": ""]) == nil)
  }

  @Test func `reports of one test lie beside each other in a folder that is made`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    // A folder left in the temporary directory is no reason to fail.
    defer { try? FileManager.default.removeItem(at: folder) }
    let artifacts = try #require(
      Artifacts(environment: ["FIXTURED_ARTIFACTS": folder.appending(path: "new/one").path]))
    let first = try artifacts.write("one", of: "Feed.Tests/a test()")
    let second = try artifacts.write("two", of: "Feed.Tests/a test()")
    #expect(first.lastPathComponent == "Feed.Tests-a-test--.txt")
    #expect(second.lastPathComponent == "Feed.Tests-a-test---2.txt")
    #expect(try String(contentsOf: first, encoding: .utf8) == "one")
    #expect(try String(contentsOf: second, encoding: .utf8) == "two")
  }

  @Test func `a folder that can't be made is an error`() {
    let artifacts = Artifacts(environment: ["FIXTURED_ARTIFACTS": "/dev/null/folder"])
    #expect(throws: (any Error).self) { try artifacts?.write("", of: "a") }
  }

  @Test func `a name keeps what any file system takes, and is not too long`() {
    #expect(Artifacts.fileName(of: "A.b/../`ü`(x:)") == "A.b-..------x--")
    #expect(Artifacts.fileName(of: String(repeating: "a", count: 999)).count == 200)
  }
}
