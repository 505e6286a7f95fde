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

  /// Whose rules are followed one after the other.
  let sources: [Source]

  /// Rules, one a line. What is wrong with them is said when a fixture begins with them.
  public init(_ text: String) {
    sources = [.text(text)]
  }

  /// Rules, one a line.
  public init(stringLiteral text: String) { self.init(text) }

  /// A scenario file.
  /// - Parameter section: the `[name]` whose rules come after those above all sections; nil for
  ///   those alone.
  public init(contentsOf file: URL, section: String? = nil) {
    sources = [.file(file, section: section)]
  }

  private init(_ sources: [Source]) {
    self.sources = sources
  }

  /// The rules of both, in this order. The seed of the second counts, if it has one.
  public static func + (first: FixtureScenario, second: FixtureScenario) -> FixtureScenario {
    FixtureScenario(first.sources + second.sources)
  }

  /// The rules as they were given; of a file, its name.
  package var text: String {
    let texts = sources.map { source in
      switch source {
      case .text(let rules): rules
      case .file(let file, let section): file.path + (section.map { "#\($0)" } ?? "")
      }
    }
    return texts.joined(separator: "\n")
  }
}

extension FixtureScenario {
  /// Parses the rules and reads the files they name, which lie beside the scenario's own, or in the
  /// folder of a text's cassette.
  func setup(
    seed: UInt64?, givesReceipts: Bool, folder: URL
  ) throws(FixtureFailure) -> ScenarioSetup {
    var rules: [Rule] = []
    var ownSeed: UInt64?
    var files: [String: [UInt8]] = [:]
    var places: [String: URL] = [:]
    for source in sources {
      let (scenario, beside) = try Self.parsed(source, folder: folder)
      for path in scenario.rules.bodyFiles {
        let file = path.hasPrefix("/") ? URL(fileURLWithPath: path) : beside.appending(path: path)
        if let other = places.updateValue(file, forKey: path) {
          guard other.path == file.path else {
            throw .scenarioInvalid(
              "two scenarios name the body \(path) and mean \(other.path) and \(file.path): "
                + "give one of them another name")
          }
        } else {
          files[path] = try Self.contents(file, of: "a rule's body")
        }
      }
      rules += scenario.rules
      ownSeed = scenario.seed ?? ownSeed
    }
    return ScenarioSetup(
      rules: rules, seed: seed ?? ownSeed ?? FixtureOptions.seedStandard, files: files,
      givesReceipts: givesReceipts)
  }

  /// The rules that are in force, and the folder that paths in them start from.
  private static func parsed(
    _ source: Source, folder: URL
  ) throws(FixtureFailure) -> (Scenario, beside: URL) {
    let text: [UInt8]
    let name: String
    var beside = folder
    var section: String?
    switch source {
    case .text(let rules):
      text = Array(rules.utf8)
      name = "the scenario"
    case .file(let url, let chosen):
      text = try contents(url, of: "the scenario")
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
    do {
      return (try scenario.section(section), beside)
    } catch {
      throw .scenarioInvalid("\(name): \(error)")
    }
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
