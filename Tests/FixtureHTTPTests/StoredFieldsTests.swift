import FixtureHTTP
import Testing

@Suite struct `Stored fields` {
  private func first(_ text: String, _ name: FieldName) -> String? {
    Array(text.utf8).withUnsafeBytes { bytes in
      StoredFields(bytes).first(name).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  @Test func `the first line of a name is found whatever its case`() {
    let text = "Host: a\r\nvary: x\r\nVARY: y\r\nVary-Not: z\r\nAccept: \r\n"
    #expect(first(text, .host) == "a")
    #expect(first(text, .vary) == "x")
    #expect(first(text, .accept) == "")
    #expect(first(text, .date) == nil)
    #expect(first("", .host) == nil)
  }

  @Test func `every section is read as it was written`() {
    var fields = FieldSection()
    for index in 0..<50 {
      fields.append(
        name: Array((index % 7 == 3 ? "VaRy" : "X-\(index)").utf8),
        value: Array(String(repeating: "v", count: index).utf8))
      let found = fields.bytes.withUnsafeBytes { StoredFields($0).first(.vary).map { Array($0) } }
      #expect(found == fields.first(.vary).map { Array($0) })
    }
  }

  @Test func `damaged bytes are no harm`() {
    let text = Array("Host: a\r\nVary: x\r\n".utf8)
    for count in 0...text.count {
      _ = text[..<count].withUnsafeBytes { StoredFields($0).first(.vary)?.count }
      for byte: UInt8 in [0x0D, 0x0A, 0x3A, 0x00] {
        _ = (text[..<count] + [byte]).withUnsafeBytes { StoredFields($0).first(.vary)?.count }
      }
    }
  }
}
