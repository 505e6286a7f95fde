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
      json.member("what_to_do", reason.advice)
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
      json.member("target", bytes: target)
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
      json.member("target", bytes: target)
      json.member("differs") { json in
        json.array { json in
          for part in differs { json.string(part.rawValue.utf8) }
        }
      }
    }
  }
}
