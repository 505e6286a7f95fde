import FixtureCassette
import FixtureHTTP
import FixtureStore
import Foundation

extension Cassette {
  /// A request and its answer, written beside a test instead of recorded.
  public struct Interaction: Sendable {
    /// As `GET`; any token.
    public var method: String
    /// The request target (RFC 9112 §3.2.1): a path that begins with `/`, with a query if there is
    /// one, percent-encoded.
    public var target: String
    /// Fields of the request; they count where `Vary` or `matching: "+header:N"` names them.
    public var headers: [(name: String, value: String)]
    /// The request's content. nil: whatever a request has.
    public var body: Data?
    /// What it gets.
    public var answer: Answer

    /// An interaction of any method.
    public init(
      _ method: String, _ target: String, headers: [(name: String, value: String)] = [],
      body: Data? = nil, _ answer: Answer
    ) {
      self.method = method
      self.target = target
      self.headers = headers
      self.body = body
      self.answer = answer
    }

    /// A GET.
    public static func get(_ target: String, _ answer: Answer) -> Interaction {
      Interaction("GET", target, answer)
    }

    /// A POST with this content, or with any.
    public static func post(
      _ target: String, body: Data? = nil, _ answer: Answer
    ) -> Interaction {
      Interaction("POST", target, body: body, answer)
    }

    /// A PUT with this content, or with any.
    public static func put(
      _ target: String, body: Data? = nil, _ answer: Answer
    ) -> Interaction {
      Interaction("PUT", target, body: body, answer)
    }

    /// A PATCH with this content, or with any.
    public static func patch(
      _ target: String, body: Data? = nil, _ answer: Answer
    ) -> Interaction {
      Interaction("PATCH", target, body: body, answer)
    }

    /// A DELETE.
    public static func delete(_ target: String, _ answer: Answer) -> Interaction {
      Interaction("DELETE", target, answer)
    }
  }

  /// A response written beside a test. Its `Content-Length` comes by itself.
  public struct Answer: Sendable {
    /// 200–999.
    public var status: Int
    /// In the order in which they are sent, repeats kept.
    public var headers: [(name: String, value: String)]
    /// The content, as it is sent.
    public var body: Data

    /// A response of any kind.
    public init(
      _ status: Int, headers: [(name: String, value: String)] = [], body: Data = Data()
    ) {
      self.status = status
      self.headers = headers
      self.body = body
    }

    /// A response without content.
    public static func status(
      _ status: Int, headers: [(name: String, value: String)] = []
    ) -> Answer {
      Answer(status, headers: headers)
    }

