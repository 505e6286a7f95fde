import FixtureExchange
import FixtureReplay
import FixtureStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `fixtured report`: a journal as a page to look at.
enum ReportCommand {
  /// Of each session the last so many are shown: a page of some 20 MB.
  private static let exchangesMax = 50_000

  static func run(_ options: ReportOptions) -> ExitStatus {
    let page: [UInt8]
    do throws(StoreError) {
      page = Inspector.report(try data(of: options.journal, options.limits))
    } catch {
      Diagnostic.write(error.description)
      return .failure
    }
    if let failure = write(page, to: options.output) {
      Diagnostic.write("the report is not written, \(failure)")
      return .failure
    }
    return .success
  }

  /// - Returns: why it could not be written; nil when it is.
  private static func write(_ page: [UInt8], to path: String?) -> String? {
    var descriptor = STDOUT_FILENO
    if let path {
      do {
        descriptor = try File.create(path)
      } catch {
        return error.description
      }
    }
    defer { if path != nil { close(descriptor) } }
    do {
      try Output.write(all: page, to: descriptor)
      return nil
    } catch {
      return error.description
    }
  }

  /// What the page shows, as its script reads it.
  private static func data(
    of path: String, _ limits: Verdict.Limits
  ) throws(StoreError) -> [UInt8] {
    let reader = try JournalReader(path: path)
    var requests: Set<Int64> = []
    var responses: Set<Int64> = []
    var json = JSONText()
    var failure: StoreError?
    let sessions = try reader.sessions()
    json.object { json in
      json.member("sessions") { json in
        json.array { json in
          for session in sessions where failure == nil {
            do throws(StoreError) {
              try write(session, reader, limits, &json, &requests, &responses)
            } catch {
              failure = error
            }
          }
        }
      }
      json.member("requests") { json in
        json.array { json in
          for id in requests.sorted() where failure == nil {
            do throws(StoreError) {
              guard let head = try reader.request(id) else { continue }
              json.object { json in
                json.member("id", id)
                json.member("method", bytes: head.method)
                json.member("target", bytes: head.target)
                json.member("lines", bytes: head.fields)
              }
            } catch {
              failure = error
            }
          }
        }
      }
      json.member("responses") { json in
        json.array { json in
          for id in responses.sorted() where failure == nil {
            do throws(StoreError) {
              guard let head = try reader.response(id) else { continue }
              json.object { json in
                json.member("id", id)
                json.member("status", head.status)
                json.member("lines", bytes: head.fields)
              }
            } catch {
              failure = error
            }
          }
        }
      }
    }
    if let failure { throw failure }
    return json.bytes
  }

  private static func write(
    _ session: JournalRow.Session, _ reader: JournalReader, _ limits: Verdict.Limits,
    _ json: inout JSONText, _ requests: inout Set<Int64>, _ responses: inout Set<Int64>
  ) throws(StoreError) {
    let count = try reader.exchangeCount(of: session.id)
    let sets = try reader.rules(of: session.id)
    let last = try reader.lastExchanges(of: session.id, limit: Journal.entriesMax)
    let verdict = try ReportVerdict(
      session, last, earlier: count - Int64(last.count), reader, limits)
    let exchanges = last.suffix(exchangesMax)
    for exchange in exchanges {
      requests.insert(exchange.request)
      if let response = exchange.response { responses.insert(response) }
    }
    json.object { json in
      json.member("id", "\(session.id)")
      json.member("name", session.name)
      json.member("cassette", session.cassette)
      json.member("began_us", session.beganAt_us)
      json.member("seed", orNull: session.seed.map { String($0) })
      json.member("dropped", session.dropped)
      json.member("rule_sets") { json in
        json.array { json in for rules in sets { rules.write(to: &json) } }
      }
      json.member("count", count)
      verdict.write(to: &json)
      json.member("list") { json in
        json.array { json in for exchange in exchanges { exchange.write(to: &json) } }
      }
    }
  }
}

extension JournalRow.Rules {
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("number", number)
      json.member("seed", "\(seed)")
      json.member("rules") { json in
        json.array { json in
          for (index, line) in lines.enumerated() {
            json.object { json in
              json.member("number", Int64(index + 1))
              json.member("text", line.text)
              json.member("origin", orNull: line.origin)
            }
          }
        }
      }
    }
  }
}

extension JournalRow.Exchange {
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("number", number)
      json.member("connection", connection)
      json.member("ordinal", ordinal)
      json.member("concurrent", concurrent)
      json.member("request_id", request)
      json.member("content_size", contentSize)
      json.member("sha256", orNull: contentDigest)
      json.member("response_id", orNull: response)
      json.member("source") { source.write(to: &$0) }
      json.member("rule_set", orNull: ruleSet)
      json.member("rules", rules)
      json.member("overruled", overruled ?? "")
      // JSON as text.
      json.member("draws", orNull: draws)
      json.member("received_us", received_us)
      json.member("request_end_us", orNull: requestEnd_us)
      json.member("head_due_us", orNull: head?.due_us)
      json.member("head_done_us", orNull: head?.done_us)
      json.member("last_due_us", orNull: last?.due_us)
      json.member("last_done_us", orNull: last?.done_us)
      json.member("end_us", orNull: end_us)
      json.member("head_bytes", headBytes)
      json.member("body_bytes", bodyBytes)
      json.member("outcome", outcome)
      json.member("left", orNull: departure)
      json.member("rebased", rebases)
    }
  }
}

extension JournalRow.Source {
  /// As the control API writes it.
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      switch self {
      case .none: json.member("kind", "none")
      case .interaction(let id, let play, let plays):
        json.member("kind", "interaction")
        json.member("interaction", id)
        json.member("ordinal", play)
        json.member("count", plays)
      case .rules: json.member("kind", "rules")
      case .miss(let text):
        json.member("kind", "miss")
        json.member("text", text)
      }
    }
  }
}
