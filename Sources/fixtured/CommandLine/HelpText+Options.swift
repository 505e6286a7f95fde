/// What `--help` says about each option.
extension OptionName {
  func explanation(in command: CommandName) -> String {
    switch self {
    case .upstream where command == .drift || command == .refresh:
      "the API to ask, that of the recording when left out; NAME=URL with several"
    case .upstream:
      "the API to record; repeat it as NAME=URL for several, each gets its own port"
    case .listen:
      "where to listen, 127.0.0.1:8377 when left out; port 0 picks a free one, several upstreams "
        + "take this port and those after it"
    case .mode: Self.modes
    case .redact: Self.redacting
    case .noRedact: "store everything as it is, secrets too"
    case .storeUnredacted:
      "store content that can't be redacted (text of more than 16 MiB, an unknown coding) instead "
        + "of leaving it out"
    case .preserveHost: "send the client's Host field to the upstream instead of the upstream's"
    case .rewriteCookies:
      "let the client send cookies back that the upstream sets for its own domain or path, or as "
        + "Secure"
    case .cacert: "also trust the certificate authorities in this PEM file"
    case .insecure: "do not verify the upstream's certificate"
    case .connectTimeout:
      "give up connecting after this time (as 500ms, 30s, 2m), 30s when left out"
    case .idleTimeout: "give up on an upstream silent for this time, 5m when left out"
    case .durability:
      "what a finished exchange survives: process (the default, the end of this process) or power "
        + "(a power cut)"
    case .pace:
      "how recorded times are used: immediate (the default), recorded, or xN (x2 is twice as fast)"
    case .exhausted:
      "what follows the last recording of a request: repeat it (the default), miss, or cycle"
    case .match: Self.matching
    case .date:
      "the dates in responses: shift (the default) moves them to now, recorded leaves them as they "
        + "are, frozen=DATE (as 2031-01-31T12:00:00Z) stops the clock"
    case .derive:
      "on (the default) answers conditional and range requests, and HEAD, from what was recorded "
        + "whole; off gives nothing but recorded answers"
    case .scenario:
      "follow the rules of this file, or of one of its sections and those above all of them"
    case .rule: "a further rule, after those of the file; repeatable"
    case .seed: "what is drawn by chance; the same seed, the same faults"
    case .receipts:
      "name in each answer what made it: Fixtured-Interaction, Fixtured-Rule, Fixtured-Seed"
    case .printCommand:
      "print the command line that gives the same again, with the seed, on standard error"
    case .control, .sessionPorts, .verdict, .failOn, .connectionsMax, .attemptsMax:
      watching(in: command)
    case .journal: "write every exchange, without its secrets, to this SQLite file"
    case .strict: "exit with status 1 when a request was not in the cassette"
    case .threads: "how many threads answer, one a core when left out"
    case .quiet: "no line for each exchange"
    case .json where command == .control:
      "print what the API answered, also where a line would do"
    case .json: "as JSON; content of more than 64 MiB only by its size and SHA-256"
    case .output:
      command == .merge ? "the cassette to make" : "write to FILE; with --check, compare with it"
    case .git: "as a merge driver of git: BASE OURS THEIRS, the result is in OURS"
    case .check: Self.comparing
    case .times: "with dates and offsets, which differ from recording to recording"
    case .only:
      "only requests whose path matches: * stays in a segment, ** crosses, a method may stand before"
    case .with: Self.supplying
    case .values: "tell of values too, not only of status, field names and the shape of JSON"
    case .request: "the field or body of the request, not of the response"
    case .repair: Self.repairing
    case .help: "print this"
    }
  }

  private static let repairing =
    "take in what an unfinished recording left beside the file, and remove what nothing refers to"

  private static let modes =
    "what to do with an existing cassette: once and none replay it and refuse the rest, "
    + "new-episodes replays it and records the rest, all records everything anew"

  private static let comparing =
    "write nothing; exit with status 1 and the first difference when the dump beside a cassette "
    + "(its name and .txt) is not the same; takes several cassettes"

  private static let redacting =
    "a further secret to keep out: header:NAME, query:NAME, form:NAME (also a part of a "
    + "multipart), json:NAME, json:/POINTER, or by its text text:env:NAME or text:@FILE (each "
    + "line); repeatable"

  private static let matching =
    "what must be the same for a recording to answer a request: +PART adds, -PART takes away, a "
    + "list replaces method,path,query,content; further parts are query-ignore:NAME, "
    + "header:NAME, content-ignore:/POINTER and authority; repeatable"

  private static let supplying =
    "what to send instead of something redacted: 'NAME: env:VARIABLE' or 'NAME: @FILE', NAME is "
    + "that of a field or query:NAME; never the secret itself; repeatable"

  /// What is told of a client, and where.
  private func watching(in command: CommandName) -> String {
    switch self {
    case .control where command == .control:
      "where the control API is answered, 127.0.0.1:8378 when left out; a URL will do"
    case .control: "answer the control API here (sessions, journal, verdict); port 0 picks one"
    case .sessionPorts: "give sessions ports of this range, where no others can be reached"
    case .verdict: "judge the client at the end: its retries, writes, conditions; JSON"
    case .failOn: "exit with status 1 when one of these checks of the verdict found something"
    case .connectionsMax: "how many connections the client may use at once, for the verdict"
    case .attemptsMax: "how many attempts it may make of one request, for the verdict"
    default: ""
    }
  }
}
