import FixtureCassette
import FixtureHTTP

/// A section with these lines, `Name: value` each.
func section(_ lines: String...) throws -> FieldSection {
  try section(lines)
}

func section(_ lines: [String]) throws -> FieldSection {
  try FieldSection(stored: lines.flatMap { Array("\($0)\r\n".utf8) })
}

/// The lines of a section, as `section` takes them.
func lines(_ fields: FieldSection) -> [String] {
  fields.lines.indices.map { text(fields.line(at: $0).dropLast(2)) }
}

func head(_ status: Int, _ reason: String, _ lines: String...) throws -> ResponseHead {
  ResponseHead(status: status, reason: Array(reason.utf8), fields: try section(lines))
}

func request(
  _ method: Method, _ target: String, _ version: HTTPVersion = .http11, _ lines: String...
) throws -> RequestHead {
  RequestHead(
    method: method, target: Array(target.utf8), version: version, fields: try section(lines))
}

func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

func slice(_ range: Range<Int64>) -> BodySlice { BodySlice(body: 1, range: range) }
