import FixtureHTTP

/// Something in a text that looks like a credential by its shape alone.
package struct CredentialShape: Equatable, Sendable {
  /// In words, with what is always the same about it; never a part of the secret.
  package let name: String
  package let range: Range<Int>
}

extension CredentialShape {
  /// A token that begins like no other text.
  private struct Prefixed {
    let name: String
    let prefix: [UInt8]
    /// Of what follows the prefix.
    let count: ClosedRange<Int>
    let isPart: @Sendable (UInt8) -> Bool

    init(
      _ name: String, _ prefix: String, _ count: ClosedRange<Int>,
      _ isPart: @escaping @Sendable (UInt8) -> Bool
    ) {
      self.name = name
      self.prefix = Array(prefix.utf8)
      self.count = count
      self.isPart = isPart
    }
  }

  private static let longMax = 4096

  private static let prefixed: [Prefixed] = [
    Prefixed("AWS access key AKIA…", "AKIA", 16...16) { $0.isUppercase || $0.isDigit },
    Prefixed("AWS access key ASIA…", "ASIA", 16...16) { $0.isUppercase || $0.isDigit },
    Prefixed("GitHub token ghp_…", "ghp_", 36...255, isAlphanumeric),
    Prefixed("GitHub token gho_…", "gho_", 36...255, isAlphanumeric),
    Prefixed("GitHub token ghu_…", "ghu_", 36...255, isAlphanumeric),
    Prefixed("GitHub token ghs_…", "ghs_", 36...255, isAlphanumeric),
    Prefixed("GitHub token ghr_…", "ghr_", 36...255, isAlphanumeric),
    Prefixed("GitHub token github_pat_…", "github_pat_", 40...255, isWord),
    Prefixed("GitLab token glpat-…", "glpat-", 20...64, isURLSafe),
    Prefixed("Slack token xoxb-…", "xoxb-", 10...255, isURLSafe),
    Prefixed("Slack token xoxp-…", "xoxp-", 10...255, isURLSafe),
    Prefixed("Slack token xoxa-…", "xoxa-", 10...255, isURLSafe),
    Prefixed("Slack token xoxr-…", "xoxr-", 10...255, isURLSafe),
    Prefixed("Slack token xoxs-…", "xoxs-", 10...255, isURLSafe),
    Prefixed("Slack token xapp-…", "xapp-", 10...255, isURLSafe),
    Prefixed("Stripe key sk_live_…", "sk_live_", 16...255, isAlphanumeric),
    Prefixed("Stripe key rk_live_…", "rk_live_", 16...255, isAlphanumeric),
    Prefixed("Stripe key sk_test_…", "sk_test_", 16...255, isAlphanumeric),
    Prefixed("Stripe webhook secret whsec_…", "whsec_", 16...255, isAlphanumeric),
    Prefixed("Google API key AIza…", "AIza", 35...35, isURLSafe),
    Prefixed("Google access token ya29.…", "ya29.", 20...longMax, isURLSafe),
    Prefixed("OpenAI key sk-proj-…", "sk-proj-", 20...255, isURLSafe),
    Prefixed("Anthropic key sk-ant-…", "sk-ant-", 20...255, isURLSafe),
    Prefixed("npm token npm_…", "npm_", 36...36, isAlphanumeric),
    Prefixed("PyPI token pypi-…", "pypi-AgE", 40...longMax, isURLSafe),
    Prefixed("Hugging Face token hf_…", "hf_", 30...64, isAlphanumeric),
    Prefixed("DigitalOcean token dop_v1_…", "dop_v1_", 64...64, isAlphanumeric),
    Prefixed("Shopify token shpat_…", "shpat_", 32...32, isAlphanumeric),
  ]

  private static func isAlphanumeric(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit }
  private static func isWord(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || byte == 0x5F }
  private static func isURLSafe(_ byte: UInt8) -> Bool { isWord(byte) || byte == 0x2D }

  /// Those in a text, in its order, none over another.
  package static func all(in text: UnsafeRawBufferPointer) -> [CredentialShape] {
    var found: [CredentialShape] = []
    var index = 0
    while index < text.count {
      guard let shape = shape(in: text, at: index) else {
        index += 1
        continue
      }
      found.append(shape)
      index = shape.range.upperBound
    }
    return found
  }

  /// The text with `REDACTED` for each of them.
  package static func concealed(_ text: [UInt8]) -> [UInt8] {
    text.withUnsafeBytes { bytes in
      var edits = TextEdits()
      for shape in all(in: bytes) { edits.replace(shape.range, by: Placeholder.anonymous) }
      return edits.isEmpty ? text : edits.applied(to: bytes)
    }
  }

