import Foundation
import Testing

/// The recipes of the README's section Labs, run as they stand there.
@Suite struct LabTests {
  /// A command for a shell, and what stands behind `#` below it.
  struct Step: Equatable {
    var command: String
    var output = ""
    /// At least; 0 when nothing is said.
    var seconds = 0.0
  }

  /// What follows one start of a replay.
  struct Recipe: CustomTestStringConvertible {
    /// Without `fixtured`.
    let arguments: [String]
    var steps: [Step] = []

    var testDescription: String { arguments.joined(separator: " ") }
  }

  private static let repository = Lab.repository

  static let recipes: [Recipe] = {
    let file = repository.appendingPathComponent("README.md")
    // A README that can't be read fails the test below, which wants a recipe for each scenario.
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let section = text.components(separatedBy: "\n## ").first { $0.hasPrefix("Labs\n") } ?? ""
    var recipes: [Recipe] = []
    for line in section.split(separator: "\n") where line.hasPrefix("    ") {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("fixtured ") {
        recipes.append(Recipe(arguments: line.split(separator: " ").dropFirst().map(String.init)))
      } else if line.hasPrefix("#") {
        let last = recipes[recipes.count - 1].steps.count - 1
        recipes[recipes.count - 1].steps[last].expect(String(line.dropFirst()))
      } else {
        recipes[recipes.count - 1].steps.append(Step(command: line))
      }
    }
    return recipes
  }()

  @Test func `every scenario beside the sample cassette has a recipe`() throws {
    let folder = Self.repository.appendingPathComponent("cassettes").path
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".rules") }
    #expect(files.count == 5)
    for file in files {
      #expect(Self.recipes.contains { $0.arguments.joined().contains("cassettes/\(file)") })
    }
    #expect(Self.recipes.allSatisfy { !$0.steps.isEmpty })
  }

  @Test func `every section of them can be followed`() throws {
    let folder = try Folder()
    for name in ["flaky-network", "slow-network", "cache-lab", "retry-lab", "timeout-lab"] {
      let file = Self.repository.appendingPathComponent("cassettes/\(name).rules")
      let text = try String(contentsOf: file, encoding: .utf8)
      let sections = text.split(separator: "\n").filter { $0.hasPrefix("[") }
        .map { "#" + $0.dropFirst().dropLast() }
      for section in [""] + sections {
        let ended = try Program.run(["explain", file.path + section, "POST /x"], in: folder)
        #expect(ended.status == 0, "\(ended.errors)")
      }
    }
  }

  /// What came of a step.
  private struct Done: Sendable {
    let output: String
    let took: Duration
  }

  @Test(arguments: recipes)
  func `a recipe does what the README says`(_ recipe: Recipe) async throws {
    let folder = try Folder()
    let arguments = recipe.arguments.map { word in
      word.hasPrefix("cassettes/") ? Self.repository.path + "/" + word : word
    }
    let program = try Program(arguments + ["--listen", "127.0.0.1:0"], in: folder)
    let port = try program.port()
    let path = folder.url.path
    for step in recipe.steps {
      let command = step.command.replacing("127.0.0.1:8377", with: "127.0.0.1:\(port)")
      let done = try await onThread {
        let start = ContinuousClock.now
        return Done(output: try Self.shell(command, in: path), took: .now - start)
      }
      #expect(done.output == step.output, "\(step.command)")
      // A link makes up for 20 ms that a timer was late.
      #expect(done.took >= .milliseconds(Int(step.seconds * 1000) - 20), "\(step.command)")
      // On a busy machine everything may take longer.
      #expect(done.took < .seconds(step.seconds + 15), "\(step.command)")
    }
    #expect(program.stop().status == 0)
  }

  /// By `popen`, whose pipe no process that is started meanwhile can keep open.
  private static func shell(_ command: String, in folder: String) throws -> String {
    let stream = try #require(popen("cd '\(folder)' && { \(command) ; } 2>/dev/null", "r"))
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 {
      output += buffer[..<count]
    }
    pclose(stream)
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

extension LabTests.Step {
  /// `busy (3 s)`: the output, then what it takes.
  fileprivate mutating func expect(_ text: String) {
    var text = text[...]
    if text.hasSuffix(" s)"), let open = text.lastIndex(of: "(") {
      seconds = Double(text[text.index(after: open)...].dropLast(3)) ?? .infinity
      text = text[..<open]
    }
    output = text.trimmingCharacters(in: .whitespaces)
  }
}
