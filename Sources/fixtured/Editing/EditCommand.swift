import FixtureCassette
import FixtureHTTP
import FixtureStore

/// `fixtured edit`: an interaction in the user's editor.
enum EditCommand {
  static func run(_ options: EditOptions) -> ExitStatus {
    do {
      let reader = try CassetteReader(path: options.cassette)
      let interaction = try reader.interaction(id: options.id)
      let text = EditableText(
        interaction,
        requestContent: try content(interaction.requestBody, interaction.request.fields, reader),
        responseContent: try content(
          interaction.response?.body, interaction.response?.head.fields, reader),
        of: options.cassette)
      let file = try Editor.edit(text.bytes)
      return try finish(file, text, interaction, reader)
    } catch let error as StoreError {
      Diagnostic.write(error.description)
    } catch let error as Editor.Failure {
      Diagnostic.write("\(error.description), nothing was changed")
    } catch {
      Diagnostic.write("\(error)")
    }
    return .failure
  }

  /// - Parameter file: what the editor left; kept when nothing can be made of it.
  private static func finish(
    _ file: Editor.Result, _ text: EditableText, _ interaction: Interaction,
    _ reader: CassetteReader
  ) throws -> ExitStatus {
    do {
      guard let changed = try EditedText.parse(file.bytes, against: text) else {
        file.remove()
        return Output.print("interaction \(interaction.id): nothing was changed\n")
      }
      var edited = EditedInteraction(interaction, of: reader)
      try edited.take(
        changed, requestContent: text.requestContent.original,
        responseContent: text.responseContent.original)
      let status = try edited.write(to: reader)
      file.remove()
      return status
    } catch let error as EditedText.Problem {
      Diagnostic.write(
        "the edited text is refused, \(file.path):\(error.line): \(error.reason), nothing was "
          + "changed and the text is kept there")
    } catch let error as EditedInteraction.Refusal {
      Diagnostic.write(
        "the edited text is refused, \(error.reason), nothing was changed and the text is kept in "
          + file.path)
    } catch let error as StoreError {
      Diagnostic.write("\(error.description); the edited text is kept in \(file.path)")
    }
    return .failure
  }

  private static func content(
    _ body: BodyReference?, _ fields: FieldSection?, _ reader: CassetteReader
  ) throws(StoreError) -> EditableContent {
    EditableContent(
      try reader.excerpt(
        body, of: fields, bytesMax: EditableContent.sizeMax,
        decodedSizeMax: EditableContent.sizeMax))
  }
}

/// What `fixtured edit` is asked to edit.
struct EditOptions: Equatable, Sendable {
  var cassette: String
  var id: Int64
}

extension EditOptions {
  init(_ arguments: ScannedArguments) throws(UsageError) {
    self.init(
      cassette: arguments.operands[0], id: try arguments.identifier(arguments.operands[1]))
  }
}
