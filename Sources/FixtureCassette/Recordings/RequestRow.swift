import FixtureHTTP

/// What the match index needs of an interaction, by the hundred thousand. Its bytes lie where the
/// source has them, valid only during the call that hands it out.
package struct RequestOutline {
  package let id: Int64
  package let upstream: String?
  package let authority: UnsafeRawBufferPointer
  package let method: Method
  package let target: UnsafeRawBufferPointer
  /// nil when there was none.
  package let answer: Answer?

  package struct Answer {
    package let fields: StoredFields
    /// When its head came: µs since 1970.
    package let came_us: Int64

    package init(fields: StoredFields, came_us: Int64) {
      self.fields = fields
      self.came_us = came_us
    }
  }

  package init(
    id: Int64, upstream: String?, authority: UnsafeRawBufferPointer, method: Method,
    target: UnsafeRawBufferPointer, answer: Answer? = nil
  ) {
    self.id = id
    self.upstream = upstream
    self.authority = authority
    self.method = method
    self.target = target
    self.answer = answer
  }
}

/// What matching needs of an interaction, by the hundred thousand: nothing is copied. Its bytes lie
/// where the source has them, valid only during the call that hands it out.
package struct RequestRow {
  package struct Body {
    /// Its row in the cassette.
    package let id: Int64
    package let size: Int64
    /// SHA-256, 32 bytes.
    package let digest: UnsafeRawBufferPointer

    package init(id: Int64, size: Int64, digest: UnsafeRawBufferPointer) {
      self.id = id
      self.size = size
      self.digest = digest
    }
  }

  package let id: Int64
  package let upstream: String?
  package let authority: UnsafeRawBufferPointer
  package let method: Method
  package let target: UnsafeRawBufferPointer
  package let fields: StoredFields
  /// nil when there was none.
  package let body: Body?
  package let notes: Set<Interaction.Note>
  /// Whether there is an answer to replay.
  package let isPlayable: Bool
  /// Of the response; nil when there was none.
  package let status: Int?
  /// Of the response; empty when there was none.
  package let responseFields: StoredFields

  package init(
    id: Int64, upstream: String?, authority: UnsafeRawBufferPointer, method: Method,
    target: UnsafeRawBufferPointer, fields: StoredFields, body: Body?,
    notes: Set<Interaction.Note>, isPlayable: Bool, status: Int?, responseFields: StoredFields
  ) {
    self.id = id
    self.upstream = upstream
    self.authority = authority
    self.method = method
    self.target = target
    self.fields = fields
    self.body = body
    self.notes = notes
    self.isPlayable = isPlayable
    self.status = status
    self.responseFields = responseFields
  }

  /// See `Interaction.isAnsweredBeforeContent`.
  package var isAnsweredBeforeContent: Bool {
    guard body == nil, let expect = fields.first(.expect) else { return false }
    return Array(expect)[...].commaSeparatedMembers.contains {
      $0.equalsIgnoringCase("100-continue".utf8)
    }
  }
}

extension Interaction {
  /// Hands out the row of an interaction that is in memory.
  package func withRequestRow(_ body: (RequestRow) -> Void) {
    // One buffer, so that one pointer is enough.
    var bytes: [UInt8] = []
    func place(_ part: [UInt8]) -> Range<Int> {
      bytes += part
      return (bytes.count - part.count)..<bytes.count
    }
    let authority = place(Array(self.authority.utf8))
    let target = place(request.target)
    let fields = place(request.fields.bytes)
    let digest = place(requestBody?.digest ?? [])
    let responseFields = place(response?.head.fields.bytes ?? [])
    bytes.withUnsafeBytes { bytes in
      func part(_ place: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[place])
      }
      body(
        RequestRow(
          id: id, upstream: upstream, authority: part(authority), method: request.method,
          target: part(target), fields: StoredFields(part(fields)),
          body: requestBody.map {
            RequestRow.Body(id: $0.id, size: $0.size, digest: part(digest))
          }, notes: notes, isPlayable: isPlayable, status: response?.head.status,
          responseFields: StoredFields(part(responseFields))))
    }
  }

  /// Whether there is an answer to replay: a response, or a failure that the recorder answered for.
  /// Not so when the client left before the answer came.
  package var isPlayable: Bool {
    Self.isPlayable(notes: notes, hasResponse: response != nil, outcome: outcome)
  }

  package static func isPlayable(
    notes: Set<Note>, hasResponse: Bool, outcome: Outcome
  ) -> Bool {
    if notes.contains(.contentOmitted) { return false }
    if hasResponse { return true }
    switch outcome {
    case .refused, .dns, .tls, .timeout, .reset, .truncated: return true
    case .complete, .cancelled: return false
    }
  }

  /// Whether the client asked to be told before it sends content (RFC 9110 §10.1.1) and was
  /// answered without sending it.
  package var isAnsweredBeforeContent: Bool {
    requestBody == nil && request.fields.list(.expect, holds: "100-continue")
  }
}
