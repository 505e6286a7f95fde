import FixtureCassette
import FixtureHTTP

extension JournalEntry {
  /// The exchange for programs. Instants are milliseconds since the session began, in whole
  /// microseconds.
  ///
  /// - Parameters:
  ///   - began_ns: when the session began.
  ///   - isWhole: with fields and content, as they were sent; nothing in them is redacted.
  package func write(to json: inout JSONText, began_ns: Int64, isWhole: Bool) {
    func ms(_ at_ns: Int64) -> JSONText.Decimal {
      JSONText.Decimal(thousandths: (at_ns - began_ns) / 1000)
    }
    json.object { json in
      json.member("number", Int64(number))
      json.member("connection", Int64(connection))
      json.member("ordinal", Int64(ordinal))
      json.member("concurrent", Int64(concurrent))
      json.member("received_ms", ms(received_ns))
      json.member("request_end_ms", orNull: requestEnd_ns.map(ms))
      json.member("request") { writeRequest(to: &$0, isWhole: isWhole) }
      json.member("response") { json in
        guard let response else { return json.null() }
        json.object { json in
          json.member("status", Int64(response.status))
          if isWhole { json.member("fields") { response.fields.write(to: &$0) } }
        }
      }
      json.member("source") { source.write(to: &$0) }
      ruling.write(to: &json, isWhole: isWhole)
      json.member("head") { $0.moment(head, ms) }
      json.member("last") { $0.moment(last, ms) }
      json.member("head_bytes", headBytesSent)
      json.member("body_bytes", bodyBytesSent)
      json.member("rebased", Int64(rebases))
      json.member("outcome", outcome.rawValue)
      json.member("left", orNull: departure?.rawValue)
      json.member("end_ms", orNull: end_ns.map(ms))
      json.member("plan") { json in
        guard let steps else { return json.null() }
        let planned = PlannedStep.all(
          of: steps, requestHead_ns: received_ns, requestEnd_ns: requestEnd_ns)
        json.array { json in
          for step in planned {
            json.object { json in
              json.member("due_ms", orNull: step.due_ns.map(ms))
              json.member("until_ms", orNull: step.until_ns.map(ms))
              json.member("step", step.text)
            }
          }
        }
      }
    }
  }

  private func writeRequest(to json: inout JSONText, isWhole: Bool) {
    json.object { json in
      json.member("method", bytes: request.method.bytes)
      json.member("target", bytes: request.target)
      json.member("content_size", contentCount)
      guard isWhole else { return }
      json.member("fields") { request.fields.write(to: &$0) }
      // As in HAR: text where it is that, else base64.
      if String(validating: content, as: UTF8.self) != nil {
        json.member("content", bytes: content)
      } else {
        json.member("content", bytes: Base64Text.encoded(content, alphabet: .standard))
        json.member("encoding", "base64")
      }
    }
  }
}

extension Ruling? {
  /// The members of an exchange that tell of rules.
  fileprivate func write(to json: inout JSONText, isWhole: Bool) {
    json.member("rule_set", orNull: self.map { Int64($0.set.number) })
    json.member("rules") { json in
      json.array { json in for rule in self?.rules ?? [] { json.number(Int64(rule)) } }
    }
    json.member("overruled") { json in
      json.array { json in for word in self?.overruled ?? [] { json.string(word.utf8) } }
    }
    json.member("draws") { (self?.draws ?? []).write(to: &$0) }
    guard isWhole else { return }
    json.member("rule_texts") { json in
      json.array { json in
        for rule in self?.told ?? [] { self?.set[rule]?.write(to: &json, number: rule) }
      }
    }
  }
}

extension [Draw] {
  /// `[{"rule":2,"clause":"chance 20%","drawn":"12.3456%","holds":true}, …]`
  package func write(to json: inout JSONText) {
    json.array { json in
      for draw in self {
        json.object { json in
          json.member("rule", Int64(draw.rule))
          json.member("clause", draw.clause)
          json.member("drawn", draw.drawn)
          if let holds = draw.holds { json.member("holds", holds) }
        }
      }
    }
  }
}

extension RuleSet {
  /// `[{"number":1,"text":"*: delay 1s","origin":"labs/slow.rules:3"}, …]`
  package func write(to json: inout JSONText) {
    json.array { json in
      for (index, line) in rules.enumerated() { line.write(to: &json, number: index + 1) }
    }
  }
}

extension RuleSet.Line {
  fileprivate func write(to json: inout JSONText, number: Int) {
    json.object { json in
      json.member("number", Int64(number))
      json.member("text", text)
      json.member("origin", orNull: origin)
    }
  }
}

extension JournalEntry.Source {
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      switch self {
      case .none: json.member("kind", "none")
      case .interaction(let id, let ordinal, let count):
        json.member("kind", "interaction")
        json.member("interaction", id)
        json.member("ordinal", Int64(ordinal))
        json.member("count", Int64(count))
      case .rules: json.member("kind", "rules")
      case .miss(let text):
        json.member("kind", "miss")
        json.member("text", text)
      }
    }
  }
}

extension FieldSection {
  /// `[["Host", "a.test"], …]`: the order and repeats are kept.
  fileprivate func write(to json: inout JSONText) {
    json.array { json in
      for index in 0..<count {
        json.array { json in
          json.string(name(at: index))
          json.string(value(at: index))
        }
      }
    }
  }
}

extension JSONText {
  /// A number with three places.
  struct Decimal {
    let thousandths: Int64
  }

  mutating func member(_ name: StaticString, _ decimal: Decimal) {
    member(name) { $0.decimal(decimal) }
  }

  mutating func member(_ name: StaticString, orNull decimal: Decimal?) {
    member(name) { json in
      if let decimal { json.decimal(decimal) } else { json.null() }
    }
  }

  fileprivate mutating func moment(
    _ moment: JournalEntry.Moment?, _ ms: (Int64) -> Decimal
  ) {
    guard let moment else { return null() }
    object { json in
      json.member("due_ms", ms(moment.due_ns))
      json.member("done_ms", ms(moment.done_ns))
    }
  }

  private mutating func decimal(_ decimal: Decimal) {
    let (whole, rest) = decimal.thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
    let places = String(rest + 1000).dropFirst()
    word("\(decimal.thousandths < 0 ? "-" : "")\(whole).\(places)")
  }
}
