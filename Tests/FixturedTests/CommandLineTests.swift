import FixtureReplay
import Testing

@testable import fixtured

/// The command of a line split at spaces.
func command(_ line: String) throws(UsageError) -> Command {
  try Command(arguments: line.split(separator: " ").map(String.init))
}

/// The problem of a line that is refused; nil when it is understood.
func problem(_ line: String) -> UsageError.Problem? {
  do {
    _ = try command(line)
    return nil
  } catch {
    return error.problem
  }
}

@Suite struct CommandLineTests {
  @Test func `without a command nothing is done`() {
    #expect(problem("") == .commandMissing)
  }

  @Test func `a misspelled command names the nearest one`() {
    #expect(problem("recrod x") == .commandUnknown("recrod", nearest: "record"))
  }

  @Test func `a word unlike any command names none`() {
    #expect(problem("serve x") == .commandUnknown("serve", nearest: nil))
  }

  @Test func `an option before the command is refused`() {
    #expect(problem("--quiet replay a.db") == .optionBeforeCommand("--quiet"))
  }

  @Test(arguments: ["--help", "-h", "help"])
  func `help without a command is the overview`(line: String) throws {
    #expect(try command(line) == .help(nil))
  }

  @Test(arguments: ["help replay", "--help replay", "replay --help", "replay a.db b.db -h"])
  func `help for a command`(line: String) throws {
    #expect(try command(line) == .help(.replay))
  }

  @Test func `help for no command names the nearest one`() {
    #expect(problem("help replya") == .commandUnknown("replya", nearest: "replay"))
  }

  @Test(arguments: ["--version", "version"])
  func `the version`(line: String) throws {
    #expect(try command(line) == .version)
  }

  @Test func `the version takes no operand`() {
    #expect(problem("--version x") == .operandUnexpected("x"))
    #expect(problem("version x") == .operandUnexpected("x"))
  }

  @Test(arguments: [
    "replay a.db --pace recorded --strict", "replay --pace=recorded --strict a.db",
    "replay --strict --pace recorded -- a.db", "replay --pac recorded --st a.db",
  ])
  func `options stand anywhere, with a space or an equals sign, whole or cut short`(
    line: String
  ) throws {
    var options = ReplayOptions(cassette: "a.db")
    options.pacing = .recorded
    options.isStrict = true
    #expect(try command(line) == .replay(options))
  }

  @Test func `after two hyphens everything is an operand`() throws {
    #expect(try command("verify -- --repair") == .verify(VerifyOptions(cassette: "--repair")))
  }

  @Test func `a lone hyphen is an operand`() throws {
    #expect(try command("verify -") == .verify(VerifyOptions(cassette: "-")))
  }

  @Test(arguments: ["dump -o b a", "dump -ob a", "dump --output=b a", "dump a --output b"])
  func `a letter takes its value attached or apart`(line: String) throws {
    var options = DumpOptions(cassette: "a")
    options.destination = .file("b")
    #expect(try command(line) == .dump(options))
  }

  @Test func `the value of an option may begin with hyphens`() {
    #expect(
      problem("replay a --listen --quiet")
        == .valueInvalid(.listen, "--quiet", expected: OptionValue.listenExpected))
  }

  @Test func `the beginning of several options is refused`() {
    #expect(
      problem("record --re x")
        == .optionAmbiguous("--re", [.redact, .rewriteCookies]))
  }

  @Test func `an unknown option names the nearest one, or the command that has it`() {
    #expect(problem("record --upstraem x") == .optionUnknown("--upstraem", .nearest(.upstream)))
    #expect(problem("replay --upstream x") == .optionUnknown("--upstream", .belongs(to: .record)))
    #expect(problem("replay --fluffy") == .optionUnknown("--fluffy", .nothing))
    #expect(problem("replay -x a") == .optionUnknown("-x", .nothing))
    #expect(problem("replay --=x a") == .optionUnknown("--", .nothing))
  }

  @Test func `a missing or unexpected value is refused`() {
    #expect(problem("replay a --listen") == .valueMissing(.listen))
    #expect(problem("dump a -o") == .valueMissing(.output))
    #expect(problem("replay a --quiet=yes") == .valueUnexpected(.quiet, "yes"))
  }

  @Test func `an option given twice is refused unless it is repeatable`() {
    #expect(problem("replay a --pace x2 --pace x3") == .repeated(.pace))
    #expect(problem("replay a --quiet --quiet") == .repeated(.quiet))
    #expect(problem("record --upstream http://a --redact query:a --redact query:b") == nil)
  }

  @Test func `missing, empty and extra operands are refused`() {
    #expect(problem("replay") == .operandMissing("CASSETTE"))
    #expect(problem("replay a b") == .operandUnexpected("b"))
    #expect(throws: UsageError(.operandEmpty("CASSETTE"), in: .replay)) {
      try Command(arguments: ["replay", ""])
    }
  }

  @Test func `an interaction is named by a positive number`() throws {
    var options = InspectOptions(cassette: "a")
    options.id = 12
    #expect(try command("inspect a 12") == .inspect(options))
    for word in ["0", "+1", "x", "1.5", "9223372036854775808"] {
      #expect(
        problem("inspect a \(word)")
          == .operandInvalid("ID", word, expected: OptionValue.identifierExpected))
    }
  }

  @Test func `a comparison is with the dump beside the cassette or the file named`() throws {
    var options = DumpOptions(cassette: "c/a.db")
    options.destination = .comparison(with: "c/a.db.txt")
    #expect(try command("dump c/a.db --check") == .dump(options))
    options.destination = .comparison(with: "b")
    #expect(try command("dump c/a.db --check -o b") == .dump(options))
  }
}
