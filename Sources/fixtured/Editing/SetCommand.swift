import FixtureCassette
import FixtureHTTP
import FixtureStore

/// `fixtured set`: changes one thing of an interaction.
enum SetCommand {
  static func run(_ options: SetOptions) -> ExitStatus {
    do {
      let reader = try CassetteReader(path: options.cassette)
      var edited = EditedInteraction(try reader.interaction(id: options.id), of: reader)
      try apply(options, to: &edited)
      return try edited.write(to: reader)
    } catch let error as StoreError {
      Diagnostic.write(error.description)
    } catch let error as FileError {
      Diagnostic.write("the content can't be read, \(error.description), nothing was changed")
    } catch let error as EditedInteraction.Refusal {
      Diagnostic.write("\(error.reason), \(options.cassette), nothing was changed")
    } catch {
      Diagnostic.write("\(error)")
    }
    return .failure
  }

  private static func apply(
    _ options: SetOptions, to edited: inout EditedInteraction
  ) throws {
    switch options.setting {
    case .status(let status, let reason):
      try edited.setStatus(status, reason: reason.map { Array($0.utf8) })
    case .field(let name, let value):
      try edited.setField(
        Array(name.utf8), value.map { Array(Array($0.utf8).trimmingOptionalWhitespace) },
        of: options.side)
    case .content(let source): try edited.setContent(try contents(source), of: options.side)
    }
  }

  private static func contents(_ source: SetOptions.Source) throws(FileError) -> [UInt8] {
    switch source {
    case .text(let text): return Array(text.utf8)
    case .file(let path):
      guard let contents = try File.contents(path == "-" ? "/dev/stdin" : path) else {
        throw FileError(path: path, call: "open", errno: 2)
      }
      return contents
    }
  }
}
