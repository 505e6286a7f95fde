import FixtureHTTP

/// The secrets of a recording so far that are looked for everywhere, in memory alone.
struct KnownSecrets: Sendable {
  /// With more, the older half is forgotten: sessions that turn over their tokens for days would
  /// else never stop growing.
  let secretsMax: Int
  let bytesMax: Int

  private var finder = SecretFinder()
  /// Those that were given at the start, the first ones, are never forgotten.
  private var lasting = 0
  private var byteCount = 0
  /// Those that were learned, forgotten ones too.
  private(set) var learnedCount = 0

  init(secretsMax: Int = 20_000, bytesMax: Int = 16 << 20) {
    self.secretsMax = secretsMax
    self.bytesMax = bytesMax
  }

  var isEmpty: Bool { finder.isEmpty }

  /// Adds one that is kept.
  /// - Precondition: before all that are learned.
  /// - Returns: whether it can be looked for.
  mutating func addLasting(_ secret: [UInt8]) -> Bool {
    guard finder.add(secret) else { return false }
    lasting += 1
    return true
  }

  /// Adds one that was found; it was not there before.
  /// - Returns: those that were forgotten for it.
  mutating func learn(_ secret: [UInt8]) -> ArraySlice<[UInt8]> {
    guard finder.add(secret) else { return [] }
    byteCount += secret.count
    learnedCount += 1
    if finder.secrets.count > lasting + secretsMax || byteCount > bytesMax { return forget() }
    return []
  }

  /// The secrets in a text, and where they lie.
  func matches(in text: UnsafeRawBufferPointer) -> [(range: Range<Int>, secret: [UInt8])] {
    finder.matches(in: text).map { ($0.range, finder.secrets[$0.secret]) }
  }

  /// Where a secret begins that the end of a text cuts off.
  func cutMatch(in text: UnsafeRawBufferPointer) -> (range: Range<Int>, secret: [UInt8])? {
    for secret in finder.secrets {
      var count = min(secret.count - 1, text.count)
      while count >= SecretFinder.secretBytesMin {
        let start = text.count - count
        if text[start...].elementsEqual(secret[..<count]) { return (start..<text.count, secret) }
        count -= 1
      }
    }
    return nil
  }

  private mutating func forget() -> ArraySlice<[UInt8]> {
    let all = finder.secrets
    let learned = all[lasting...]
    finder = SecretFinder()
    for secret in all[..<lasting] { finder.add(secret) }
    let kept = learned.suffix(learned.count / 2)
    for secret in kept { finder.add(secret) }
    byteCount = kept.reduce(0) { $0 + $1.count }
    return learned.dropLast(kept.count)
  }
}

/// Where a secret was found, which says how sure it is that it is one.
enum SecretOrigin {
  /// A password, a token, a key: a place for nothing else.
  case certain
  /// A cookie, a parameter of a link: often a language or a number.
  case uncertain
}

extension SecretOrigin {
  /// Whether a secret is distinctive enough that finding it elsewhere is no chance. Others are
  /// replaced where they were found, and only there.
  func isDistinctive(_ secret: [UInt8]) -> Bool {
    // JSON that stands elsewhere would not be JSON without it.
    if secret.first == 0x7B || secret.first == 0x5B || secret.first == 0x22 { return false }
    let letters = secret.count { $0.isLetter }
    let isMixed = letters > 0 && letters < secret.count
    switch self {
    case .certain: return secret.count >= 16 || secret.count >= 8 && isMixed
    case .uncertain:
      return secret.count >= 16 && letters > 0 && secret.contains(where: \.isDigit)
        && Self.distinctBytes(secret) >= 9
    }
  }

  private static func distinctBytes(_ secret: [UInt8]) -> Int { Set(secret).count }
}
