import FoundationEssentials

extension FixtureServer {
  /// What a handler answers.
  ///
  /// Framing is automatic: a `Content-Length` is added where `headers` have none and the status has
  /// content, unless there are `.raw` pieces; with `Transfer-Encoding: chunked` each piece is a
  /// chunk instead. A `Date` is added to every head without one. The answer to HEAD, a 204 and a
  /// 304 carry no content, whatever `body` says.
  public struct Response: Sendable {
    /// A part of the body, or what happens between two of them.
    public enum Piece: Equatable, Sendable {
      /// Content. Empty, it sends the head where nothing else did.
      case bytes(Data)
      /// Nothing is sent for so long; what stands before it, the head too, has left. After the last
      /// byte a pause holds nothing back.
      case pause(Duration)
      /// The connection ends with a RST; as the first piece, before the head.
      case reset
      /// The connection ends with a FIN; as the first piece, before the head.
      case close
      /// Bytes as they are, outside any framing; as the first piece, instead of the head. The
      /// connection ends after the last piece.
      case raw(Data)
    }

    /// 200–999.
    public var status: Int
    /// In the order in which they are sent, repeats kept.
    public var headers: [(name: String, value: String)]
    /// In the order in which they are sent; empty for no content.
    public var body: [Piece]
    /// From the return of the handler until the status line.
    public var delay: Duration

    /// A 200 without fields and content, unless it says more.
    public init(
      status: Int = 200, headers: [(name: String, value: String)] = [], body: [Piece] = [],
      delay: Duration = .zero
    ) {
      self.status = status
      self.headers = headers
      self.body = body
      self.delay = delay
    }

    /// Text in UTF-8, called `text/plain` unless `headers` have a `Content-Type`.
    public static func text(
      _ text: String, status: Int = 200, headers: [(name: String, value: String)] = [],
      delay: Duration = .zero
    ) -> Response {
      let isTyped = headers.contains { $0.name.lowercased() == "content-type" }
      let type = isTyped ? [] : [(name: "Content-Type", value: "text/plain; charset=utf-8")]
      return Response(
        status: status, headers: type + headers, body: [.bytes(Data(text.utf8))], delay: delay)
    }
  }
}
