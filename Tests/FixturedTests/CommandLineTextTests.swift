import Testing

@testable import fixtured

@Suite struct CommandLineTextTests {
  private func message(_ arguments: String...) -> String {
    do {
      _ = try Command(arguments: arguments)
      return ""
    } catch {
      return error.description
    }
  }

  @Test func `that links inside content are not changed is said where it is asked for`() {
    for text in [
      message("record", "--upstream", "http://a.test", "--rewrite-content"),
      message("replay", "--rewrite-content", "x.db"),
    ] {
      #expect(text.hasPrefix("there is no option --rewrite-content, in fixtured re"))
      #expect(
        text.contains(", links inside content stay as they were recorded, because its length"))
    }
  }

  @Test func `an error says what, where and what to do`() {
    #expect(
      message("replay", "--pase", "x2")
        == "there is no option --pase, in fixtured replay, did you mean --pace?")
    #expect(
      message("replay", "a", "--listen", "8377")
        == "--listen cannot be 8377, in fixtured replay, "
        + "give HOST:PORT, for example 127.0.0.1:8377 or [::1]:0")
    #expect(
      message("replay", "a", "--listen")
        == "--listen has no value, in fixtured replay, write --listen HOST:PORT")
    #expect(
      message("recrod")
        == "there is no command recrod, in fixtured, did you mean record?")
    #expect(
      message("record") == "--upstream is missing, in fixtured record, give --upstream [NAME=]URL")
  }

  @Test func `what was typed is printed on one line without control characters`() {
    let escape = "\u{1B}[2J\n\u{202E}x"
    #expect(
      message("replay", "a", escape)
        == "\\u{1b}[2J\\n\\u{202e}x is one operand too many, in fixtured replay, "
        + "leave it out; fixtured replay --help shows what is expected")
  }

  @Test func `bytes that are no UTF-8 are printed as numbers`() {
    let bytes: [UInt8] = [0x61, 0xFF, 0xC3, 0xA9, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0xE2, 0x82]
    #expect(String(escaping: bytes) == "a\\xffé\\xc0\\x80\\xed\\xa0\\x80\\xe2\\x82")
  }

  @Test func `every option of a command is explained within 80 columns`() {
    for command in CommandName.allCases {
      let lines = HelpText.text(command).split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines {
        #expect(line.count <= 80 && line.last != " ", "\(command): \(line)")
      }
      for option in command.options {
        #expect(HelpText.text(command).contains(option.written))
      }
    }
  }

  @Test func `the overview lists every command`() {
    let text = HelpText.text(nil)
    for command in CommandName.allCases { #expect(text.contains("\n  \(command.rawValue) ")) }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func `the help of verify`() {
    #expect(
      HelpText.text(.verify) == """
        usage: fixtured verify [OPTION]... CASSETTE

        Reads the whole file and reports what is wrong with it, a line each.

        options:
          --repair    take in what an unfinished recording left beside the file, and
                      remove what nothing refers to
          -h, --help  print this

        exit status:
          0  the work was done
          1  the work failed: a damaged file, a miss with --strict, a difference
          2  the command line makes no sense; nothing was done

        """)
  }
}
