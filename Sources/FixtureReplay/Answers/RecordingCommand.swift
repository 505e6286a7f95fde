import FixtureCassette

/// The command line that records what a cassette does not have.
package struct RecordingCommand: Equatable, Sendable {
  /// As it can be pasted into a shell.
  package let text: String

  /// - Parameters:
  ///   - path: of the cassette.
  ///   - match: by what recordings are looked for: with less the recorder would find what was asked
  ///     among what it has, and record nothing.
  package init(
    cassette path: String, _ description: CassetteDescription, match: MatchOptions = .init()
  ) {
    var words = ["fixtured", "record", "--mode", "new-episodes"]
    for upstream in description.upstreams {
      words += ["--upstream", (upstream.name.map { $0 + "=" } ?? "") + upstream.url]
    }
    if description.preservesHost { words.append("--preserve-host") }
    if let redactions = description.redactions {
      for redaction in redactions { words += ["--redact", redaction] }
    } else {
      words.append("--no-redact")
    }
    if match != MatchOptions() { words += ["--match", match.words] }
    text = (words + [path]).map(ShellWord.quoted).joined(separator: " ")
  }

  /// Where no cassette is known by name.
  static let unknown = "fixtured record --mode new-episodes"
}

/// Words of a command line (POSIX shell, §2.2).
package enum ShellWord {
  /// The word as it is, or in quotes when a shell would not take it for one.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: plain.contains(byte)
      }
    }
    if isPlain, !word.isEmpty { return word }
    return "'" + word.replacing("'", with: #"'\''"#) + "'"
  }

  private static let plain = Array("%+,-./:=@_".utf8)
}
