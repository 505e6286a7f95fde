import FixtureCassette
import FixtureReplay
import FixtureStore
import Foundation
import Synchronization

/// Recorded interactions to replay: a cassette file, or a few written beside the test.
///
///     let feed = try Cassette(named: "feed")
///     let users: Cassette = [
///       .get("/users/42", .json(#"{"id": 42}"#)),
///       .post("/users", .status(201)),
///     ]
///
/// A value that any number of fixtures may share; nothing is ever written to it.
public struct Cassette: Sendable {
  let file: CassetteFile

  /// A file made by `fixtured record`.
  /// - Throws: `FixtureFailure.cassetteRefused` when it can't be read or is no cassette.
  public init(contentsOf url: URL) throws(FixtureFailure) {
    guard url.isFileURL else {
      throw .cassetteRefused("\(url) is no file: give a file URL")
    }
    file = CassetteFile(path: url.path)
    _ = try file.contents(MatchOptions())
  }

  /// A cassette beside the test.
  ///
  /// Looked for as `NAME.db` in the folder of the test's source file, in `Cassettes` and
  /// `cassettes` there, then the same in the folders above it up to that of `Package.swift`, then
  /// among the resources of the bundle.
  /// - Parameters:
  ///   - name: with or without `.db`; may hold folders.
  ///   - bundle: whose resources are looked at, as `.module`; nil for the main one.
  /// - Throws: `FixtureFailure.cassetteMissing` with the places; `.cassetteRefused` when what is
  ///   there can't be read.
  public init(
    named name: String, file: String = #filePath, bundle: Bundle? = nil
  ) throws(FixtureFailure) {
    let places = CassettePlaces(name: name, source: file, bundle: bundle)
    guard let found = places.first else {
      throw .cassetteMissing(name: name, searched: places.described)
    }
    try self.init(contentsOf: found)
  }

  /// Where a cassette of this name is recorded to: beside the test, or where one lies that is found
  /// from there. Bundles hold copies, and are not looked at.
  package static func recordingPlace(named name: String, file: String) -> URL {
    CassettePlaces(name: name, source: file, bundle: nil).recordingPlace
  }

  /// Interactions that no file holds, in the order in which equal requests get them.
  /// - Parameter upstream: whom they were recorded from, as `https://api.example.com`; nil for
  ///   anybody.
  public init(_ interactions: [Interaction], upstream: String? = nil) {
    file = CassetteFile(interactions, upstream: upstream)
  }
}

extension Cassette: ExpressibleByArrayLiteral {
  /// Interactions that no file holds, from nobody in particular.
  public init(arrayLiteral interactions: Interaction...) { self.init(interactions) }
}

/// The file of a cassette and what is known of it. A file made for inline interactions is removed
/// with this.
final class CassetteFile: Sendable {
  /// nil for inline interactions.
  let path: String?
  private let interactions: [Cassette.Interaction]
  private let upstream: String?
  private let state = Mutex(State())
  /// Held while a file is made, which takes its time: not the `Mutex`, whose slow way the thread
  /// sanitizer does not see, and tests of apps run under that.
  private let making = NSLock()

  private struct State {
    /// Of inline interactions, once it was needed.
    var made: String?
    var contents: [MatchOptions: CassetteContents] = [:]
  }

  init(path: String) {
    self.path = path
    interactions = []
    upstream = nil
  }

  init(_ interactions: [Cassette.Interaction], upstream: String?) {
    path = nil
    self.interactions = interactions
    self.upstream = upstream
  }

  deinit {
    guard let made = state.withLock({ $0.made }) else { return }
    // A temporary file that is gone already is as it should be.
    try? FileManager.default.removeItem(atPath: made)
  }

  /// What the cassette is called in messages.
  var name: String { path ?? "the inline cassette" }

  /// Where it can be opened.
  func openablePath() throws(FixtureFailure) -> String {
    if let path { return path }
    making.lock()
    defer { making.unlock() }
    if let made = state.withLock({ $0.made }) { return made }
    let made = try Cassette.Interaction.write(interactions, upstream: upstream)
    state.withLock { $0.made = made }
    return made
  }

  /// Read once for each set of options, however many fixtures there are.
  func contents(_ match: MatchOptions) throws(FixtureFailure) -> CassetteContents {
    if let known = state.withLock({ $0.contents[match] }) { return known }
    let path = try openablePath()
    do {
      let reader = try CassetteReader(path: path)
      let contents = try CassetteContents(of: reader, as: reader.description, match: match)
      state.withLock { $0.contents[match] = contents }
      return contents
    } catch {
      throw .cassetteRefused(error.description)
    }
  }
}

/// Where a cassette may lie.
struct CassettePlaces {
  private let files: [URL]
  /// Of these, those that are found from the source file.
  private let sources: [URL]

  init(name: String, source: String, bundle: Bundle?) {
    let name = name.hasSuffix(".db") ? name : name + ".db"
    var files: [URL] = []
    for folder in Self.folders(above: source) {
      for inner in ["", "Cassettes", "cassettes"] {
        files.append(
          (inner.isEmpty ? folder : folder.appending(path: inner)).appending(path: name))
      }
    }
    sources = files
    let resources = bundle ?? .main
    for inner in ["", "Cassettes", "cassettes"] {
      if let root = resources.resourceURL {
        files.append((inner.isEmpty ? root : root.appending(path: inner)).appending(path: name))
      }
    }
    self.files = files
  }

  /// nil when there is none.
  var first: URL? { files.first { FileManager.default.fileExists(atPath: $0.path) } }

  var described: [String] { files.map(\.path) }

  /// One that lies where it is found from the source file, else a new one in `Cassettes` beside it.
  var recordingPlace: URL {
    if let old = sources.first(where: { FileManager.default.fileExists(atPath: $0.path) }) {
      return old
    }
    // The first three are those beside the source file.
    let hasLowerCase = FileManager.default.fileExists(
      atPath: sources[2].deletingLastPathComponent().path)
    return hasLowerCase ? sources[2] : sources[1]
  }

  /// More folders than any package has above its tests.
  private static let foldersMax = 12

  /// That of the source file first, that of the package last.
  private static func folders(above source: String) -> [URL] {
    var folders: [URL] = []
    var folder = URL(fileURLWithPath: source).deletingLastPathComponent()
    while folders.count < foldersMax {
      folders.append(folder)
      let manifest = folder.appending(path: "Package.swift")
      let parent = folder.deletingLastPathComponent()
      if FileManager.default.fileExists(atPath: manifest.path) || parent.path == folder.path {
        break
      }
      folder = parent
    }
    return folders
  }
}
