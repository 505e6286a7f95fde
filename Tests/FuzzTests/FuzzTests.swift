import FixtureInvariants
import Foundation
import Testing

/// Everything in `Fuzz`, seeds and what the fuzzers once found, keeps its rule without a fuzzer.
@Suite struct FuzzTests {
  /// A file below `Fuzz/Seeds` or `Fuzz/FailCases`, in the folder of its kind.
  struct Input: CustomTestStringConvertible, Sendable {
    let kind: InputKind
    let file: URL
    var testDescription: String { "\(kind.rawValue)/\(file.lastPathComponent)" }
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzz")

  private static func inputs(_ name: String) -> [Input] {
    InputKind.allCases.flatMap { kind in
      let folder = folder.appending(path: name).appending(path: kind.rawValue)
      // A kind for which nothing was found has no folder.
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      return names.sorted().map { Input(kind: kind, file: folder.appending(path: $0)) }
    }
  }

  @Test func `every kind has seeds, and no folder is left over`() throws {
    let kinds = Set(InputKind.allCases.map(\.rawValue))
    let seeds = try FileManager.default.contentsOfDirectory(
      atPath: Self.folder.appending(path: "Seeds").path)
    #expect(Set(seeds) == kinds)
    #expect(Set(Self.inputs("Seeds").map(\.kind.rawValue)) == kinds)
  }

  @Test(arguments: inputs("Seeds"))
  func `a seed keeps the rule of its kind`(_ input: Input) throws {
    #expect(input.kind.violation(by: Array(try Data(contentsOf: input.file))) == nil)
  }

  @Test(arguments: inputs("FailCases"))
  func `what was found once keeps the rule of its kind`(_ input: Input) throws {
    #expect(input.kind.violation(by: Array(try Data(contentsOf: input.file))) == nil)
  }
}
