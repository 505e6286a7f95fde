/// What a `Range` field asks for (RFC 9110 §14.1.1, §14.1.2).
package struct ByteRanges: Equatable, Sendable {
  package enum Spec: Equatable, Sendable {
    /// From a position, through another one or to the end.
    case from(Int64, through: Int64?)
    /// The last bytes, this many.
    case suffix(Int64)
  }

  /// What of a representation is to be sent.
  package enum Selection: Equatable, Sendable {
    /// All of it, as if there were no `Range`.
    case whole
    /// These parts, in the order asked for; none is empty. Several go as `multipart/byteranges`.
    case parts([Range<Int64>])
    /// 416: nothing that was asked for is there.
    case unsatisfiable
  }

  /// At least one, as they stand in the field.
  package let specs: [Spec]

  package init(_ specs: [Spec]) {
    self.specs = specs
  }

  /// The field of a request; nil when there is none that counts. RFC 9110 §14.2 leaves it to the
  /// server to ignore the field, which is what is done with another unit, wrong syntax, a last
  /// position before the first, and a repeated field.
  package init?(_ fields: FieldSection) {
    guard let index = fields.index(of: .range),
      fields.index(of: .range, from: index + 1) == nil
    else { return nil }
    self.init(parsing: fields.value(at: index))
  }

  /// Reads the value of the field.
  package init?(parsing value: ArraySlice<UInt8>) {
    guard let equals = value.firstIndex(of: 0x3D),
      value[..<equals].equalsIgnoringCase("bytes".utf8)
    else { return nil }
    let members = value[(equals + 1)...].split(separator: 0x2C).map(\.trimmingOptionalWhitespace)
      .filter { !$0.isEmpty }
    var specs: [Spec] = []
    for member in members {
      guard let spec = Self.spec(member) else { return nil }
      specs.append(spec)
    }
    guard !specs.isEmpty else { return nil }
    self.specs = specs
  }

  private static func spec(_ text: ArraySlice<UInt8>) -> Spec? {
    guard let dash = text.firstIndex(of: 0x2D) else { return nil }
    let (first, last) = (text[..<dash], text[(dash + 1)...])
    guard first.allSatisfy(\.isDigit), last.allSatisfy(\.isDigit) else { return nil }
    switch (first.isEmpty, last.isEmpty) {
    case (true, true): return nil
    case (true, false): return .suffix(number(last))
    case (false, true): return .from(number(first), through: nil)
    case (false, false):
      // "An int-range is invalid if the last-pos value is present and less than first-pos."
      let (first, last) = (number(first), number(last))
      return first <= last ? .from(first, through: last) : nil
    }
  }

  /// At most what `Int64` holds: no representation is that long.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int64 {
    digits.reduce(0) { number, digit in
      let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
      return overflow ? .max : tens.saturatingAdding(Int64(digit - 0x30))
    }
  }

  /// What of a representation of this many bytes is to be sent.
  ///
  /// More parts than `partsMax`, or parts that overlap so much that they are longer than the whole
  /// together, get the whole: such requests are errors or attacks (RFC 9110 §17.15). So does
  /// anything of an empty representation that has no position, as no part could be named.
  package func selection(of size: Int64) -> Selection {
    guard specs.count <= Self.partsMax else { return .whole }
    var parts: [Range<Int64>] = []
    var total: Int64 = 0
    for spec in specs {
      guard let part = spec.range(of: size) else { continue }
      if part.isEmpty { return .whole }
      guard Int64(part.count) <= size - total else { return .whole }
      parts.append(part)
      total += Int64(part.count)
    }
    return parts.isEmpty ? .unsatisfiable : .parts(parts)
  }

  /// More parts than any player or reader of documents asks for at once.
  package static let partsMax = 100
}

extension ByteRanges.Spec {
  /// nil when it is not satisfiable; empty for a suffix of nothing.
  fileprivate func range(of size: Int64) -> Range<Int64>? {
    switch self {
    case .from(let first, _) where first >= size: nil
    case .from(let first, nil): first..<size
    case .from(let first, let last?): first..<(min(last, size - 1) + 1)
    // "for byte-range: a suffix-range is satisfiable if the suffix-length is non-zero".
    case .suffix(0): nil
    case .suffix(let length): max(0, size - length)..<size
    }
  }
}

extension Int64 {
  fileprivate func saturatingAdding(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}

/// What a `Content-Range` field of bytes says (RFC 9110 §14.4).
package struct ContentRange: Equatable, Sendable {
  /// nil in a 416, which sends none.
  package let range: Range<Int64>?
  /// Of the whole representation; nil when it is not told.
  package let size: Int64?

  package init(range: Range<Int64>?, size: Int64?) {
    self.range = range
    self.size = size
  }

  /// Reads the value of the field; nil for another unit, wrong syntax, or a range that is none.
  package init?(parsing value: ArraySlice<UInt8>) {
    let parts = value.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].equalsIgnoringCase("bytes".utf8),
      let slash = parts[1].firstIndex(of: 0x2F)
    else { return nil }
    let (position, total) = (parts[1][..<slash], parts[1][(slash + 1)...])
    let isTold = !total.elementsEqual([0x2A])
    size = isTold ? Self.number(total) : nil
    if isTold, size == nil { return nil }
    if position.elementsEqual([0x2A]) {
      guard isTold else { return nil }
      range = nil
      return
    }
    let ends = position.split(separator: 0x2D, omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
      first <= last, size.map({ last < $0 }) ?? true
    else { return nil }
    range = first..<(last + 1)
  }

  /// nil for what is no number, or is longer than any content.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard (1...18).contains(digits.count), digits.allSatisfy(\.isDigit) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  /// The field value.
  package var bytes: [UInt8] {
    let position = range.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*"
    return Array("bytes \(position)/\(size.map(String.init) ?? "*")".utf8)
  }
}