    /// JSON as it is written here.
    public static func json(
      _ text: String, status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> Answer {
      data(Data(text.utf8), type: "application/json", status: status, headers: headers)
    }

    /// Text in UTF-8.
    public static func text(
      _ text: String, status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> Answer {
      data(
        Data(text.utf8), type: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Content of a media type, unless `headers` name another.
    public static func data(
      _ data: Data, type: String = "application/octet-stream", status: Int = 200,
      headers: [(name: String, value: String)] = []
    ) -> Answer {
      let isTyped = headers.contains { $0.name.lowercased() == "content-type" }
      return Answer(
        status, headers: (isTyped ? [] : [(name: "Content-Type", value: type)]) + headers,
        body: data)
    }
  }
}

extension Cassette.Interaction {
  /// Makes a file of them, which is the caller's to remove.
  /// - Returns: its path.
  static func write(
    _ interactions: [Self], upstream: String?
  ) throws(FixtureFailure) -> String {
    var url: BaseURL?
    if let upstream {
      do {
        url = try BaseURL(parsing: upstream)
      } catch {
        throw .interactionInvalid("upstream \(upstream.debugDescription): \(error)")
      }
    }
    var drafts: [InteractionDraft] = []
    for (index, interaction) in interactions.enumerated() {
      drafts.append(try interaction.draft(id: Int64(index + 1), from: url))
    }
    let name = "fixtured-\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString).db"
    let path = FileManager.default.temporaryDirectory.appending(path: name).path
    do {
      let description = CassetteDescription(
        upstreams: url.map { [.init(name: nil, url: $0.description)] } ?? [])
      let writer = try CassetteWriter.create(
        path: path, description: description, durability: .process, createdBy: "a test")
      for index in drafts.indices {
        writer.stream(&drafts[index].requestBody, as: BodyToken(Int64(2 * index)))
        writer.stream(&drafts[index].responseBody, as: BodyToken(Int64(2 * index + 1)))
      }
      // What goes wrong here is thrown by `close`.
      writer.commit(drafts) { _ in }
      try writer.close()
      return path
    } catch {
      throw .cassetteRefused("the inline cassette can't be written: \(error.description)")
    }
  }

  private func draft(
    id: Int64, from upstream: BaseURL?
  ) throws(FixtureFailure) -> InteractionDraft {
    let place = "\(method) \(target)"
    guard !method.isEmpty, method.utf8.allSatisfy(\.isTokenCharacter) else {
      throw .interactionInvalid(
        "interaction \(id): the method \(method.debugDescription) is no token (RFC 9110 §9.1)")
    }
    guard target.hasPrefix("/"), target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw .interactionInvalid(
        "interaction \(id): the target \(target.debugDescription) must begin with / and have no "
          + "spaces: percent-encode them (RFC 9112 §3.2.1)")
    }
    guard 200...999 ~= answer.status else {
      throw .interactionInvalid(
        "\(place): the status is \(answer.status), it must be 200 to 999 (RFC 9110 §15)")
    }
    let hasContent = answer.status != 204 && answer.status != 304 && method != "HEAD"
    guard hasContent || answer.body.isEmpty else {
      throw .interactionInvalid(
        "\(place): an answer with status \(answer.status) to \(method) has no content, and "
          + "\(answer.body.count) bytes are given: leave them out (RFC 9110 §6.4.1)")
    }
    var fields = try Self.fields(answer.headers, of: place)
    if hasContent, !fields.contains(.contentLength), !fields.contains(.transferEncoding) {
      fields.append("Content-Length", "\(answer.body.count)")
    }
    var request = RequestHead(
      method: Method(Array(method.utf8)), target: Array(target.utf8), version: .http11)
    request.fields = try Self.fields(headers, of: place)
    if let body, !request.fields.contains(.contentLength) {
      request.fields.append("Content-Length", "\(body.count)")
    }
    let takesAny = body == nil && method != "GET" && method != "HEAD"
    let interaction = FixtureCassette.Interaction(
      id: id, startedAt_us: 0, scheme: upstream?.scheme.rawValue ?? "http",
      authority: upstream?.authority ?? "localhost", request: request,
      response: RecordedResponse(
        head: ResponseHead(
          status: answer.status, reason: Array("\(ReasonPhrase.standard(answer.status))".utf8),
          fields: fields),
        framing: hasContent ? .length : .none),
      notes: takesAny ? [.requestCut] : [])
    return InteractionDraft(
      interaction: interaction, requestBody: body.map { .bytes(Array($0)) } ?? .absent,
      responseBody: hasContent ? .bytes(Array(answer.body)) : .absent)
  }

  private static func fields(
    _ headers: [(name: String, value: String)], of place: String
  ) throws(FixtureFailure) -> FieldSection {
    var fields = FieldSection()
    for (name, value) in headers {
      let bytes = Array(value.utf8)[...].trimmingOptionalWhitespace
      guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter) else {
        throw .interactionInvalid(
          "\(place): the field name \(name.debugDescription) is no token: use letters, digits "
            + "and - (RFC 9110 §5.6.2)")
      }
      guard bytes.allSatisfy(\.isFieldValueByte) else {
        throw .interactionInvalid(
          "\(place): the value of its field \(name) has CR, LF or NUL: take them out "
            + "(RFC 9110 §5.5)")
      }
      fields.append(name: Array(name.utf8), value: bytes)
    }
    return fields
  }
}
