import FixtureHTTP

/// Finds known secrets in any text, however they are spelled: as they are, with percent escapes (of
/// some bytes or all, also twice), with the escapes of JSON, or inside base64.
///
/// Of each spelling a few letters and digits in a row are looked up, which nothing escapes; where
/// they stand, the rest is compared. So looking costs about the same for one secret and for
/// thousands.
struct SecretFinder: Sendable {
  /// Shorter ones would be found in what is none.
  static let secretBytesMin = 6
  /// Longer ones are not looked for.
  static let secretBytesMax = 16 << 10

  /// A secret in a text.
  struct Match: Equatable {
    var range: Range<Int>
    /// In the order in which they were added.
    var secret: Int
  }

  private struct Pattern {
    let bytes: [UInt8]
    let secret: Int
    let isBase64: Bool
    /// Where in `bytes` what is looked up lies.
    let anchor: Int
  }

  private static let anchorBytes = 4

  private(set) var secrets: [[UInt8]] = []
  private var patterns: [Pattern] = []
  private var byAnchor: [UInt32: [Int32]] = [:]
  /// A bit for each anchor's hash.
  private var filter: [UInt64] = []

  var isEmpty: Bool { patterns.isEmpty }

  /// - Returns: whether it can be looked for: neither too short nor too long, and with letters or
  ///   digits enough.
  @discardableResult
  mutating func add(_ secret: [UInt8]) -> Bool {
    guard (Self.secretBytesMin...Self.secretBytesMax).contains(secret.count) else { return false }
    let number = secrets.count
    guard insert(secret, number, isBase64: false) else { return false }
    for core in Self.base64Cores(of: secret) { _ = insert(core, number, isBase64: true) }
    secrets.append(secret)
    return true
  }

  /// - Returns: whether there is something to look it up by.
  private mutating func insert(_ bytes: [UInt8], _ secret: Int, isBase64: Bool) -> Bool {
    guard let anchor = anchor(in: bytes) else { return false }
    let key = bytes.withUnsafeBytes { Self.anchorKey(in: $0, at: anchor) }
    if filter.isEmpty { filter = Array(repeating: 0, count: Self.filterWords) }
    let bit = Self.filterBit(key)
    filter[bit >> 6] |= 1 << UInt64(bit & 63)
    byAnchor[key, default: []].append(Int32(patterns.count))
    patterns.append(Pattern(bytes: bytes, secret: secret, isBase64: isBase64, anchor: anchor))
    return true
  }

  /// The matches in the order of the text, none over another: of several that lie over each other
  /// all that they cover goes, as the longest secret.
  func matches(in text: UnsafeRawBufferPointer) -> [Match] {
    guard !isEmpty, text.count >= Self.anchorBytes else { return [] }
    var found: [Match] = []
    filter.withUnsafeBufferPointer { filter in
      for index in 0...(text.count - Self.anchorBytes) {
        let key = Self.anchorKey(in: text, at: index)
        let bit = Self.filterBit(key)
        guard filter[bit >> 6] & (1 << UInt64(bit & 63)) != 0 else { continue }
        for pattern in byAnchor[key] ?? [] {
          if let range = range(of: patterns[Int(pattern)], in: text, anchoredAt: index) {
            add(Match(range: range, secret: patterns[Int(pattern)].secret), to: &found)
          }
        }
      }
    }
    return found
  }

  private func add(_ match: Match, to found: inout [Match]) {
    var match = match
    while let last = found.last, last.range.upperBound > match.range.lowerBound {
      if secrets[last.secret].count > secrets[match.secret].count { match.secret = last.secret }
      match.range =
        min(
          last.range.lowerBound, match.range.lowerBound)..<max(
          last.range.upperBound, match.range.upperBound)
      found.removeLast()
    }
    found.append(match)
  }

  private func range(
    of pattern: Pattern, in text: UnsafeRawBufferPointer, anchoredAt index: Int
  ) -> Range<Int>? {
    let spelling = SecretSpelling(text)
    guard
      let end = spelling.end(
        of: pattern.bytes[(pattern.anchor + Self.anchorBytes)...], from: index + Self.anchorBytes,
        isBase64: pattern.isBase64),
      let start = spelling.start(
        of: pattern.bytes[..<pattern.anchor], before: index, isBase64: pattern.isBase64)
    else { return nil }
    return pattern.isBase64 ? spelling.base64Run(around: start..<end) : start..<end
  }
}

extension SecretFinder {
  private static let filterWords = 1 << 13

  @inline(__always)
  private static func filterBit(_ key: UInt32) -> Int { Int((key &* 0x9e37_79b1) &>> 13) }

  /// Four bytes as a number.
  @inline(__always)
  private static func anchorKey(in bytes: UnsafeRawBufferPointer, at index: Int) -> UInt32 {
    UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
  }

  /// Where the letters and digits lie by which a text is looked up: those that fewest other secrets
  /// are looked up by, because many tokens begin or end alike. The last ones first.
  /// - Returns: nil when there are none in a row, or every place is that of too many.
  private func anchor(in bytes: [UInt8]) -> Int? {
    var best: (start: Int, count: Int)?
    var run = 0
    for index in bytes.indices.reversed() {
      run = bytes[index].isLetter || bytes[index].isDigit ? run + 1 : 0
      guard run >= Self.anchorBytes else { continue }
      let key = bytes.withUnsafeBytes { Self.anchorKey(in: $0, at: index) }
      let count = byAnchor[key]?.count ?? 0
      if count == 0 { return index }
      if count < best?.count ?? Self.sharedAnchorMax { best = (index, count) }
    }
    return best?.start
  }

  /// Each place where letters and digits stand is compared with all secrets that have them.
  private static let sharedAnchorMax = 32

  /// What base64 makes of a secret whatever stands around it: one for each way in which its bytes
  /// may lie in the groups of three.
  private static func base64Cores(of secret: [UInt8]) -> [[UInt8]] {
    guard secret.count >= 8 else { return [] }
    return (0..<3).map { shift in
      let before = [UInt8](repeating: 0, count: shift)
      let encoded = Base64Text.encoded(before + secret, alphabet: .standard)
      // Characters that hold bits of the bytes before or after are left out.
      let start = (shift * 8 + 5) / 6
      let end = (shift + secret.count) * 8 / 6
      return Array(encoded[start..<end])
    }
  }
}
