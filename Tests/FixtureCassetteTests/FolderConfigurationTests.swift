import FixtureCassette
import Testing

@Suite struct `Folder configuration` {
  @Test func `settings are read with their lines`() throws {
    let text = """
      # what we record

      upstream api=https://api.example.com
      match\t+header:Accept, -query \r
        match +content-ignore:/ts
      redact header:X-Session
      """
    let configuration = try FolderConfiguration(parsing: Array(text.utf8))
    func lines(_ lines: [FolderConfiguration.Line]) -> [String] {
      lines.map { "\($0.number) \($0.text)" }
    }
    #expect(lines(configuration.upstreams) == ["3 api=https://api.example.com"])
    #expect(lines(configuration.matches) == ["4 +header:Accept, -query", "5 +content-ignore:/ts"])
    #expect(lines(configuration.redactions) == ["6 header:X-Session"])
  }

  @Test func `nothing says nothing`() throws {
    for text in ["", "\n\n", "# a", "\u{FEFF}", " \t\r\n"] {
      #expect(try FolderConfiguration(parsing: Array(text.utf8)) == FolderConfiguration())
    }
  }

  @Test(arguments: [
    ("match -query\nmtach -path", 2, #"there is no setting "mtach", did you mean match?"#),
    ("--match -path", 1, #"there is no setting "--match", did you mean match?"#),
    (
      "\n\nsomething else", 3,
      #"there is no setting "something", expected upstream, match, redact or a comment after #"#
    ),
    ("match", 1, "match has no value, write it as after --match"),
    ("match +querry", 1, #"there is no "querry" at 2, did you mean query?"#),
    (
      "redact X-Session", 1,
      "a redaction has no kind, expected header:NAME, query:NAME, form:NAME, "
        + "json:NAME, json:/POINTER, text:env:NAME or text:@FILE"
    ),
    ("match\u{0} x", 1, #"there is no setting "match?", did you mean match?"#),
  ])
  func `a line that can't be followed is named`(_ text: String, _ line: Int, _ reason: String) {
    let error = #expect(throws: FolderConfigurationError.self) {
      try FolderConfiguration(parsing: Array(text.utf8))
    }
    #expect(error?.line == line)
    #expect(error?.description == reason)
  }

  @Test func `what is no text is no configuration`() {
    let error = #expect(throws: FolderConfigurationError.self) {
      try FolderConfiguration(parsing: [0x23, 0x0A, 0xFF, 0xFE])
    }
    #expect(error?.line == 2)
  }
}
