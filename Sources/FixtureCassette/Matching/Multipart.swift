import FixtureHTTP

/// A multipart content taken apart (RFC 2046 §5.1.1, RFC 7578 §4).
package struct Multipart {
  /// Where a part's field lines and its content lie.
  package struct Part: Equatable, Sendable {
    package let fields: Range<Int>
    package let content: Range<Int>
  }

  /// In the order given; none for a form without fields, which clients send as its end alone.
  package let parts: [Part]

  /// - Parameters:
  ///   - boundary: the parameter of the media type, without quotes.
  ///   - mayBeCut: whether the last part may end with the content instead of a delimiter, as in a
  ///     request that broke off.
  /// - Returns: nil when the content is not made like that: a boundary that may not be one, no
  ///   first or last delimiter, a part whose fields do not end. What stands before the first and
  ///   after the last delimiter is passed over.
  package init?(_ content: UnsafeRawBufferPointer, boundary: [UInt8], mayBeCut: Bool = false) {
    // "bchars", 1 to 70 of them, the last no space. Others are sent as well, and do no harm.
    guard (1...70).contains(boundary.count), boundary.last != 0x20,
      boundary.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
    else { return nil }
    let delimiters = Delimiters(content, boundary)
    guard var delimiter = delimiters.first(from: 0), !delimiter.isLast || delimiter.start == 0
    else { return nil }
    var parts: [Part] = []
    while !delimiter.isLast {
      guard let next = delimiters.first(from: delimiter.end - 2), next.start >= delimiter.end - 2
      else {
        guard mayBeCut else { return nil }
        if let part = Self.part(content, delimiter.end..<content.count) { parts.append(part) }
        break
      }
      guard let part = Self.part(content, delimiter.end..<max(delimiter.end, next.start)) else {
        return nil
      }
      parts.append(part)
      delimiter = next
    }
    self.parts = parts
  }

  private static func part(
    _ content: UnsafeRawBufferPointer, _ range: Range<Int>
  ) -> Part? {
    var lineStart = range.lowerBound
    while lineStart + 1 < range.upperBound {
      if content[lineStart] == 0x0D, content[lineStart + 1] == 0x0A {
        return Part(
          fields: range.lowerBound..<lineStart, content: (lineStart + 2)..<range.upperBound)
      }
      guard let end = ByteSearch.lineEnd(in: content, from: lineStart, to: range.upperBound) else {
        return nil
      }
      lineStart = end + 2
    }
    // Fields, or none, without an empty line: then there is no content (RFC 2046 §5.1.1).
    guard lineStart == range.upperBound else { return nil }
    return Part(fields: range, content: lineStart..<lineStart)
  }
}

extension Multipart {
  /// The value of a part's first field with this name, continued lines joined; nil when there is
  /// none.
  package static func value(
    of name: FieldName, in fields: Range<Int>, of content: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    var value: [UInt8]?
    var lineStart = fields.lowerBound
    while lineStart < fields.upperBound {
      let end = ByteSearch.lineEnd(in: content, from: lineStart, to: fields.upperBound)
      let line = content[lineStart..<(end ?? fields.upperBound)]
      if let first = line.first, first.isOptionalWhitespace {
        if let begun = value { value = begun + [0x20] + line.trimmingOptionalWhitespace }
      } else if value != nil {
        return value
      } else if let colon = line.firstIndex(of: 0x3A),
        name.matches(UnsafeRawBufferPointer(rebasing: line[..<colon]))
      {
        value = Array(line[(colon + 1)...].trimmingOptionalWhitespace)
      }
      lineStart = end.map { $0 + 2 } ?? fields.upperBound
    }
    return value
  }
}

/// Finds the delimiter lines of a multipart content.
private struct Delimiters {
  struct Delimiter {
    /// Where the part before it ends: the line break before a delimiter belongs to it.
    let start: Int
    /// Behind its line.
    let end: Int
    let isLast: Bool
  }

  let content: UnsafeRawBufferPointer
  let boundary: [UInt8]

  init(_ content: UnsafeRawBufferPointer, _ boundary: [UInt8]) {
    self.content = content
    self.boundary = boundary
  }

  /// The first delimiter whose line break is not before `position`; the very first line needs none.
  func first(from position: Int) -> Delimiter? {
    if position == 0, let delimiter = delimiter(line: 0, start: 0) { return delimiter }
    var next = position
    while let lineBreak = ByteSearch.lineEnd(in: content, from: next, to: content.count) {
      if let delimiter = delimiter(line: lineBreak + 2, start: lineBreak) { return delimiter }
      next = lineBreak + 1
    }
    return nil
  }

  /// The delimiter whose line begins at `line`; nil when it is another line, also one that goes on
  /// after the boundary.
  private func delimiter(line: Int, start: Int) -> Delimiter? {
    let end = line + 2 + boundary.count
    guard end <= content.count, content[line] == 0x2D, content[line + 1] == 0x2D,
      content[(line + 2)..<end].elementsEqual(boundary)
    else { return nil }
    let isLast = end + 1 < content.count && content[end] == 0x2D && content[end + 1] == 0x2D
    var position = isLast ? end + 2 : end
    while position < content.count, content[position].isOptionalWhitespace { position += 1 }
    if isLast, position == content.count {
      return Delimiter(start: start, end: position, isLast: true)
    }
    guard position + 1 < content.count, content[position] == 0x0D, content[position + 1] == 0x0A
    else { return nil }
    return Delimiter(start: start, end: position + 2, isLast: isLast)
  }
}

enum ByteSearch {
  /// Where the first CR LF lies that is whole within the range; nil when there is none.
  static func lineEnd(in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
    var index = start
    while index &+ 1 < end {
      // The second byte first: if it is neither, the pair can't begin at either place.
      switch bytes[index &+ 1] {
      case 0x0A where bytes[index] == 0x0D: return index
      case 0x0D: index &+= 1
      default: index &+= 2
      }
    }
    return nil
  }
}
