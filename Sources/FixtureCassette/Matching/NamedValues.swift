import FixtureHTTP

/// The values that stand behind a name in a text that is neither JSON nor pairs, as XML, YAML,
/// HTML and programs write them.
///
///     <password>VALUE</password>        <wsse:Password Type="text">VALUE
///     password: VALUE                   password="VALUE"
///     <input name="password" value="VALUE">
struct NamedValues: Sequence, IteratorProtocol {
  struct Element: Equatable {
    let name: [UInt8]
    /// Of characters that tokens are made of, ended by something else.
    let value: [UInt8]
  }

  private let text: UnsafeRawBufferPointer
  private var position = 0

  init(in text: UnsafeRawBufferPointer) {
    self.text = text
  }

  mutating func next() -> Element? {
    while let name = nextName() {
      guard let start = valueStart(behind: name) else { continue }
      let end = text[start...].firstIndex { !Self.isValue($0) } ?? text.count
      guard end > start, end == text.count || !Self.continues(text[end]) else { continue }
      return Element(name: Array(text[name]), value: Array(text[start..<end]))
    }
    return nil
  }

  private mutating func nextName() -> Range<Int>? {
    guard let start = text[position...].firstIndex(where: Self.isName) else {
      position = text.count
      return nil
    }
    position = text[start...].firstIndex { !Self.isName($0) } ?? text.count
    return start..<position
  }

  /// Where the value begins that a name is given; nil when it is given none.
  private func valueStart(behind name: Range<Int>) -> Int? {
    var index = name.upperBound
    if isTag(name), let end = text[index...].prefix(Self.tagBytesMax).firstIndex(of: 0x3E) {
      return skip(Self.spaces, from: end + 1)
    }
    index = skip(Self.quotes, from: index)
    index = skip(Self.spaces, from: index)
    for attribute in ["value", "content"] where isAttribute(attribute, at: index) {
      index += attribute.utf8.count
    }
    guard index < text.count, text[index] == 0x3A || text[index] == 0x3D else { return nil }
    return skip(Self.quotes, from: skip(Self.spaces, from: index + 1))
  }

  /// Whether a name is that of an element, perhaps with a prefix.
  private func isTag(_ name: Range<Int>) -> Bool {
    var start = name.lowerBound
    if start > 0, text[start - 1] == 0x3A {
      start -= 1
      while start > 0, Self.isName(text[start - 1]) { start -= 1 }
    }
    return start > 0 && text[start - 1] == 0x3C
  }

  private func isAttribute(_ name: String, at index: Int) -> Bool {
    let end = index + name.utf8.count
    return end < text.count && text[index..<end].elementsEqual(name.utf8) && text[end] == 0x3D
  }

  private func skip(_ bytes: [UInt8], from start: Int) -> Int {
    text[start...].firstIndex { !bytes.contains($0) } ?? text.count
  }

  /// Attributes before the end of a start tag.
  private static let tagBytesMax = 512
  private static let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
  /// Those of a string within a string are escaped.
  private static let quotes: [UInt8] = [0x22, 0x27, 0x5C]

  private static func isName(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte == 0x5F || byte == 0x2D
  }

  private static func isValue(_ byte: UInt8) -> Bool {
    isName(byte) || [0x2B, 0x2F, 0x3D, 0x7E].contains(byte)
  }

  /// What makes a name of a program of it, or a path.
  private static func continues(_ byte: UInt8) -> Bool {
    [0x2E, 0x28, 0x5B, 0x24, 0x25, 0x3A].contains(byte)
  }
}
