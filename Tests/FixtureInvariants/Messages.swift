import FixtureHTTP
import FixtureHTTP1

// RULE of `requests` and `responses`: a stream of messages is heard the same whole, byte by byte
// and cut anywhere, under any limits; every call keeps the contract that `Listener` checks; and
// what was accepted can be stored as it is, and written again so that it is heard again.

func checkRequests(_ bytes: [UInt8]) throws(Violation) {
  _ = try checkCuts(RequestParser(limits: .tight), bytes)
  let heard = try checkCuts(RequestParser(), bytes).heard
  try checkFields(in: heard)
  try checkRewriting(heard, RequestParser())
}

func checkResponses(_ bytes: [UInt8]) throws(Violation) {
  for method in [Method.get, .head, .connect] {
    _ = try checkCuts(AnswerParser(answering: method, limits: .tight), bytes)
    let heard = try checkCuts(AnswerParser(answering: method), bytes).heard
    try checkFields(in: heard)
    try checkRewriting(heard, AnswerParser(answering: method))
  }
}

/// - Returns: what was heard of the bytes as a whole.
private func checkCuts<Parser: MessageParser>(
  _ parser: Parser, _ bytes: [UInt8]
) throws(Violation) -> Listener<Parser> {
  let whole = try Listener.listen(parser, to: bytes, cuts: [])
  try whole.checkSame(as: .listen(parser, to: bytes, cuts: bytes.indices), "byte by byte")
  // Anywhere: places that follow from the input, so that a finding is found again.
  let hash = bytes.reduce(UInt64(bytes.count)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  let places = [hash >> 8, hash >> 24, hash >> 40].map { Int($0 % UInt64(bytes.count + 1)) }
  try whole.checkSame(as: .listen(parser, to: bytes, cuts: places.sorted()), "cut at \(places)")
  return whole
}

extension Listener {
  fileprivate func checkSame(as other: Listener, _ how: String) throws(Violation) {
    try require(heard == other.heard, "whole: \(heard)\n\(how): \(other.heard)")
  }
}

private func checkFields(in heard: [Heard]) throws(Violation) {
  for heard in heard {
    switch heard {
    case .request(let head, _): try checkFields(head.fields)
    case .interim(let head), .response(let head, _, _): try checkFields(head.fields)
    case .end(let trailers): try checkFields(trailers)
    case .content, .error: break
    }
  }
}

/// A cassette can hold the section, and each line is where the section says.
func checkFields(_ fields: FieldSection) throws(Violation) {
  let stored: FieldSection
  do throws(FieldSectionError) {
    stored = try FieldSection(stored: fields.bytes)
  } catch {
    throw Violation(text: "\(fields) can't be stored: \(error)")
  }
  try require(stored == fields, "\(fields) stored is \(stored)")
  try require(stored.count == fields.count, "\(fields) has \(stored.count) lines when stored")
  for index in 0..<fields.count {
    let isSame =
      stored.name(at: index) == fields.name(at: index)
      && stored.value(at: index) == fields.value(at: index)
    try require(isSame, "line \(index) of \(fields) is another when stored")
  }
}

private func checkRewriting(
  _ heard: [Heard], _ parser: some MessageParser
) throws(Violation) {
  let rewriting = Rewriting(heard)
  let again = try Listener.listen(parser, to: rewriting.bytes, cuts: []).heard
  // The close comes between two messages: what it means depends on the role.
  let ends = again.prefix { if case .error(.closedBeforeHead) = $0 { false } else { true } }
  try require(
    Array(ends) == rewriting.expected, "heard: \(rewriting.expected)\nagain: \(again)")
}

extension Limits {
  /// So small that short inputs reach every one of them.
  fileprivate static var tight: Limits {
    var limits = Limits()
    limits.requestHeadBytesMax = 64
    limits.targetBytesMax = 12
    limits.methodBytesMax = 5
    limits.responseHeadBytesMax = 64
    limits.fieldLinesMax = 3
    limits.chunkLineBytesMax = 8
    limits.trailerBytesMax = 16
    limits.interimResponsesMax = 2
    limits.interimBytesMax = 80
    limits.emptyLinesMax = 1
    return limits
  }
}
