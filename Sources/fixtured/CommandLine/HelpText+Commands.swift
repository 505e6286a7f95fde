/// What `--help` says about each command.
extension CommandName {
  var summary: String {
    switch self {
    case .record: "forward requests to a live API and record what passes"
    case .replay: "answer requests from a cassette"
    case .explain: "tell what a request meets of a scenario"
    case .inspect: "list the interactions of a cassette, or show one"
    case .dump: "write a cassette as text, for review and comparison"
    case .diff: "tell what differs between two cassettes"
    case .merge: "make one cassette of several"
    case .edit: "change an interaction in an editor"
    case .set: "change the status, a field or the content of an interaction"
    case .remove: "take interactions out of a cassette"
    case .redact: "take secrets out of a cassette that is there already"
    case .scan: "look for credentials that a cassette should not hold"
    case .drift: "ask a live API whether it still answers as recorded"
    case .refresh: "record the answers of a live API anew"
    case .verify: "check that a cassette is whole, and repair it"
    case .control: "ask the control API of a replay: sessions, journal, verdict"
    case .report: "make a page of a journal, to look at in a browser"
    case .help: "explain a command"
    case .version: "print the version"
    }
  }

  var explanation: String {
    switch self {
    case .record:
      """
      Forwards requests to the upstream and records every exchange into CASSETTE
      (cassettes/HOST.db when left out). Point the client at the printed URL. Secrets
      in well-known places of fields, targets and content are replaced before
      anything is stored; the client gets the original bytes.

        fixtured record --upstream https://api.example.com
        fixtured record --upstream api=https://api.example.com \\
          --upstream img=https://img.example.com cassettes/shop.db
      """
    case .replay:
      """
      Answers every request with what was recorded for it, and a request that was
      not recorded with status 501. Opens no outgoing connection and never writes to
      the cassette.

        fixtured replay cassettes/api.example.com.db
        fixtured replay --rule 'GET /feed: first 2, status 503, retry-after 2s' \\
          cassettes/api.example.com.db
      """
    case .explain:
      """
      Prints the rules of SCENARIO, a FILE or a section of one as FILE#NAME, that are
      about REQUEST, and what happens to it the first ten times, with all that is
      drawn from the seed.

        fixtured explain cassettes/flaky-network.rules 'GET /json'
      """
    case .inspect:
      """
      Without ID: a line for every interaction. With ID: everything about that one.
      Nothing is written to the cassette.
      """
    case .dump:
      """
      Writes a block of text for every interaction, the same text for the same
      recording, so that a change shows in review. Content that is text is shown,
      decoded when it is coded (gzip, deflate, br, zstd), with every unprintable
      character escaped; other content by its size and SHA-256. The dump is kept
      beside its cassette:

        fixtured dump cassettes/shop.db -o cassettes/shop.db.txt
        fixtured dump cassettes/shop.db --check
      """
    case .diff:
      """
      Pairs the interactions of A and B by upstream, method and target, in their
      order, and tells what differs: status, fields, content by JSON pointer or by
      line, how it ended. What differs with every recording is left out, as in a dump.
      Exits with status 0 when nothing differs, with 1 when something does.

        fixtured diff cassettes/shop.db new.db
      """
    case .merge:
      """
      Writes the interactions of the first CASSETTE and then those of the next that
      came in none before, each in its order. Placeholders of different recordings get
      different numbers. With --git, and the three files that git gives a merge
      driver, the changes of the third since the first go into the second.

        fixtured merge cassettes/api.db cassettes/img.db -o cassettes/all.db
      """
    case .edit:
      """
      Opens the interaction in $VISUAL, $EDITOR or vi: heads and content, without
      codings, JSON laid out. What is saved is coded again, and lengths are corrected.
      A text that can't be understood is refused with its line, and kept. The
      interaction is noted as edited.

        fixtured edit cassettes/shop.db 12
      """
    case .set:
      """
      WHAT is status, with a code and perhaps a reason; field, with "NAME: VALUE", or
      NAME alone to remove it; or body, with a text, @FILE, or @- for standard input,
      which is coded as the old one was. The interaction is noted as edited.

        fixtured set cassettes/shop.db 12 status 503
        fixtured set cassettes/shop.db 12 field 'Retry-After: 3'
        fixtured set cassettes/shop.db 12 body @answer.json
      """
    case .remove:
      """
      Takes interactions out. The others keep their numbers, and nothing of what was
      taken out stays in the file.

        fixtured rm cassettes/shop.db 3 4 12
      """
    case .scan:
      """
      Prints a line for everything that looks like a credential: a value in a place
      for secrets that is no placeholder, a known shape (AWS, GitHub, Slack, Stripe,
      Google and other keys, private keys, JSON Web Tokens, Basic and Bearer), or a
      random value under a telling name. It says where, never what. Exits with
      status 1 when there is one.

        fixtured scan cassettes/*.db
      """
    case .redact:
      """
      Applies the standard redaction, that of the cassette, and what --redact and
      fixtured.conf add to what is recorded. Nothing of the secrets stays in the file.

        fixtured redact cassettes/shop.db --redact header:X-Session
      """
    case .drift:
      """
      Sends the recorded GET, HEAD and OPTIONS requests again and tells what changed:
      the status, the names of fields, the shape of JSON. The cassette is not changed.
      Requests that hold something redacted are skipped unless --with supplies it.
      Exits with status 0 when nothing has drifted, with 1 when something has.

        fixtured drift --upstream https://api.example.com cassettes/shop.db
        fixtured drift --with 'Authorization: env:API_TOKEN' cassettes/shop.db
      """
    case .refresh:
      """
      Sends the recorded GET, HEAD and OPTIONS requests again, tells what differs, and
      puts the new answers in the place of the old ones. Requests, numbers and order
      stay; redaction is that of the cassette.

        fixtured refresh --only '/products/**' cassettes/shop.db
      """
    case .report:
      """
      Writes a page that needs nothing else: every exchange of a journal with request,
      response and receipt, the connections, what it all proves about the client, and
      plots of requests in flight, duration against Little's law, latencies,
      and bytes that revalidation spared. Of each session the last 50,000 exchanges
      are shown, and the last 100,000 judged.

        fixtured replay cassettes/shop.db --journal journal.db
        fixtured report journal.db -o report.html --connections-max 6
      """
    case .verify:
      """
      Reads the whole file and reports what is wrong with it, a line each.
      """
    case .control:
      """
      Asks the control API of a replay that was started with --control. ID is a
      session's, "default" for the command's own, also where it is left out. The
      token of FIXTURED_CONTROL_TOKEN is sent along.

      \(ControlOptions.Verb.usages)

      NAME is one of \(ControlOptions.membersExpected).
      create prints the session's ID and its URLs,
      delete and verdict print what is held against the client.
      """
    case .help, .version: "\(summary.prefix(1).uppercased())\(summary.dropFirst())."
    }
  }
}
