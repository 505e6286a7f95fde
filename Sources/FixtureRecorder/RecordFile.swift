import FixtureCassette
import FixtureEventLoop
import FixtureStore

/// The file a recording goes to: made, added to, or made beside the one it replaces.
struct RecordFile: Sendable {
  private let configuration: RecordConfiguration

  init(_ configuration: RecordConfiguration) {
    self.configuration = configuration
  }

  private var path: String { configuration.file }

  func open() throws(RecordError) -> (writer: CassetteWriter, description: CassetteDescription) {
    switch configuration.target {
    case .new: return try create()
    case .newEpisodes: return try openExisting()
    case .replacing:
      do throws(RecordError) {
        return try create()
      } catch .store(.exists) {
        throw .leftOver(path: path)
      }
    }
  }

  private func create() throws(RecordError) -> (CassetteWriter, CassetteDescription) {
    let description = CassetteDescription(
      upstreams: configuration.upstreams.map {
        CassetteDescription.Upstream(name: $0.name, url: $0.url.description)
      }, redactions: configuration.redactions?.words)
    do {
      let writer = try CassetteWriter.create(
        path: path, description: description, durability: configuration.durability,
        createdBy: configuration.createdBy)
      return (writer, description)
    } catch {
      throw .store(error)
    }
  }

  private func openExisting() throws(RecordError) -> (CassetteWriter, CassetteDescription) {
    var description = try described()
    let recorded = description.upstreams.map(\.name)
    guard recorded == configuration.upstreams.map(\.name) else {
      throw .upstreamsDiffer(
        path: path, recorded: recorded.map { $0 ?? "(unnamed)" },
        given: configuration.upstreams.map { $0.name ?? "(unnamed)" })
    }
    let before = description
    description.redactions = merged(description.redactions, configuration.redactions?.words)
    do {
      let writer = try CassetteWriter.open(
        existing: path, durability: configuration.durability)
      if description != before { writer.updateDescription(description) }
      return (writer, description)
    } catch {
      throw .store(error)
    }
  }

  /// The reader is gone when the writer opens the file.
  private func described() throws(RecordError) -> CassetteDescription {
    do {
      return try CassetteReader(path: path).description
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
    if configuration.target != .newEpisodes { FileSystem.remove(path: path) }
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
    case .newEpisodes: return path
    case .new where recorded > 0: return path
    case .new:
      FileSystem.remove(path: path)
      return nil
    case .replacing where recorded > 0:
      do {
        try FileSystem.rename(path: path, to: configuration.cassette)
      } catch {
        throw .store(error)
      }
      return configuration.cassette
    case .replacing:
      FileSystem.remove(path: path)
      return configuration.cassette
    }
  }
}