  private static func shape(
    in text: UnsafeRawBufferPointer, at index: Int
  ) -> CredentialShape? {
    switch text[index] {
    case 0x2D: return privateKey(in: text, at: index)
    case 0x42, 0x62: return credentials(in: text, at: index)
    case 0x3A: return userinfo(in: text, at: index)
    case 0x65: return isWordStart(index, in: text) ? webToken(in: text, at: index) : nil
    default: break
    }
    guard isWordStart(index, in: text) else { return nil }
    for kind in prefixed where stands(kind.prefix, in: text, at: index) {
      let start = index + kind.prefix.count
      let end = text[start...].firstIndex { !kind.isPart($0) } ?? text.count
      if kind.count.contains(end - start) {
        return CredentialShape(name: kind.name, range: index..<end)
      }
    }
    return nil
  }

  private static func isWordStart(_ index: Int, in text: UnsafeRawBufferPointer) -> Bool {
    index == 0 || !isWord(text[index - 1])
  }

  private static func stands(
    _ bytes: [UInt8], in text: UnsafeRawBufferPointer, at index: Int
  ) -> Bool {
    index + bytes.count <= text.count
      && text[index..<(index + bytes.count)].elementsEqual(bytes)
  }

  /// `-----BEGIN … PRIVATE KEY-----` (RFC 7468 §10), to its end as far as that is there.
  private static func privateKey(
    in text: UnsafeRawBufferPointer, at index: Int
  ) -> CredentialShape? {
    guard stands(Array("-----BEGIN ".utf8), in: text, at: index) else { return nil }
    let label = text[(index + 11)...].prefix(64).prefix { $0 != 0x2D && $0 >= 0x20 }
    guard String(decoding: label, as: UTF8.self).hasSuffix("PRIVATE KEY") else { return nil }
    let end = Array("-----END ".utf8)
    var position = label.endIndex
    while position < text.count, !stands(end, in: text, at: position) { position += 1 }
    return CredentialShape(name: "private key", range: index..<position)
  }

  /// `Basic` and `Bearer` with what follows them.
  private static func credentials(
    in text: UnsafeRawBufferPointer, at index: Int
  ) -> CredentialShape? {
    guard isWordStart(index, in: text) else { return nil }
    for scheme in ["Bearer ", "bearer ", "Basic ", "basic "]
    where stands(Array(scheme.utf8), in: text, at: index) {
      let start = index + scheme.utf8.count
      let isToken = { (byte: UInt8) in isURLSafe(byte) || [0x2B, 0x2E, 0x2F, 0x7E].contains(byte) }
      var end = text[start...].firstIndex { !isToken($0) } ?? text.count
      while end < text.count, text[end] == 0x3D { end += 1 }
      let value = Array(text[start..<end])
      guard Placeholder(value) == nil else { return nil }
      let isBasic = scheme.lowercased() == "basic "
      let isCredential =
        isBasic
        ? value.count >= 8 && Base64Text.decoded(value)?.contains(0x3A) == true
        : value.count >= 16 && Randomness.isRandom(value)
      if isCredential {
        return CredentialShape(
          name: isBasic ? "Basic credentials" : "Bearer token", range: start..<end)
      }
    }
    return nil
  }

  /// `://user:password@`.
  private static func userinfo(
    in text: UnsafeRawBufferPointer, at index: Int
  ) -> CredentialShape? {
    guard stands(Array("://".utf8), in: text, at: index) else { return nil }
    let start = index + 3
    let end = text[start...].prefix(256).firstIndex { byte in
      byte <= 0x20 || byte >= 0x7F || [0x2F, 0x3F, 0x23, 0x22, 0x27, 0x3C, 0x40].contains(byte)
    }
    guard let end, text[end] == 0x40,
      let colon = text[start..<end].firstIndex(of: 0x3A), colon + 1 < end,
      Placeholder(Array(text[(colon + 1)..<end])) == nil
    else { return nil }
    return CredentialShape(name: "password in a URL", range: (colon + 1)..<end)
  }

  private static func webToken(
    in text: UnsafeRawBufferPointer, at index: Int
  ) -> CredentialShape? {
    guard stands(Array("eyJ".utf8), in: text, at: index) else { return nil }
    let end = text[index...].firstIndex { !isURLSafe($0) && $0 != 0x2E } ?? text.count
    let token = Array(text[index..<end])
    guard token.count <= 64 << 10, JSONWebToken(token) != nil, Placeholder(token) == nil else {
      return nil
    }
    return CredentialShape(name: "JSON Web Token eyJ…", range: index..<end)
  }
}

/// Whether a text was drawn, not written.
enum Randomness {
  /// Long enough, of letters and digits, and with few repeats.
  static func isRandom(_ text: [UInt8]) -> Bool {
    guard text.count >= 16, text.contains(where: \.isDigit), text.contains(where: \.isLetter),
      text.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return false }
    return Set(text).count >= 9
  }
}

extension UInt8 {
  fileprivate var isUppercase: Bool { self >= 0x41 && self <= 0x5A }
}
