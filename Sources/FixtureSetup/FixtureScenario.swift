import FixtureReplay
import Foundation

/// The rules of a replay: the same text as in a scenario file, or a file.
///
///     let scenario: FixtureScenario = """
///       GET /feed: first 2, status 503, retry-after 2s
///       *: delay 100ms..400ms
///       """
public struct FixtureScenario: Sendable, Equatable, ExpressibleByStringLiteral,
  ExpressibleByStringInterpolation
{
  /// Where it comes from.
  enum Source: Sendable, Equatable {
    case text(String)
    case file(URL, section: String?)
  }

  let source: Source

  /// Rules, one a line. What is wrong with them is said when a fixture begins with them.
  public init(_ text: String) {
    source = .text(text)
  }

  /// Rules, one a line.
  public init(stringLiteral text: String) { self.init(text) }

  /// A scenario file.
  /// - Parameter section: the `[name]` whose rules come after those above all sections; nil for
  ///   those alone.
  public init(contentsOf file: URL, section: String? = nil) {
    source = .file(file, section: section)
  }
}

extension FixtureScenario {
  /// Parses the rules and reads the files they name, which lie beside the scenario's own, or in the
  /// folder of a text's cassette.
  func setup(
    seed: UInt64?, givesReceipts: Bool, folder: URL
  ) throws(FixtureFailure) -> ScenarioSetup {
    let text: [UInt8]
    let name: String
    var beside = folder
    var section: String?
    switch source {
    case .text(let rules):
      text = Array(rules.utf8)
      name = "the scenario"
    case .file(let url, let chosen):
      text = try Self.contents(url, of: "the scenario")
      name = url.path
      beside = url.deletingLastPathComponent()
      section = chosen
    }
    let scenario: Scenario
    do {
      scenario = try Scenario(parsing: text)
    } catch {
      throw .scenarioInvalid("\(name), \(error)")
    }
    let chosen: Scenario
    do {
      chosen = try scenario.section(section)
    } catch {
      throw .scenarioInvalid("\(name): \(error)")
    }
    var files: [String: [UInt8]] = [:]
    for path in chosen.rules.bodyFiles where files[path] == nil {
      let file = path.hasPrefix("/") ? URL(fileURLWithPath: path) : beside.appending(path: path)
      files[path] = try Self.contents(file, of: "a rule's body")
    }
    return ScenarioSetup(
      rules: chosen.rules, seed: seed ?? chosen.seed ?? FixtureOptions.seedStandard,
      files: files, givesReceipts: givesReceipts)
  }

  private static func contents(
    _ file: URL, of what: String
  ) throws(FixtureFailure) -> [UInt8] {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch {
      throw .scenarioInvalid(
        "\(what), \(file.path), can't be read: \(error.localizedDescription): correct its name")
    }
    guard data.count <= Int(Body.bytesMax) else {
      throw .scenarioInvalid(
        "\(what), \(file.path), has \(data.count) bytes, more than \(Body.bytesMax >> 20) MiB: "
          + "take a smaller one")
    }
    return Array(data)
  }
}
