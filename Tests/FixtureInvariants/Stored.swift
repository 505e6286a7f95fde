import FixtureCassette
import FixtureHTTP
import FixtureHTTP1

// RULE of `stored`: bytes are refused as arrivals or as fields, or they are read so that writing
// what was read gives the same again; fields from a cassette, sent in a head or as trailers, are
// heard as these fields and nothing else, whatever they hold.

func checkStored(_ bytes: [UInt8]) throws(Violation) {
  if let arrivals = Arrivals(packed: bytes) { try check(arrivals) }
  // Which line is wrong is for messages only.
  if let fields = try? FieldSection(stored: bytes) { try check(fields) }
}

private func check(_ arrivals: Arrivals) throws(Violation) {
  let pieces = arrivals.pieces
  try require(pieces.count == arrivals.count, "\(arrivals.count) arrivals are \(pieces)")
  var again = Arrivals()
  var total: Int64 = 0
  for piece in pieces {
    again.append(offset_us: piece.offset_us, count: piece.count)
    total += piece.count
  }
  try require(again.pieces == pieces, "\(pieces) written again are \(again.pieces)")
  try require(Arrivals(packed: again.packed) == again, "\(pieces) can't be read again")
}

private func check(_ fields: FieldSection) throws(Violation) {
  try checkFields(fields)
  // An interim response has no body, so that no field is understood but as a field.
  let head = ResponseHead(status: 103, reason: [], fields: fields)
  var answer: [UInt8] = []
  MessageEncoder.responseHead(head, to: &answer)
  MessageEncoder.responseHead(ResponseHead(status: 204, reason: []), to: &answer)
  let final = ResponseHead(status: 204, reason: [])
  try checkHeard(
    answer, AnswerParser(answering: .get),
    [.interim(head), .response(final, .none, bothFramings: false), .end(trailers: .init())])

  var request = Array("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
  let start = try Listener.listen(
    RequestParser(), to: request + "0\r\n\r\n".utf8, cuts: [], messageCount: 1
  ).heard.prefix(1)
  MessageEncoder.lastChunk(trailers: fields, to: &request)
  try checkHeard(request, RequestParser(), start + [.end(trailers: fields)])
}

private func checkHeard(
  _ bytes: [UInt8], _ parser: some MessageParser, _ expected: [Heard]
) throws(Violation) {
  let heard = try Listener.listen(parser, to: bytes, cuts: [], messageCount: expected.ends).heard
  // A section beyond a limit is refused as a whole.
  if case .error(let error)? = heard.last, error.isLimit { return }
  try require(heard == expected, "sent: \(expected)\nheard: \(heard)")
}

extension [Heard] {
  fileprivate var ends: Int { count { if case .end = $0 { true } else { false } } }
}

extension ProtocolError {
  fileprivate var isLimit: Bool {
    switch self {
    case .responseHeadTooLarge, .interimResponsesTooLarge, .trailersTooLarge, .fieldLinesTooMany:
      true
    default: false
    }
  }
}
