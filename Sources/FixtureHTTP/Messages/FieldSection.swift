/// A header or trailer section (RFC 9110 §5, §6.5): field lines in order, repeats and the case of
/// names kept, values as opaque bytes.
///
/// The lines are held as they go on the wire and into a cassette, `Name: value CRLF` each, in one
/// buffer; `lines` says where each name and value lies. Optional whitespace around a value is not
/// part of it (RFC 9110 §5.5) and is normalized to the single space after the colon.
package struct FieldSection: Sendable {
  /// Where one field line lies in `bytes`. The value starts two bytes after the name ends.
  package struct Line: Sendable {
    package let nameStart: UInt32
    package let nameEnd: UInt32
    package let valueEnd: UInt32

    @inlinable @inline(__always)
    package init(nameStart: UInt32, nameEnd: UInt32, valueEnd: UInt32) {
      self.nameStart = nameStart
      self.nameEnd = nameEnd
      self.valueEnd = valueEnd
    }
  }

  // Apart from what everyone may read, so that `append` can be specialized where it is called.
  @usableFromInline var laidOut: [UInt8] = []
  @usableFromInline var places: [Line] = []

  /// Every line as `Name: value CRLF`, without the empty line that ends a section.
  @inlinable package var bytes: [UInt8] { laidOut }
  @inlinable package var lines: [Line] { places }

  @inlinable
  package init() {}

  /// Takes a section as a codec has laid it out. The caller has checked what `append` asks for, and
  /// that `lines` describes every line of `bytes`, in order.
  package init(bytes: [UInt8], lines: [Line]) {
    assert(bytes.count == lines.last.map { Int($0.valueEnd) + 2 } ?? 0)
    laidOut = bytes
    places = lines
  }

  /// Parses the stored form, as `bytes` gives it.
  ///
  /// A cassette is data from outside: anything that could not be sent as one field line (an empty
  /// or non-token name, CR, LF or NUL in a value, a missing end of line) is refused.
  /// - Throws: `.line(n)`, the first wrong line, counted from 1; nothing was kept.
  package init(stored: [UInt8]) throws(FieldSectionError) {
    if let lines = stored.withUnsafeBytes({ Self.lines(of: $0) }) {
      laidOut = stored
      places = lines
      return
    }
    var start = 0
    while start < stored.count {
      guard let end = stored[start...].firstIndex(of: 0x0D), end + 1 < stored.count,
        stored[end + 1] == 0x0A,
        let colon = stored[start..<end].firstIndex(of: 0x3A), colon > start,
        stored[start..<colon].allSatisfy(\.isTokenCharacter)
      else { throw .line(lines.count + 1) }
      let value = stored[(colon + 1)..<end].trimmingOptionalWhitespace
      guard value.allSatisfy(\.isFieldValueByte) else { throw .line(lines.count + 1) }
      append(name: stored[start..<colon], value: value)
      start = end + 2
    }
  }

  /// The lines of a section that is laid out as `bytes` is, as nearly all that are stored; nil for
  /// any other.
  private static func lines(of stored: UnsafeRawBufferPointer) -> [Line]? {
    var lines: [Line] = []
    var position = 0
    while position < stored.count {
      let nameStart = position
      while position < stored.count, stored[position].isTokenCharacter { position += 1 }
      let nameEnd = position
      let valueStart = nameEnd + 2
      guard nameEnd > nameStart, valueStart < stored.count, stored[nameEnd] == 0x3A,
        stored[nameEnd + 1] == 0x20
      else { return nil }
      position = valueStart
      while position < stored.count, stored[position].isFieldValueByte { position += 1 }
      let valueEnd = position
      guard valueEnd + 1 < stored.count, stored[valueEnd] == 0x0D, stored[valueEnd + 1] == 0x0A,
        valueEnd == valueStart
          || !stored[valueStart].isOptionalWhitespace
            && !stored[valueEnd - 1].isOptionalWhitespace
      else { return nil }
      if lines.isEmpty { lines.reserveCapacity(16) }
      lines.append(
        Line(
          nameStart: UInt32(nameStart), nameEnd: UInt32(nameEnd), valueEnd: UInt32(valueEnd)))
      position = valueEnd + 2
    }
    return lines
  }

  @inlinable package var count: Int { lines.count }
  @inlinable package var isEmpty: Bool { lines.isEmpty }

  package mutating func reserve(bytes: Int, lines: Int) {
    laidOut.reserveCapacity(bytes)
    places.reserveCapacity(lines)
  }

  /// Adds a line at the end. The caller has checked that `name` is a token and that `value` holds
  /// no CR, LF or NUL and no whitespace at its ends.
  @inlinable
  package mutating func append(name: some Collection<UInt8>, value: some Collection<UInt8>) {
    let nameStart = UInt32(laidOut.count)
    laidOut.append(contentsOf: name)
    let nameEnd = UInt32(laidOut.count)
    laidOut.append(0x3A)
    laidOut.append(0x20)
    laidOut.append(contentsOf: value)
    let valueEnd = UInt32(laidOut.count)
    laidOut.append(0x0D)
    laidOut.append(0x0A)
    places.append(Line(nameStart: nameStart, nameEnd: nameEnd, valueEnd: valueEnd))
  }

  @inlinable
  package mutating func append(_ name: StaticString, _ value: some Collection<UInt8>) {
    append(
      name: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount),
      value: value)
  }

  @inlinable
  package mutating func append(_ name: StaticString, _ value: String) {
    append(name, value.utf8)
  }

  /// Adds all lines of another section at the end.
  package mutating func append(_ section: FieldSection) {
    for index in 0..<section.count {
      append(name: section.name(at: index), value: section.value(at: index))
    }
  }

  /// Puts other bytes in the place of as many of a value, which the caller has checked as for
  /// `append`.
  /// - Parameter range: of the value, from its start.
  package mutating func overwrite(_ range: Range<Int>, ofValueAt index: Int, with new: [UInt8]) {
    let line = places[index]
    precondition(range.count == new.count, "\(new.count) bytes in the place of \(range.count)")
    precondition(range.upperBound <= Int(line.valueEnd - line.nameEnd) - 2, "\(range) of \(line)")
    let start = Int(line.nameEnd) + 2 + range.lowerBound
    laidOut.withUnsafeMutableBytes { bytes in
      UnsafeMutableRawBufferPointer(rebasing: bytes[start..<(start + new.count)])
        .copyBytes(from: new)
    }
  }

  package func name(at index: Int) -> ArraySlice<UInt8> {
    bytes[Int(lines[index].nameStart)..<Int(lines[index].nameEnd)]
  }

  /// The name where it stands, valid inside `body` only.
  @inlinable
  package func withName<Result>(
    at index: Int, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    laidOut.withUnsafeBytes { bytes in
      body(
        UnsafeRawBufferPointer(
          rebasing: bytes[Int(places[index].nameStart)..<Int(places[index].nameEnd)]))
    }
  }

  package func value(at index: Int) -> ArraySlice<UInt8> {
    bytes[(Int(lines[index].nameEnd) + 2)..<Int(lines[index].valueEnd)]
  }

  /// The whole line, `Name: value CRLF`.
  package func line(at index: Int) -> ArraySlice<UInt8> {
    bytes[Int(lines[index].nameStart)..<(Int(lines[index].valueEnd) + 2)]
  }

  /// The first line at or after `start` with this name; nil when there is none.
  package func index(of name: FieldName, from start: Int = 0) -> Int? {
    let nameCount = UInt32(name.utf8Count)
    for index in start..<max(start, places.count) {
      let line = places[index]
      // Most names differ in length already.
      guard line.nameEnd &- line.nameStart == nameCount else { continue }
      let isFound = laidOut.withUnsafeBytes { bytes in
        name.matches(
          UnsafeRawBufferPointer(rebasing: bytes[Int(line.nameStart)..<Int(line.nameEnd)]))
      }
      if isFound { return index }
    }
    return nil
  }

  /// The value of the first line with this name.
  package func first(_ name: FieldName) -> ArraySlice<UInt8>? {
    index(of: name).map(value(at:))
  }

  /// The values of all lines with this name, in order.
  package func all(_ name: FieldName) -> [ArraySlice<UInt8>] {
    var values: [ArraySlice<UInt8>] = []
    var next = index(of: name)
    while let index = next {
      values.append(value(at: index))
      next = self.index(of: name, from: index + 1)
    }
    return values
  }

  package func contains(_ name: FieldName) -> Bool { index(of: name) != nil }

  /// The members of a comma-separated list field over all its lines (RFC 9110 §5.6.1), without
  /// surrounding whitespace and empty members. Commas inside quoted strings do not separate.
  package func list(_ name: FieldName) -> [ArraySlice<UInt8>] {
    all(name).flatMap(\.commaSeparatedMembers)
  }

  /// Whether the list field holds this token, case ignored.
  package func list(_ name: FieldName, holds token: StaticString) -> Bool {
    let token = UnsafeBufferPointer(start: token.utf8Start, count: token.utf8CodeUnitCount)
    var next = index(of: name)
    while let index = next {
      let value = value(at: index)
      // A value without a comma is one member, as most are.
      let isHeld =
        value.contains(0x2C)
        ? value.commaSeparatedMembers.contains { $0.equalsIgnoringCase(token) }
        : value.equalsIgnoringCase(token)
      if isHeld { return true }
      next = self.index(of: name, from: index + 1)
    }
    return false
  }

  /// The section with each line replaced by what `transform` makes of it: a new value, the value
  /// as it was, or nothing (nil drops the line).
  package func mapValues(
    _ transform: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> ArraySlice<UInt8>?
  ) -> FieldSection {
    var result = FieldSection()
    result.reserve(bytes: bytes.count, lines: lines.count)
    for index in lines.indices {
      let name = name(at: index)
      if let value = transform(name, value(at: index)) { result.append(name: name, value: value) }
    }
    return result
  }

  /// The section with the lines whose name passes.
  package func filtered(_ isKept: (_ name: UnsafeRawBufferPointer) -> Bool) -> FieldSection {
    var result = FieldSection()
    result.reserve(bytes: laidOut.count, lines: places.count)
    laidOut.withUnsafeBytes { bytes in
      for line in places {
        let name = bytes[Int(line.nameStart)..<Int(line.nameEnd)]
        guard isKept(UnsafeRawBufferPointer(rebasing: name)) else { continue }
        let moved = line.nameStart - UInt32(result.laidOut.count)
        result.laidOut.append(contentsOf: bytes[Int(line.nameStart)..<(Int(line.valueEnd) + 2)])
        result.places.append(
          Line(
            nameStart: line.nameStart - moved, nameEnd: line.nameEnd - moved,
            valueEnd: line.valueEnd - moved))
      }
    }
    return result
  }

  /// The section without the lines of these names.
  package func removing(_ names: FieldName...) -> FieldSection {
    guard names.contains(where: contains) else { return self }
    return filtered { name in !names.contains { $0.matches(name) } }
  }
}

extension FieldSection: Equatable {
  package static func == (left: FieldSection, right: FieldSection) -> Bool {
    left.bytes == right.bytes
  }
}

package enum FieldSectionError: Error, Equatable {
  case line(Int)
}

extension ArraySlice<UInt8> {
  /// The members of a `#rule` list (RFC 9110 §5.6.1.2): empty ones are ignored, a comma inside a
  /// quoted string belongs to its member.
  package var commaSeparatedMembers: [ArraySlice<UInt8>] {
    var members: [ArraySlice<UInt8>] = []
    var start = startIndex
    var quoted = false
    var index = startIndex
    while index < endIndex {
      switch self[index] {
      case 0x22: quoted.toggle()
      case 0x5C where quoted: index += 1
      case 0x2C where !quoted:
        members.append(self[start..<index].trimmingOptionalWhitespace)
        start = index + 1
      default: break
      }
      index += 1
    }
    members.append(self[Swift.min(start, endIndex)..<endIndex].trimmingOptionalWhitespace)
    return members.filter { !$0.isEmpty }
  }
}
