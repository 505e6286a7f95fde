import FixtureCassette
import FixtureHTTP
import FixtureReplay
import FixtureStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `fixtured inspect`: shows what a cassette holds.
enum InspectCommand {
  /// Content of more than this is not put into JSON, which is made whole in memory.
  static let jsonContentBytesMax: Int64 = 64 << 20

  static func run(_ options: InspectOptions) -> ExitStatus {
    let output = Output(descriptor: STDOUT_FILENO)
    do {
      let reader = try CassetteReader(path: options.cassette)
      switch (options.id, options.asJSON) {
      case (let id?, true): try writeJSON(of: id, in: reader, to: output)
      case (nil, true): try writeJSON(of: reader, to: output)
      case (let id?, false):
        output.write(try InteractionText(reader: reader, id: id, withTimes: true).text)
      case (nil, false): try writeTable(of: reader, to: output)
      }
    } catch {
      output.flush()
      Diagnostic.write(error.description)
      return .failure
    }
    return output.finishPrinting()
  }

  private static func writeTable(
    of reader: CassetteReader, to output: Output
  ) throws(StoreError) {
    var table = InteractionTable(withUpstream: reader.description.upstreams.count > 1)
    for id in try reader.interactionIDs() { table.append(try reader.interaction(id: id)) }
    table.forEachLine(output.write)
  }

  /// An object with what the cassette says about itself and all interactions without their content,
  /// each on its own line.
  private static func writeJSON(
    of reader: CassetteReader, to output: Output
  ) throws(StoreError) {
    output.write("{\"cassette\":")
    output.write(bytes: description(of: reader).bytes)
    output.write(",\"interactions\":[")
    // After a failure too, what was written is whole.
    defer { output.write("\n]}\n") }
    var separator = "\n"
    for id in try reader.interactionIDs() where output.isOpen {
      var json = JSONText()
      InteractionJSON.write(
        try reader.interaction(id: id), requestContent: .summary, responseContent: .summary,
        arrivals: false, to: &json)
      output.write(separator)
      output.write(bytes: json.bytes)
      separator = ",\n"
    }
  }

  private static func description(of reader: CassetteReader) -> JSONText {
    var json = JSONText()
    json.object { json in
      json.member("format_version", Int64(reader.formatVersion))
      json.member("upstreams") { json in
        json.array { json in
          for upstream in reader.description.upstreams {
            json.object { json in
              json.member("name") { json in
                if let name = upstream.name { json.string(name.utf8) } else { json.null() }
              }
              json.member("url", upstream.url)
            }
          }
        }
      }
      json.member("redactions") { json in
        guard let words = reader.description.redactions else { return json.null() }
        json.array { json in for word in words { json.string(word.utf8) } }
      }
    }
    return json
  }

  private static func writeJSON(
    of id: Int64, in reader: CassetteReader, to output: Output
  ) throws(StoreError) {
    let interaction = try reader.interaction(id: id)
    var json = JSONText()
    InteractionJSON.write(
      interaction,
      requestContent: try content(
        interaction.requestBody, of: interaction.request.fields, in: reader),
      responseContent: try content(
        interaction.response?.body, of: interaction.response?.head.fields, in: reader),
      arrivals: true, to: &json)
    output.write(bytes: json.bytes)
    output.write("\n")
  }

  private static func content(
    _ body: BodyReference?, of fields: FieldSection?, in reader: CassetteReader
  ) throws(StoreError) -> InteractionJSON.Content {
    guard let body, body.size <= jsonContentBytesMax else { return .summary }
    let bytesMax = Int(jsonContentBytesMax)
    let excerpt = try reader.excerpt(
      body, of: fields, bytesMax: bytesMax, decodedSizeMax: bytesMax)
    return excerpt.map { .whole($0.stored.beginning, decoded: $0.decoded) } ?? .summary
  }
}
