import FixtureCassette

/// The `fixtured.conf` in the folder of a cassette.
package enum ConfigurationFile {
  /// Longer ones are no configuration.
  static let bytesMax = 1 << 20

  /// - Returns: an empty configuration when there is no file.
  package static func read(
    beside cassette: String
  ) throws(ConfigurationFileError) -> FolderConfiguration {
    let path = path(beside: cassette)
    guard let bytes = try contents(path) else { return FolderConfiguration() }
    do {
      return try FolderConfiguration(parsing: bytes)
    } catch {
      throw ConfigurationFileError(path: path, problem: .line(error))
    }
  }

  /// Where it lies, if it is there.
  package static func path(beside cassette: String) -> String {
    let folder = cassette.lastIndex(of: "/").map { String(cassette[...$0]) } ?? ""
    return folder + FolderConfiguration.fileName
  }

  private static func contents(_ path: String) throws(ConfigurationFileError) -> [UInt8]? {
    do throws(SmallFile.Failure) {
      // A pipe nobody writes to must not hold up the start.
      return try SmallFile.contents(path, bytesMax: bytesMax, waitsForWriter: false)
    } catch {
      switch error {
      case .system(let call, let code):
        throw ConfigurationFileError(path: path, problem: .system(call: call, errno: code))
      case .tooLarge(let bytesMax):
        throw ConfigurationFileError(path: path, problem: .tooLarge(bytesMax: bytesMax))
      }
    }
  }
}

/// Why a `fixtured.conf` can't be followed.
package struct ConfigurationFileError: Error, Equatable, Sendable {
  package enum Problem: Equatable, Sendable {
    case line(FolderConfigurationError)
    case system(call: String, errno: Int32)
    case tooLarge(bytesMax: Int)
  }

  package let path: String
  package let problem: Problem

  /// What is wrong, without the path and the line.
  package var reason: String {
    switch problem {
    case .line(let error): error.description
    case .system(let call, let code): "\(call): \(errorText(code))"
    case .tooLarge(let bytesMax): "it has more than \(bytesMax) bytes"
    }
  }

  /// From 1; nil when it is about the file.
  package var line: Int? {
    if case .line(let error) = problem { error.line } else { nil }
  }
}
