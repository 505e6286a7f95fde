import FixtureEventLoop
import FixtureExchange
import FixtureHTTP
import FixtureReplay

/// Performs what a request to the control API asks for.
struct ControlAPI: Sendable {
  /// What it answers: a status and JSON, or text.
  struct Answer {
    var status = 200
    var type = "application/json"
    var content: [UInt8]

    init(_ status: Int = 200, _ write: (inout JSONText) -> Void) {
      var json = JSONText()
      write(&json)
      self.status = status
      content = json.bytes + [0x0A]
    }

    init(_ content: [UInt8], type: String = "application/json") {
      self.content = content
      self.type = type
    }
  }

  let sessions: SessionTable

  func perform(_ request: ControlRequest) throws(ControlError) -> Answer {
    switch request {
    case .health:
      return Answer { json in json.object { $0.member("status", "ok") } }
    case .description: return Answer(ControlDescription.content)
    case .metrics: return Answer(Array(metrics.utf8), type: "text/plain; version=0.0.4")
    case .sessions: return list
    case .create(let request):
      let session = try sessions.create(request)
      return Answer(201) { session.write(to: &$0) }
    case .session(let id):
      let session = try sessions.session(id)
      return Answer { session.write(to: &$0) }
    case .delete(let id, let limits):
      let verdict = try sessions.delete(id, limits)
      return Answer { verdict.write(to: &$0) }
    case .reset(let id):
      return try change(id) { (session) throws(ServerError) in try session.reset() }
    case .scenario(let id, let request):
      let setup = try sessions.setup(request)
      return try change(id) { (session) throws(ServerError) in try session.change(setup) }
    case .flags(let id, let raise, let clear): return try flags(id, raise, clear)
    case .tags(let id, let target):
      return try change(id) { (session) throws(ServerError) in try session.bumpTag(of: target) }
    case .release(let id, let gate):
      let count = try sessions.session(id).gates.release(gate)
      return Answer { json in json.object { $0.member("released", Int64(count)) } }
    case .clock(let id, let request): return try clock(id, request)
    case .exchanges(let id, let after, let limit):
      let session = try sessions.session(id)
      return Answer { session.writeExchanges(to: &$0, after: after, limit: limit) }
    case .exchange(let id, let number): return try exchange(id, number)
    case .interactions(let id, let search, let after, let limit):
      let session = try sessions.session(id)
      return try interactions(of: session, search, after: after, limit: limit)
    case .inspector:
      return Answer(Array(Inspector.page.utf8), type: "text/html; charset=utf-8")
    case .events: throw ControlError(500, "events are streamed")
    case .verdict(let id, let limits):
      let session = try sessions.session(id)
      do {
        let verdict = try session.verdict(limits)
        return Answer { verdict.write(to: &$0) }
      } catch {
        throw ControlError(error)
      }
    }
  }

  private var list: Answer {
    let all = sessions.all
    return Answer { json in
      json.object { json in
        json.member("sessions") { json in
          json.array { json in for session in all { session.write(to: &json) } }
        }
      }
    }
  }

  private func exchange(_ id: String, _ number: Int) throws(ControlError) -> Answer {
    let session = try sessions.session(id)
    guard let entry = session.journal.entry(number) else {
      throw ControlError(404, "the journal of \(id) has no exchange \(number)")
    }
    return Answer { entry.write(to: &$0, began_ns: session.began_ns, isWhole: true) }
  }

  private func change(
    _ id: String, _ change: (ServedSession) throws(ServerError) -> Void
  ) throws(ControlError) -> Answer {
    let session = try sessions.session(id)
    do {
      try change(session)
    } catch {
      throw ControlError(error)
    }
    return Answer { session.write(to: &$0) }
  }

  private func flags(
    _ id: String, _ raise: [String], _ clear: [String]
  ) throws(ControlError) -> Answer {
    let session = try sessions.session(id)
    guard let scenario = session.server.state.scenario else {
      throw ControlError(409, "the session has no rules, so nothing asks for a flag")
    }
    guard scenario.connections == nil else {
      throw ControlError(
        409, "this session has rules about connections, their flags are changed by requests only")
    }
    scenario.change(raise: raise.map { Flag($0) }, clear: clear.map { Flag($0) })
    return Answer { session.write(to: &$0) }
  }

