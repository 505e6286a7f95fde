extension Verdict {
  /// The verdict for programs.
  ///
  ///     {"version": 1, "judged": 3, "dropped": 0, "failed": ["retry-after"],
  ///      "findings": [{"check": "retry-after", "exchanges": [1, 2], "text": "…"}],
  ///      "unjudged": [{"check": "attempts", "why": "…"}]}
  package func write(to json: inout JSONText) {
    json.object { json in
      json.member("version", 1)
      json.member("judged", Int64(judged))
      json.member("dropped", Int64(dropped))
      json.member("failed") { json in
        json.array { json in for check in failed { json.string(check.rawValue.utf8) } }
      }
      json.member("findings") { json in
        json.array { json in for finding in findings { finding.write(to: &json) } }
      }
      json.member("unjudged") { json in
        json.array { json in
          for one in unjudged {
            json.object { json in
              json.member("check", one.check.rawValue)
              json.member("why", one.why)
            }
          }
        }
      }
    }
  }
}

extension Verdict.Finding {
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("check", check.rawValue)
      json.member("exchanges") { json in
        json.array { json in for number in exchanges { json.number(Int64(number)) } }
      }
      json.member("text", text)
    }
  }
}
