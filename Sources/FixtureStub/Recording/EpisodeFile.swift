import FixtureCassette
import FixtureHTTP
import FixtureStore
import Foundation
import Synchronization

/// The cassette that tests of this process record into.
///
/// What a test recorded is added when the test ends, to a copy of the file that then takes its
/// place: who reads the old one meanwhile is not disturbed.
package struct EpisodeFile: Sendable {
  /// Why nothing was recorded.
  package enum Failure: Error, CustomStringConvertible {
    case store(StoreError)
    case configuration(ConfigurationFileError)
    /// The secret of a `text:` rule is not known.
    case textMissing(String)
    /// The cassette has one upstream, without a name, and this is another.
    case upstreamUnnamed(path: String, recorded: String, asked: String)
    case system(String)

    package var description: String {
      switch self {
      case .store(let error): error.description
      case .configuration(let error):
        "\(error.path)\(error.line.map { ", line \($0)" } ?? ""): \(error.reason)"
      case .textMissing(let word):
        "nothing is recorded: what is to be redacted by \(word) is not known here: set it, or "
          + "leave the rule out"
      case .upstreamUnnamed(let path, let recorded, let asked):
        "\(path) has recordings of \(recorded) alone, and \(asked) was asked: record everything "
          + "again with FIXTURED_RECORD=all"
      case .system(let said): "nothing is recorded: \(said)"
      }
    }
  }

  package let path: String

  package init(path: String) {
    self.path = path
  }

  /// The files that were written since the process began.
  private static let written = Mutex<Set<String>>([])
  /// Held by who writes one, which takes its time: not a `Mutex`, whose slow way the thread
  /// sanitizer does not see.
  private static let writing = NSLock()

  /// Whether tests of this process made or replaced it.
  package var isOfThisRun: Bool { Self.written.withLock { $0.contains(path) } }

  /// Adds what a test recorded, redacted; what it replaces is gone then.
  ///
  /// - Parameter replaces: whether what an earlier process recorded goes.
  /// - Returns: warnings: what was not stored, and why.
  func store(_ episodes: [Episode], replaces: Bool) throws(Failure) -> [String] {
    guard !episodes.isEmpty else { return [] }
    Self.writing.lock()
    defer { Self.writing.unlock() }
    let warnings = try store(episodes, keeps: !replaces || isOfThisRun)
    Self.written.withLock { _ = $0.insert(path) }
    return warnings
  }

  private func store(_ episodes: [Episode], keeps: Bool) throws(Failure) -> [String] {
    let new = path + "-\(UUID().uuidString).new"
    do {
      let (writer, stored) = try open(new, keeps: keeps)
      let result = try Self.add(episodes, to: writer, stored: stored, path: path)
      try writer.close()
      try FileSystem.rename(path: new, to: try CassetteReplacement.place(of: path))
      return result
    } catch {
      FileSystem.remove(path: new)
      throw Self.failure(error)
    }
  }

  private static func failure(_ error: any Error) -> Failure {
    switch error {
    case let error as Failure: error
    case let error as StoreError: .store(error)
    case let error as ConfigurationFileError: .configuration(error)
    default: .system(error.localizedDescription)
    }
  }

  /// A new file, or a copy of the one that is there.
  private func open(
    _ new: String, keeps: Bool
  ) throws -> (writer: CassetteWriter, stored: CassetteDescription) {
    let exists = FileManager.default.fileExists(atPath: path)
    if keeps, exists {
      let description = try CassetteReader(path: path).description
      try FileManager.default.copyItem(atPath: path, toPath: new)
      return (try CassetteWriter.open(existing: new, durability: .process), description)
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let configuration = try ConfigurationFile.read(beside: path)
    // They were parsed when the file was read.
    let rules = try RedactionRules(adding: configuration.redactions(beside: path))
    let description = CassetteDescription(redactions: rules.words)
    let writer = try CassetteWriter.create(
      path: new, replacing: exists ? path : nil, description: description, durability: .process,
      createdBy: "fixtured, in a test")
    return (writer, description)
  }

  private static func add(
    _ episodes: [Episode], to writer: CassetteWriter, stored: CassetteDescription, path: String
  ) throws -> [String] {
    var description = stored
    var upstreams = EpisodeUpstreams(stored.upstreams)
    var redactor: Redactor?
    if let words = stored.redactions {
      let rules = RedactionRules(stored: words)
      redactor = Redactor(
        rules: rules, count: stored.redactedCount, texts: try texts(rules, path: path),
        textNumbers: stored.textNumbers)
    }
    var warnings: [String] = []
    var drafts: [InteractionDraft] = []
    for (index, episode) in episodes.enumerated() {
      guard let place = upstreams.place(of: episode.url) else {
        throw Failure.upstreamUnnamed(
          path: path, recorded: stored.upstreams.map(\.url).joined(separator: ", "),
          asked: episode.url.origin)
      }
      var draft = episode.draft(
        id: writer.nextID + Int64(index), upstream: place.name, target: place.target)
      for exception in redactor?.redact(&draft) ?? [] {
        warnings.append(
          "interaction \(draft.interaction.id): its \(exception.side.rawValue) content "
            + "\(exception.omission.reason), and is not stored")
      }
      writer.stream(&draft.requestBody, as: BodyToken(Int64(2 * index)))
      writer.stream(&draft.responseBody, as: BodyToken(Int64(2 * index + 1)))
      drafts.append(draft)
    }
    description.upstreams = upstreams.all
    if let redactor {
      description.redactedCount = redactor.count
      description.textNumbers = redactor.textNumbers
    }
    if description != stored { writer.updateDescription(description) }
    // What goes wrong here is thrown by `close`.
    writer.commit(drafts) { _ in }
    return warnings
  }

  /// The secrets that rules name: in the environment, or in a file that the `fixtured.conf` beside
  /// the cassette names too. A cassette is data from outside, which must not make anybody read a
  /// file.
  private static func texts(_ rules: RedactionRules, path: String) throws -> [TextSecrets] {
    let configuration = try ConfigurationFile.read(beside: path)
    let named = try RedactionRules(adding: configuration.redactions(beside: path)).texts
    return try rules.texts.map { source in
      guard let secrets = SecretTexts.known(source, to: named),
        secrets.allSatisfy(TextSecrets.canBeFound)
      else {
        throw Failure.textMissing(source.word)
      }
      return TextSecrets(source: source, secrets: secrets)
    }
  }
}

/// The upstreams of a cassette, and those that came to be asked.
private struct EpisodeUpstreams {
  private(set) var all: [CassetteDescription.Upstream]

  init(_ stored: [CassetteDescription.Upstream]) {
    all = stored
  }

  /// Whom a request is for, and what it asks there; somebody new is named after the host.
  /// - Returns: nil when nobody can be added, as the one that is there has no name.
  mutating func place(of url: LiveURL) -> (name: String?, target: [UInt8])? {
    for upstream in all {
      // What is no URL was asked by nobody.
      guard let base = try? BaseURL(parsing: upstream.url), url.hasOrigin(of: base),
        let target = base.pathBelowBase(url.target[...])
      else { continue }
      return (upstream.name, Array(target))
    }
    guard all.allSatisfy({ $0.name != nil }) else { return nil }
    let name = newName(after: url)
    all.append(CassetteDescription.Upstream(name: name, url: url.origin))
    return (name, url.target)
  }

  /// The host, with what a name can't hold as hyphens.
  private func newName(after url: LiveURL) -> String {
    let host = String(
      decoding: url.host.map { byte in
        let isPlain = byte.isDigit || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        return isPlain ? byte : 0x2D
      }, as: UTF8.self)
    var name = host
    var number = 2
    while all.contains(where: { $0.name == name }) {
      name = "\(host)-\(number)"
      number += 1
    }
    return name
  }
}
