import FixtureCassette
import FixtureStore

extension FolderConfiguration {
  /// What the `fixtured.conf` beside a cassette says.
  static func read(beside cassette: String) throws(UsageError) -> FolderConfiguration {
    let configuration: FolderConfiguration
    do throws(ConfigurationFileError) {
      configuration = try ConfigurationFile.read(beside: cassette)
    } catch {
      throw UsageError(
        .configurationInvalid(path: error.path, line: error.line, reason: error.reason))
    }
    for line in configuration.upstreams {
      do throws(RecordOptions.Upstream.Refusal) {
        _ = try RecordOptions.Upstream(parsing: line.text)
      } catch {
        throw UsageError(
          .configurationInvalid(
            path: ConfigurationFile.path(beside: cassette), line: line.number,
            reason: error.reason))
      }
    }
    return configuration
  }
}

extension MatchOptions {
  /// The standard, changed by the configuration and then by the command line.
  init(
    _ arguments: ScannedArguments, _ configuration: FolderConfiguration
  ) throws(UsageError) {
    self.init()
    do throws(MatchOptionsError) {
      // These were checked when they were read.
      for line in configuration.matches { try apply(line.text) }
      for text in arguments.values(.match) { try apply(text) }
    } catch {
      throw arguments.error(.valueRefused(.match, reason: error.description))
    }
  }
}
