/// Bounds on everything a peer can make the codec hold or count.
///
/// Sizes are in bytes as they stand on the wire, line ends included. A message that goes beyond one
/// of them is refused; nothing is cut.
package struct Limits: Equatable, Sendable {
  /// Request line, field lines and the empty line after them; beyond it 431. Precedents: Tomcat
  /// 8 KiB, Node 16 KiB, nginx 32 KiB, h11 64 KiB. Fixtures meet large cookies and signed tokens.
  package var requestHeadBytesMax = 64 * 1024
  /// The request target; beyond it 414. RFC 9112 §3 recommends at least 8,000 bytes.
  package var targetBytesMax = 16 * 1024
  /// A method name; beyond it 501 (RFC 9112 §3). The longest registered one has 17 bytes.
  package var methodBytesMax = 64
  /// Status line, field lines and the empty line after them, for each response, interim ones
  /// included. Larger than a request's, because an origin server can't be told to send less;
  /// clients accept about as much (curl 300 KiB, Chrome 256 KiB).
  package var responseHeadBytesMax = 256 * 1024
  /// Lines in one header or trailer section, folded ones counted line by line. Node stops at 2,000
  /// names and values.
  package var fieldLinesMax = 1000
  /// A chunk's size with its extensions. Extensions are ignored, and real ones are short.
  package var chunkLineBytesMax = 4 * 1024
  /// A trailer section with the empty line that ends it.
  package var trailerBytesMax = 64 * 1024
  /// Interim responses before one final response. A 102 every ten seconds for hours is legitimate.
  package var interimResponsesMax = 1000
  /// The heads of those responses together: a recorder keeps them until the final one. Hints are
  /// some KiB; this is far more, and far less than as many heads of the largest size.
  package var interimBytesMax = 1024 * 1024
  /// Empty lines skipped before a start line. RFC 9112 §2.2 asks for at least one.
  package var emptyLinesMax = 4

  package init() {}

  /// The longest request line: a longer one has too long a target or method.
  var requestLineBytesMax: Int { methodBytesMax + targetBytesMax + " HTTP/1.1 \r\n".utf8.count }
}
