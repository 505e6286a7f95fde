import FixtureHTTP

extension ContentSecrets {
  /// A text whose shape says what it is: JSON, lines of it, events with it, XML, pairs, a message.
  mutating func text(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, path: UInt64, _ replacement: Replacement
  ) {
    guard let start = bytes.firstIndex(where: { $0 > 0x20 }) else { return }
    let isContainer = bytes[start] == 0x7B || bytes[start] == 0x5B
    if isContainer, json(bytes, at: offset, path: path, replacement) { return }
    if bytes[start] == 0x3C {
      let before = places.count
      markup(bytes, at: offset, path: path, replacement)
      if places.count > before { return }
    }
    if message(bytes, at: offset, path: path, replacement) { return }
    if let padded = Self.padded(bytes) {
      let inside = UnsafeRawBufferPointer(rebasing: bytes[padded])
      if json(inside, at: offset + padded.lowerBound, path: path, replacement) { return }
    }
    if Self.looksLikeForm(bytes) {
      var form = ContentSecrets(rules: rules)
      form.read(bytes, .form, by: replacement)
      return take(form) { $0 + offset }
    }
    lines(bytes, at: offset, path: path, replacement)
  }

  /// Pairs as some token endpoints send them under another name: `access_token=…&expires=60`.
  private static func looksLikeForm(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= 64 << 10, bytes.contains(0x3D) else { return false }
    return bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3C && $0 != 0x7B }
  }

  /// What a script hands over that is made for it: `callback({…});`, `window.state = …` is not.
  private static func padded(_ bytes: UnsafeRawBufferPointer) -> Range<Int>? {
    guard let open = bytes.prefix(paddingBytesMax).firstIndex(of: 0x28),
      let close = bytes.lastIndex(of: 0x29), close > open,
      bytes[(close + 1)...].allSatisfy({ $0 <= 0x20 || $0 == 0x3B })
    else { return nil }
    return (open + 1)..<close
  }

  private static let paddingBytesMax = 512

  mutating func lines(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, path: UInt64, _ replacement: Replacement
  ) {
    /// Where the data of the event lies that is being read, a range for each of its lines.
    var data: [Range<Int>] = []
    var number: UInt64 = 0
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      let contentEnd = end > start && bytes[end - 1] == 0x0D ? end - 1 : end
      let line = start..<contentEnd
      start = end + 1
      number += 1
      let path = StableHash.mix(path, number)
      if let value = Self.data(of: line, in: bytes) {
        data.append(value)
        continue
      }
      // A field of the event between its data does not end them (WHATWG HTML §9.2.6).
      if !line.isEmpty, !data.isEmpty, !Self.isValueStart(bytes[line.lowerBound]) { continue }
      event(data, of: bytes, at: offset, path: path, replacement)
      data = []
      value(line, of: bytes, at: offset, path: path, replacement)
    }
    event(data, of: bytes, at: offset, path: StableHash.mix(path, number + 1), replacement)
  }

  /// The value of a `data:` line.
  private static func data(
    of line: Range<Int>, in bytes: UnsafeRawBufferPointer
  ) -> Range<Int>? {
    guard bytes[line].starts(with: "data:".utf8) else { return nil }
    var start = line.lowerBound + 5
    if start < line.upperBound, bytes[start] == 0x20 { start += 1 }
    return start..<line.upperBound
  }

  private static func isValueStart(_ byte: UInt8) -> Bool { byte == 0x7B || byte == 0x5B }

  /// The data of an event are its lines with a line break between them.
  private mutating func event(
    _ data: [Range<Int>], of bytes: UnsafeRawBufferPointer, at offset: Int, path: UInt64,
    _ replacement: Replacement
  ) {
    if data.count <= 1 {
      if let only = data.first { value(only, of: bytes, at: offset, path: path, replacement) }
      return
    }
    guard Self.isValueStart(bytes[data[0].lowerBound...].first ?? 0) else { return }
    var joined: [UInt8] = []
    var starts: [(joined: Int, original: Int)] = []
    for range in data {
      starts.append((joined.count, range.lowerBound))
      joined.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[range]))
      joined.append(0x0A)
    }
    var inside = ContentSecrets(rules: rules)
    let isJSON = joined.withUnsafeBytes { inside.json($0, at: 0, path: path, replacement) }
    guard isJSON else {
      for range in data { value(range, of: bytes, at: offset, path: path, replacement) }
      return
    }
    // No token crosses a line break.
    take(inside) { position in
      let line = starts.last { $0.joined <= position } ?? starts[0]
      return offset + line.original + position - line.joined
    }
  }

  /// A line, or the data of an event.
  private mutating func value(
    _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, at offset: Int, path: UInt64,
    _ replacement: Replacement
  ) {
    guard let start = bytes[range].firstIndex(where: { $0 > 0x20 }) else { return }
    let line = UnsafeRawBufferPointer(rebasing: bytes[range])
    guard Self.isValueStart(bytes[start]) else {
      // A script, or a page with one: `window.state = {"token":"…"}`.
      return loose(line, at: offset + range.lowerBound, isWhole: false, replacement)
    }
    if !json(line, at: offset + range.lowerBound, path: path, replacement) {
      loose(line, at: offset + range.lowerBound, replacement)
    }
  }
}
