import Testing

@testable import FixtureStore
@testable import fixtured

@Suite struct VerifyCommandTests {
  private let folder = ScratchFolder()

  @Test func `a sound cassette`() throws {
    let cassette = try folder.cassette([Sample.draft(Sample.interaction(), response: "hello")])
    #expect(Fixtured.status(for: ["verify", cassette]) == .success)
    #expect(Fixtured.status(for: ["verify", "--repair", cassette]) == .success)
    #expect(
      VerifyCommand.findings(try CassetteVerifier.verify(path: cassette), in: "a.db")
        == "a.db: sound (interactions: 1, bodies: 1, bytes of content: 5)\n")
  }

  @Test func `what is no cassette is a failure`() {
    #expect(Fixtured.status(for: ["verify", folder.file("no.db")]) == .failure)
    #expect(Fixtured.status(for: ["verify", "--repair", folder.path]) == .failure)
  }

  @Test func `every finding has a line`() {
    var report = VerificationReport()
    report.add(.bodyAltered(id: 3))
    report.add(.integrity("a\u{1B}\nb"))
    #expect(
      VerifyCommand.findings(report, in: "a.db") == """
        a.db: \(Finding.bodyAltered(id: 3).description)
        a.db: integrity check: a\\u{1b}\\nb

        """)
  }

  @Test func `every repair has a line`() {
    #expect(VerifyCommand.repairs([], of: "a.db") == "a.db: nothing to repair\n")
    #expect(
      VerifyCommand.repairs([.rolledBack, .leftLogMode], of: "a.db") == """
        a.db: \(RepairAction.rolledBack.description)
        a.db: \(RepairAction.leftLogMode.description)

        """)
  }
}
