import FixtureCassette

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The secrets that `text:` rules name, from where they are kept.
enum SecretTexts {
  /// Larger files are no list of secrets.
  private static let fileBytesMax = 1 << 20

  /// - Throws: which one is not there, or can't be looked for. No secret is part of it.
  static func read(
    _ sources: [TextSource], in command: CommandName
  ) throws(UsageError) -> [TextSecrets] {
    var texts: [TextSecrets] = []
    for source in sources {
      let secrets: [[UInt8]]
      do {
        secrets = try self.secrets(source)
      } catch {
        throw UsageError(.valueRefused(.redact, reason: error.description), in: command)
      }
      for secret in secrets where !TextSecrets.canBeFound(secret) {
        throw UsageError(
          .valueRefused(
            .redact,
            reason:
              "a secret of \(source.word) can't be told from other text, it must have at least "
              + "6 bytes with 4 letters or digits in a row"), in: command)
      }
      texts.append(TextSecrets(source: source, secrets: secrets))
    }
    return texts
  }

  /// The secrets of a source that a cassette names: variables, and files that were named here too.
  /// A cassette is data from outside, which must not make anybody read a file.
  static func known(_ source: TextSource, to named: [TextSource]) -> [[UInt8]]? {
    if case .file = source, !named.contains(source) { return nil }
    do {
      return try secrets(source)
    } catch {
      // A replay does without: the client may send what stands in the cassette.
      return nil
    }
  }

  private enum Failure: Error {
    case variableMissing(String)
    case fileMissing(String)
    case file(FileError)
    case nothing(TextSource)

    var description: String {
      switch self {
      case .variableMissing(let name):
        "the environment has no variable \(name.quotedForTerminal), set it or leave the rule out"
      case .fileMissing(let path): "there is no file \(path.quotedForTerminal)"
      case .file(let error): "\(error.description)"
      case .nothing(let source): "\(source.word) is empty"
      }
    }
  }

  /// The C function is `getenv`.
  private static func secrets(_ source: TextSource) throws(Failure) -> [[UInt8]] {
    let secrets: [[UInt8]]
    switch source {
    case .environment(let name):
      guard let value = getenv(name) else { throw .variableMissing(name) }
      secrets = [Array(String(cString: value).utf8)]
    case .file(let path):
      let contents: [UInt8]?
      do throws(FileError) {
        contents = try File.contents(path, bytesMax: fileBytesMax)
      } catch {
        throw .file(error)
      }
      guard let contents else { throw .fileMissing(path) }
      secrets = TextSource.secrets(inLines: contents)
    }
    let usable = secrets.filter { !$0.isEmpty }
    if usable.isEmpty { throw .nothing(source) }
    return usable
  }
}