  private func clock(
    _ id: String, _ request: ControlRequest.ClockRequest
  ) throws(ControlError) -> Answer {
    let session = try sessions.session(id)
    let dates = session.server.state.dates
    let wall = WallClock.now_us() / 1_000_000
    switch request {
    case .freeze(let date): dates.freeze(at: date, wall: wall)
    case .advance(let seconds): dates.advance(seconds: seconds)
    case .run: dates.run()
    }
    return Answer { session.write(to: &$0) }
  }

  /// In the text format of Prometheus.
  private var metrics: String {
    let all = sessions.all.map { ($0.id, $0.journal.totals) }
    func series(
      _ name: String, _ type: String, _ help: String, _ value: (Journal.Totals) -> Int64
    ) -> String {
      let lines = all.map { "\(name){session=\"\($0.0)\"} \(value($0.1))\n" }
      return "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n" + lines.joined()
    }
    return series("fixtured_exchanges_total", "counter", "Requests whose head was read.") {
      Int64($0.exchanges)
    }
      + series("fixtured_exchanges_open", "gauge", "Exchanges that have not ended.") {
        Int64($0.open)
      }
      + series("fixtured_exchanges_aborted_total", "counter", "Exchanges that their client left.") {
        Int64($0.aborted)
      }
      + series("fixtured_sent_bytes_total", "counter", "Bytes of heads and bodies.") {
        $0.bytesSent
      }
      + series("fixtured_journal_dropped_total", "counter", "Exchanges not kept any more.") {
        Int64($0.dropped)
      }
  }
}

extension ServedSession {
  fileprivate func write(to json: inout JSONText) {
    let totals = journal.totals
    json.object { json in
      json.member("id", id)
      json.member("urls") { json in
        json.array { json in
          for listener in server.listeners {
            json.object { json in
              json.member("upstream", orNull: listener.name)
              json.member("url", listener.url)
            }
          }
        }
      }
      json.member("scenario", setup?.text ?? "")
      json.member("seed", orNull: setup.map { String($0.seed) })
      let rules = rules
      json.member("rule_set", orNull: rules.map { Int64($0.number) })
      json.member("rules") { json in
        if let rules { rules.write(to: &json) } else { json.array { _ in } }
      }
      json.member("flags") { json in
        let raised = server.state.scenario?.raised.map(\.name).sorted() ?? []
        json.array { json in for name in raised { json.string(name.utf8) } }
      }
      json.member("gates") { json in
        json.array { json in
          for gate in gates.waiting {
            json.object { json in
              json.member("name", gate.name)
              json.member("waiting", Int64(gate.count))
              json.member("released", gate.isReleased)
            }
          }
        }
      }
      json.member("lease_s", orNull: lease_s)
      json.member("began_us", beganAt_us)
      json.member("exchanges", Int64(totals.exchanges))
      json.member("dropped", Int64(totals.dropped))
      json.member("open", Int64(totals.open))
      json.member("aborted", Int64(totals.aborted))
      json.member("bytes_sent", totals.bytesSent)
      json.member("body_bytes_sent", totals.bodyBytesSent)
    }
  }

  /// `next` is what to ask `after` for the following ones.
  fileprivate func writeExchanges(to json: inout JSONText, after: Int, limit: Int) {
    let page = journal.entries(after: after, limit: limit)
    json.object { json in
      json.member("dropped", Int64(journal.totals.dropped))
      json.member("next", Int64(page.last?.number ?? after))
      json.member("exchanges") { json in
        json.array { json in
          for entry in page { entry.write(to: &json, began_ns: began_ns, isWhole: false) }
        }
      }
    }
  }
}

extension ScenarioSetup {
  fileprivate var text: String { rules.map(\.description).joined(separator: "\n") }
}
