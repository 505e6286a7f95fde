import Testing

@testable import FixtureStub

@Suite struct IsolatedClasses {
  @Test func `each number has a class of its own, and always the same one`() {
    let classes = (0..<300).map { ObjectIdentifier(ReplayingProtocol.isolated($0)) }
    #expect(Set(classes).count == 300)
    #expect((0..<300).map { ObjectIdentifier(ReplayingProtocol.isolated($0)) } == classes)
  }
}
