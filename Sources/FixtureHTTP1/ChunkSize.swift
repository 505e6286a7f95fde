import FixtureHTTP

/// The size in a chunk-size line (RFC 9112 §7.1), given with its line end.
///
/// Extensions are ignored (§7.1.1) but may hold no CR or NUL, and no LF can be inside. A response
/// may have whitespace after the size and end the line with LF alone: old servers pad the size.
/// - Throws: `.chunkSizeInvalid`, also for a size above `Int64.max`.
func chunkSize(
  _ line: UnsafeRawBufferPointer, kind: MessageKind
) throws(ProtocolError) -> Int64 {
  var end = line.count - 1
  if end > 0, line[end - 1] == 0x0D {
    end -= 1
  } else if kind == .request {
    throw .chunkSizeInvalid(in: kind)
  }

  var position = 0
  var size: Int64 = 0
  while position < end, let digit = line[position].hexDigitValue {
    guard size <= Int64.max >> 4 else { throw .chunkSizeInvalid(in: kind) }
    size = size << 4 | Int64(digit)
    position += 1
  }
  guard position > 0 else { throw .chunkSizeInvalid(in: kind) }

  let digitsEnd = position
  while position < end, line[position].isOptionalWhitespace { position += 1 }
  if position == end {
    guard position == digitsEnd || kind == .response else { throw .chunkSizeInvalid(in: kind) }
    return size
  }
  guard line[position] == 0x3B, line[position..<end].allSatisfy(\.isFieldValueByte) else {
    throw .chunkSizeInvalid(in: kind)
  }
  return size
}
