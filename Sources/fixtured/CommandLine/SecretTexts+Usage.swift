import FixtureCassette
import FixtureStore

extension SecretTexts {
  /// - Throws: which one is not there, or can't be looked for. No secret is part of it.
  static func read(
    _ sources: [TextSource], in command: CommandName
  ) throws(UsageError) -> [TextSecrets] {
    var texts: [TextSecrets] = []
    for source in sources {
      let secrets: [[UInt8]]
      do throws(SecretTextError) {
        secrets = try self.secrets(of: source)
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
}

extension SecretTextError {
  fileprivate var description: String {
    switch self {
    case .variableMissing(let name):
      "the environment has no variable \(name.quotedForTerminal), set it or leave the rule out"
    case .fileMissing(let path): "there is no file \(path.quotedForTerminal)"
    case .fileTooLarge(let path, let bytesMax):
      "\(path.quotedForTerminal) has more than \(bytesMax) bytes, which no list of secrets has"
    case .system(let path, let call, let code):
      "\(call): \(Diagnostic.text(ofErrno: code)), \(path)"
    case .nothing(let source): "\(source.word) is empty"
    }
  }
}
