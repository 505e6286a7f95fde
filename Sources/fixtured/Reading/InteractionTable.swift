import FixtureCassette
import FixtureHTTP

/// Interactions as a table, a line each, columns aligned.
struct InteractionTable {
  /// One line; what is absent shows as `-`.
  struct Row: Equatable, Sendable {
    let cells: [String]

    init(_ interaction: Interaction, withUpstream: Bool) {
      let response = interaction.response
      var cells = ["\(interaction.id)"]
      if withUpstream { cells.append(interaction.upstream?.escapedForTerminal ?? "-") }
      cells += [
        String(escaping: interaction.request.method.bytes),
        response.map { "\($0.head.status)" } ?? "-",
        interaction.outcome.rawValue,
        response?.head.fields.mediaType.map { String(escaping: $0) } ?? "-",
        response?.body.map { "\($0.size)" } ?? "-",
        TimeText.tenths(us: interaction.end_us),
        String(escaping: interaction.request.target),
      ]
      self.cells = cells
    }
  }

  private let titles: [String]
  private var rows: [Row] = []
  private let withUpstream: Bool

  /// - Parameter withUpstream: whether there are several, so that their names matter.
  init(withUpstream: Bool) {
    self.withUpstream = withUpstream
    titles =
      ["id"] + (withUpstream ? ["upstream"] : [])
      // The target comes last: it may be of any length and need not be cut or padded there.
      + ["method", "status", "outcome", "type", "size", "ms", "target"]
  }

  mutating func append(_ interaction: Interaction) {
    rows.append(Row(interaction, withUpstream: withUpstream))
  }

  /// The lines with the titles first, each ending with a newline.
  func forEachLine(_ body: (String) -> Void) {
    var widths = titles.map(\.count)
    for row in rows {
      for (column, cell) in row.cells.enumerated() {
        widths[column] = max(widths[column], cell.count)
      }
    }
    body(line(titles, widths))
    for row in rows { body(line(row.cells, widths)) }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      if column == cells.count - 1 { return line + cell + "\n" }
      let space = String(repeating: " ", count: widths[column] - cell.count)
      let isNumber = ["id", "size", "ms"].contains(titles[column])
      line += (isNumber ? space + cell : cell + space) + "  "
    }
    return line
  }
}

extension FieldSection {
  /// The media type without parameters (RFC 9110 §8.3.1); nil without Content-Type.
  fileprivate var mediaType: ArraySlice<UInt8>? {
    guard let value = first(.contentType) else { return nil }
    let type = value.prefix { $0 != UInt8(ascii: ";") }.trimmingOptionalWhitespace
    return type.isEmpty ? nil : type
  }
}
