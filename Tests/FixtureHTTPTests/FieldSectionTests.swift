import Testing

@testable import FixtureHTTP

@Suite struct `Field section` {
  @Test func `order, repeats and case are kept`() throws {
    let stored = "B: 1\r\na: 2\r\nb: 3\r\nEmpty: \r\n"
    let section = try FieldSection(stored: Array(stored.utf8))
    #expect(section.bytes == Array(stored.utf8))
    #expect(section.count == 4)
    #expect(section.all(FieldName("b")).map(text) == ["1", "3"])
    #expect(section.first(FieldName("empty")).map(text) == "")
    #expect(section.first(FieldName("c")) == nil)
    #expect(text(section.line(at: 1)) == "a: 2\r\n")
  }

  @Test func `a part of a value is overwritten where it stands`() throws {
    var section = try FieldSection(stored: Array("A: 1\r\nB: one two\r\nC: 3\r\n".utf8))
    section.overwrite(4..<7, ofValueAt: 1, with: Array("six".utf8))
    #expect(section.bytes == Array("A: 1\r\nB: one six\r\nC: 3\r\n".utf8))
    section.overwrite(0..<1, ofValueAt: 2, with: [0x34])
    #expect(section.first(FieldName("c")).map(text) == "4")
  }

  @Test func `whitespace around a value is no part of it`() throws {
    let section = try FieldSection(stored: Array("A:1\r\nB: \t 2 \t\r\nC:\r\n".utf8))
    #expect(section.bytes == Array("A: 1\r\nB: 2\r\nC: \r\n".utf8))
  }

  @Test(arguments: [
    ("A: 1", 1), ("A: 1\r", 1), ("A: 1\n", 1), ("\r\n", 1), (": 1\r\n", 1), ("A 1\r\n", 1),
    ("A : 1\r\n", 1), (" A: 1\r\n", 1), ("A: 1\r\n B: 2\r\n", 2), ("A: 1\r\nB: \u{0}\r\n", 2),
    ("A: 1\nB: 2\r\n", 1), ("A: 1\rB: 2\r\n", 1), ("\u{FC}: 1\r\n", 1), ("A: 1\r\n\r\n", 2),
  ])
  func `a line that could not be sent is refused`(_ stored: String, _ line: Int) {
    #expect(throws: FieldSectionError.line(line)) {
      try FieldSection(stored: Array(stored.utf8))
    }
  }

  @Test func `bytes beyond ASCII are kept in values`() throws {
    let stored: [UInt8] = Array("A: ".utf8) + [0x80, 0xFF, 0x01, 0x7F] + Array("\r\n".utf8)
    #expect(try FieldSection(stored: stored).bytes == stored)
  }

  @Test(arguments: [
    ("a, b ,,c,", ["a", "b", "c"]), ("", []), (" , ", []), ("\"a,b\", c", ["\"a,b\"", "c"]),
    ("\"a\\\",b\",c", ["\"a\\\",b\"", "c"]), ("\"a,b", ["\"a,b"]), ("a\\,b", ["a\\", "b"]),
    ("\"a\\", ["\"a\\"]),
  ])
  func `members of a list are separated by commas outside quotes`(
    _ value: String, _ members: [String]
  ) {
    var section = FieldSection()
    section.append("L", value)
    #expect(section.list(FieldName("l")).map(text) == members)
  }

  @Test func `a list runs over all its lines and ignores the case of tokens`() {
    var section = FieldSection()
    section.append("Connection", "close, X")
    section.append("CONNECTION", "Keep-Alive")
    #expect(section.list(.connection).map(text) == ["close", "X", "Keep-Alive"])
    #expect(section.list(.connection, holds: "keep-alive"))
    #expect(section.list(.connection, holds: "x"))
    #expect(!section.list(.connection, holds: "alive"))
  }

  @Test func `values are replaced, kept or dropped line by line`() {
    var section = FieldSection()
    section.append("A", "1")
    section.append("B", "2")
    section.append("C", "3")
    let mapped = section.mapValues { name, value in
      switch text(name) {
      case "A": value
      case "B": nil
      default: Array("longer".utf8)[...]
      }
    }
    #expect(mapped.bytes == Array("A: 1\r\nC: longer\r\n".utf8))
    #expect(mapped.first(FieldName("c")).map(text) == "longer")
  }

  @Test func `lines are removed by name, in any case and as often as they are there`() {
    var section = FieldSection()
    section.append("Trailer", "1")
    section.append("B", "2")
    section.append("TRAILER", "3")
    section.append("Te", "4")
    #expect(section.removing(.trailer, .te).bytes == Array("B: 2\r\n".utf8))
    #expect(section.removing(.host) == section)
    let kept = section.filtered { !FieldName.te.matches($0) }
    #expect(kept.bytes == Array("Trailer: 1\r\nB: 2\r\nTRAILER: 3\r\n".utf8))
    #expect(kept.lines.indices.map { text(kept.value(at: $0)) } == ["1", "2", "3"])
    #expect(kept.lines.indices.map { text(kept.name(at: $0)) } == ["Trailer", "B", "TRAILER"])
  }

  private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
