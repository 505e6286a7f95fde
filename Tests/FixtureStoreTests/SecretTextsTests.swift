import FixtureCassette
import Foundation
import Testing

@testable import FixtureStore

@Suite struct SecretTextsTests {
  @Test func `a secret of the environment is taken byte for byte`() throws {
    let name = "FIXTURED_TEST_\(UUID().uuidString)"
    let secret: [UInt8] = [0x6B, 0xFF, 0xC3, 0x28]
    try (secret + [0]).withUnsafeBytes { bytes in
      let text = try #require(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
      setenv(name, text, 1)
    }
    defer { unsetenv(name) }
    #expect(try SecretTexts.secrets(of: .environment(name)) == [secret])
  }
}
