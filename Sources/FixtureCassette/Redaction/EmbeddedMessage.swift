import FixtureHTTP

/// The field lines of a part of a multipart, or of a message within a content.
struct EmbeddedFields {
  struct Line {
    let name: Range<Int>
    /// Without whitespace around it; with the line breaks of lines that continue it.
    let value: Range<Int>
  }

  private(set) var lines: [Line] = []
  /// Behind the empty line that ends them; the end of the range when there is none.
  private(set) var end: Int

  /// - Parameter range: what holds the lines, which end with CR LF or LF.
  init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    end = range.upperBound
    var start = range.lowerBound
    while start < range.upperBound {
      var lineEnd = Self.lineEnd(in: bytes, start..<range.upperBound)
      if Self.content(of: start..<lineEnd, in: bytes).isEmpty {
        end = min(lineEnd + 1, range.upperBound)
        return
      }
      // Folded lines, as mail has them (RFC 5322 §2.2.3).
      while lineEnd + 1 < range.upperBound, bytes[lineEnd + 1].isOptionalWhitespace {
        lineEnd = Self.lineEnd(in: bytes, (lineEnd + 1)..<range.upperBound)
      }
      append(Self.content(of: start..<lineEnd, in: bytes), of: bytes)
      start = lineEnd + 1
    }
  }

  private mutating func append(_ line: Range<Int>, of bytes: UnsafeRawBufferPointer) {
    guard let colon = bytes[line].firstIndex(of: 0x3A), colon > line.lowerBound,
      bytes[line.lowerBound..<colon].allSatisfy(\.isTokenCharacter)
    else { return }
    let value = bytes[(colon + 1)..<line.upperBound].trimmingOptionalWhitespace
    lines.append(Line(name: line.lowerBound..<colon, value: value.startIndex..<value.endIndex))
  }

  /// Where the line feed is that ends the line, or the range.
  static func lineEnd(in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
    bytes[range].firstIndex(of: 0x0A) ?? range.upperBound
  }

  static func content(of line: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Range<Int> {
    !line.isEmpty && bytes[line.upperBound - 1] == 0x0D
      ? line.lowerBound..<(line.upperBound - 1) : line
  }
}

/// An HTTP message that is a content itself, or that of a part, as batches of requests are sent
/// (`application/http`, RFC 9112 §10.2).
struct EmbeddedMessage {
  /// nil of a response.
  let target: Range<Int>?
  let fields: EmbeddedFields
  let content: Range<Int>

  /// nil for any other text. A request line may lack its version, as some batches have it.
  init?(_ bytes: UnsafeRawBufferPointer) {
    let lineEnd = EmbeddedFields.lineEnd(in: bytes, 0..<bytes.count)
    let line = bytes[EmbeddedFields.content(of: 0..<lineEnd, in: bytes)]
    guard line.count <= Self.lineBytesMax else { return nil }
    if line.starts(with: "HTTP/".utf8) {
      target = nil
    } else {
      let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
      guard words.count == 2 || words.count == 3 && words[2].starts(with: "HTTP/".utf8),
        Self.methods.contains(where: { $0.elementsEqual(words[0]) }),
        words[1].first == 0x2F || words[1].starts(with: "http".utf8)
      else { return nil }
      target = words[1].startIndex..<words[1].endIndex
    }
    fields = EmbeddedFields(bytes, min(lineEnd + 1, bytes.count)..<bytes.count)
    content = fields.end..<bytes.count
  }

  private static let lineBytesMax = 64 << 10
  private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
    .map { Array($0.utf8) }
}

extension EmbeddedFields {
  /// The value of `Content-Type`.
  func contentType(in bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    lines.first { line in
      FieldName.contentType.matches(UnsafeRawBufferPointer(rebasing: bytes[line.name]))
    }.map { Array(bytes[$0.value]) }
  }
}
