import FixtureCassette
import FixtureHTTP

extension Miss {
  /// 501 with a problem document (RFC 9457), never to be stored by a cache (RFC 9111 §5.2.2.5).
  package var head: ResponseHead { Self.head(contentSize: content.count, date: date) }

  /// The problem document: what was asked, the nearest recordings, what to do.
  package var content: [UInt8] {
    var json = JSONText()
    json.object { json in
      json.member("type", "urn:fixtured:miss")
      json.member("title", "no interaction matched")
      json.member("status", 501)
      json.member("detail", "\(request) \(reason.words)")
      json.member("reason", reason.word)
      json.member("request", writeRequest)
      json.member("nearest") { json in
        json.array { json in
          for recording in nearest { recording.write(to: &json) }
        }
      }
      json.member("what_to_do", advice)
      if let option { json.member("option", option) }
      json.member("command", command)
    }
    return json.bytes
  }

  /// The answer. A client that waits for a 100 gets it at once, any other after its request.
  package var script: Script {
    let content = content
    let waits = requestContent == .pending(expectsContinue: true)
    return Script(
      answering: method, Self.head(contentSize: content.count, date: date), content,
      at: waits ? .requestHead : .requestEnd)
  }

  private static func head(contentSize: Int, date: Int64) -> ResponseHead {
    var fields = FieldSection()
    fields.append("Date", HTTPDate(secondsSince1970: date).imfFixdate)
    fields.append("Content-Type", "application/problem+json")
    fields.append("Content-Length", String(contentSize))
    fields.append("Cache-Control", "no-store")
    fields.append("Fixtured-Miss", "1")
    return ResponseHead(status: 501, reason: Array("Not Implemented".utf8), fields: fields)
  }

  private func writeRequest(to json: inout JSONText) {
    json.object { json in
      json.member("method", bytes: method.bytes)
      json.member("target", bytes: Self.shown(target))
      if let upstream { json.member("upstream", upstream) }
      switch requestContent {
      case .absent: break
      case .known(let size, _, _): json.member("content_size", size)
      case .pending: json.member("content_read", false)
      }
    }
  }
}

extension Miss.Nearest {
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("interaction", interaction)
      json.member("method", bytes: method.bytes)
      json.member("target", bytes: Miss.shown(target))
      if differences.isEmpty { json.member("used", true) }
      json.member("differs") { json in
        json.array { json in
          for difference in differences.first { difference.write(to: &json) }
        }
      }
      let more = differences.count - differences.first.count
      if more > 0 { json.member("more_differences", Int64(more)) }
      if let change = differences.change { json.member("match", change) }
    }
  }
}

extension Difference {
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("part", place.part)
      place.writeDetail(to: &json)
      write("recorded", recorded, to: &json)
      write("asked", asked, to: &json)
    }
  }

  private func write(_ name: StaticString, _ excerpt: ValueExcerpt?, to json: inout JSONText) {
    guard let excerpt else { return json.member(name) { $0.null() } }
    json.member(name, bytes: excerpt.bytes + (excerpt.isCut ? Array("...".utf8) : []))
  }
}

extension Difference.Place {
  /// Which of the parts that `--match` knows.
  fileprivate var part: String {
    switch self {
    case .method: "method"
    case .path: "path"
    case .upstream: "upstream"
    case .authority: "authority"
    case .queryPresence, .query: "query"
    case .field: "header"
    case .content, .json, .form, .part, .byte: "content"
    }
  }

  fileprivate func writeDetail(to json: inout JSONText) {
    switch self {
    case .method, .path, .upstream, .authority, .queryPresence, .content: break
    case .query(let name), .field(let name): json.member("name", bytes: name)
    case .json(let pointer): json.member("pointer", bytes: pointer.text)
    case .form(let name): json.member("form_field", bytes: name)
    case .byte(let offset): json.member("byte", Int64(offset))
    case .part(let name, let aspect):
      if let name {
        json.member("multipart_part", bytes: name)
      } else {
        json.member("multipart_part") { $0.null() }
      }
      switch aspect {
      case .presence, .content: break
      case .fileName: json.member("of", "file-name")
      case .disposition: json.member("of", "disposition")
      case .type: json.member("of", "type")
      case .byte(let offset): json.member("byte", Int64(offset))
      }
    }
  }
}
