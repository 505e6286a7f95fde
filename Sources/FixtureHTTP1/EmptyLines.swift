/// Skips empty lines before a start line (RFC 9112 §2.2): some clients and servers send one more
/// line end after a body.
///
/// - Parameter count: of those skipped before this message so far.
/// - Returns: where the start line starts; also when it has not arrived. Nil when only the CR of a
///   line end has arrived, or empty lines before it; then nothing is consumed.
func skipEmptyLines(
  _ input: UnsafeRawBufferPointer, _ count: inout Int, limit: Int, kind: MessageKind
) throws(ProtocolError) -> Int? {
  var position = 0
  var skipped = count
  while position < input.count {
    let length: Int
    switch input[position] {
    case 0x0D:
      guard position + 1 < input.count else { return nil }
      guard input[position + 1] == 0x0A else {
        throw .notHTTP(firstByte: input[position], in: kind)
      }
      length = 2
    case 0x0A where kind == .response: length = 1
    default:
      count = skipped
      return position
    }
    position += length
    skipped += 1
    guard skipped <= limit else { throw .emptyLinesTooMany(limit: limit, in: kind) }
  }
  count = skipped
  return position
}
