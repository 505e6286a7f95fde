import FixtureCassette
import FixtureEventLoop
import FixtureStore

/// The file a recording goes to: made, added to, or made beside the one it replaces.
struct RecordFile: Sendable {
  private let configuration: RecordConfiguration

  init(_ configuration: RecordConfiguration) {
    self.configuration = configuration
  }

  /// A file that is open to be recorded to.
  struct Opened: Sendable {
    let writer: CassetteWriter
    /// What the file says of itself.
    let storedDescription: CassetteDescription
    /// What it has to say from the first interaction on.
    let description: CassetteDescription
  }

  func open() throws(RecordError) -> Opened {
    switch configuration.target {
    case .new: return try create()
    case .newEpisodes: return try openExisting()
    case .replacing:
      do throws(RecordError) {
        return try create()
      } catch .store(.exists) {
        throw .leftOver(path: configuration.file)
      }
    }
  }

  private func create() throws(RecordError) -> Opened {
    let description = CassetteDescription(
      upstreams: configuration.upstreams.map {
        CassetteDescription.Upstream(name: $0.name, url: $0.url.description)
      }, redactions: configuration.redactions?.words,
      preservesHost: configuration.preservesHost)
    do {
      let writer = try CassetteWriter.create(
        path: configuration.file,
        replacing: configuration.target == .replacing ? configuration.cassette : nil,
        description: description, durability: configuration.durability,
        createdBy: configuration.createdBy)
      return Opened(writer: writer, storedDescription: description, description: description)
    } catch {
      throw .store(error)
    }
  }

  private func openExisting() throws(RecordError) -> Opened {
    let path = configuration.cassette
    let stored = try storedDescription()
    let recorded = stored.upstreams.map(\.name)
    guard recorded == configuration.upstreams.map(\.name) else {
      throw .upstreamsDiffer(
        path: path, recorded: recorded.map { $0 ?? "(unnamed)" },
        given: configuration.upstreams.map { $0.name ?? "(unnamed)" })
    }
    var description = stored
    description.preservesHost = stored.preservesHost || configuration.preservesHost
    description.redactions = merged(stored.redactions, configuration.redactions?.words)
    do {
      let writer = try CassetteWriter.open(
        existing: path, durability: configuration.durability)
      return Opened(writer: writer, storedDescription: stored, description: description)
    } catch {
      throw .store(error)
    }
  }

  /// The reader is gone when the writer opens the file.
  private func storedDescription() throws(RecordError) -> CassetteDescription {
    do {
      return try CassetteReader(path: configuration.cassette).description
    } catch {
      throw .store(error)
    }
  }

  /// What either recording redacts is a redacted place of the file from now on.
  private func merged(_ recorded: [String]?, _ given: [String]?) -> [String]? {
    guard let recorded else { return given }
    guard let given else { return recorded }
    return recorded + given.filter { !recorded.contains($0) }
  }

  /// Undoes `open` after a start that failed.
  func abandon(_ writer: CassetteWriter) {
    // The error that made the start fail is the one to report.
    try? writer.close()
    if configuration.target != .newEpisodes { FileSystem.remove(path: writer.path) }
  }

  /// Finishes the file: a new one without interactions is removed, a replacement takes its place.
  /// - Returns: the cassette's path; nil when nothing was recorded and there is none.
  func finish(_ writer: CassetteWriter, recorded: Int) throws(RecordError) -> String? {
    do {
      try writer.close()
    } catch {
      throw .store(error)
    }
    switch configuration.target {
    case .newEpisodes: break
    case .new where recorded > 0: break
    case .new:
      FileSystem.remove(path: writer.path)
      return nil
    case .replacing where recorded > 0:
      do throws(StoreError) {
        // Somebody may have come to use the old file meanwhile.
        let place = try CassetteReplacement.place(of: configuration.cassette)
        try FileSystem.rename(path: writer.path, to: place)
      } catch {
        throw .store(error)
      }
    case .replacing:
      FileSystem.remove(path: writer.path)
    }
    return configuration.cassette
  }
}
