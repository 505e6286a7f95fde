import FixtureCassette
import FixtureHTTP
import FixtureReplay

/// Interactions as JSON for programs; the members are the columns of the cassette's format.
///
/// Always valid JSON: bytes that are not UTF-8 become `\u00NN` in text from the wire
/// (`JSONText.string`). Content is exact: as `text` when it is UTF-8, else in base64 with the
/// member `encoding` saying so, as in HAR. The member `decoded` is a view of coded content.
enum InteractionJSON {
  /// What is shown of a body.
  enum Content: Equatable, Sendable {
    /// Size and digest.
    case summary
    /// Everything, and decoded when it has codings.
    case whole([UInt8], decoded: DecodedExcerpt? = nil)
  }

  /// - Parameter arrivals: whether the arrival of each piece is listed.
  static func write(
    _ interaction: Interaction, requestContent: Content, responseContent: Content,
    arrivals: Bool, to json: inout JSONText
  ) {
    json.object { json in
      json.member("id", interaction.id)
      json.member("started_at", TimeText.date(us: interaction.startedAt_us))
      json.member("upstream", orNull: interaction.upstream)
      json.member("scheme", interaction.scheme)
      json.member("authority", interaction.authority)
      json.member("request") { write(interaction, requestContent, to: &$0) }
      json.member("interims") { json in
        json.array { json in for interim in interaction.interims { write(interim, to: &json) } }
      }
      json.member("response") { json in
        guard let response = interaction.response else { return json.null() }
        write(response, responseContent, arrivals: arrivals, to: &json)
      }
      json.member("outcome", interaction.outcome.rawValue)
      json.member("outcome_detail", orNull: interaction.outcomeDetail)
      json.member("notes") { json in
        json.array { json in for note in interaction.sortedNotes { json.string(note.utf8) } }
      }
      json.member("connection", interaction.connection)
      json.member("first_byte_us", orNull: interaction.firstByte_us)
      json.member("end_us", interaction.end_us)
    }
  }

  private static func write(
    _ interaction: Interaction, _ content: Content, to json: inout JSONText
  ) {
    let head = interaction.request
    json.object { json in
      json.member("method", bytes: head.method.bytes)
      json.member("target", bytes: head.target)
      json.member("http_version", head.version.description)
      json.member("fields") { write(head.fields, to: &$0) }
      json.member("content") { write(content, of: interaction.requestBody, to: &$0) }
      json.member("trailers") { write(interaction.requestTrailers, to: &$0) }
    }
  }

  private static func write(
    _ response: RecordedResponse, _ content: Content, arrivals: Bool, to json: inout JSONText
  ) {
    json.object { json in
      write(response.head, to: &json)
      json.member("framing", response.framing.rawValue)
      json.member("content") { write(content, of: response.body, to: &$0) }
      json.member("trailers") { write(response.trailers, to: &$0) }
      guard arrivals else { return }
      json.member("arrivals") { json in
        json.array { json in
          for piece in response.arrivals.pieces { write(piece, to: &json) }
        }
      }
    }
  }

  private static func write(_ piece: Arrivals.Piece, to json: inout JSONText) {
    json.object { json in
      json.member("offset_us", piece.offset_us)
      json.member("size", piece.count)
    }
  }

  private static func write(_ interim: RecordedInterim, to json: inout JSONText) {
    json.object { json in
      json.member("offset_us", interim.offset_us)
      write(interim.head, to: &json)
    }
  }

  /// The members that a response head adds to an object.
  private static func write(_ head: ResponseHead, to json: inout JSONText) {
    json.member("http_version", head.version.description)
    json.member("status", Int64(head.status))
    json.member("reason", bytes: head.reason)
    json.member("fields") { write(head.fields, to: &$0) }
  }

  private static func write(_ fields: FieldSection, to json: inout JSONText) {
    json.array { json in
      for index in fields.lines.indices {
        json.object { json in
          json.member("name", bytes: fields.name(at: index))
          json.member("value", bytes: fields.value(at: index))
        }
      }
    }
  }

  private static func write(
    _ content: Content, of body: BodyReference?, to json: inout JSONText
  ) {
    guard let body else { return json.null() }
    json.object { json in
      json.member("size", body.size)
      json.member("sha256", body.digest.hexadecimal)
      guard case .whole(let bytes, let decoded) = content else { return }
      write(bytes, to: &json)
      guard let decoded else { return }
      json.member("decoded") { write(decoded, to: &$0) }
    }
  }

  private static func write(_ decoded: DecodedExcerpt, to json: inout JSONText) {
    json.object { json in
      json.member("codings") { json in
        json.array { json in for coding in decoded.codings { json.string(coding.name) } }
      }
      json.member("size", decoded.content.size)
      if let flaw = decoded.flaw { json.member("flaw", flaw.description) }
      if decoded.trailingBytes > 0 {
        json.member("trailing_size", Int64(decoded.trailingBytes))
      }
      write(decoded.content.beginning, to: &json)
    }
  }

  /// The members for exact bytes.
  private static func write(_ bytes: [UInt8], to json: inout JSONText) {
    if String(validating: bytes, as: UTF8.self) != nil {
      json.member("text", bytes: bytes)
    } else {
      json.member("encoding", "base64")
      json.member("text", bytes: Base64Text.encoded(bytes, alphabet: .standard))
    }
  }
}
