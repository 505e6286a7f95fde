import CFixtureOpenSSL

/// What a certificate says, read out of OpenSSL's `X509` for messages.
///
/// It borrows the certificate and is used only inside the verification callback that has it.
struct PeerCertificate {
  let handle: OpaquePointer

  /// Names listed at most: some certificates carry hundreds, and a message has one line.
  static let namesMax = 8

  /// The subject's common name, or the whole subject when it has none.
  var subject: String { Self.shortName(X509_get_subject_name(handle)) }

  /// The issuer's common name, or the whole issuer when it has none.
  var issuer: String { Self.shortName(X509_get_issuer_name(handle)) }

  /// The first moment of validity, like `2025-01-31 23:59:59 UTC`.
  var validFrom: String { Self.date(X509_get0_notBefore(handle)) }

  /// The last moment of validity, like `2025-01-31 23:59:59 UTC`.
  var validUntil: String { Self.date(X509_get0_notAfter(handle)) }

  /// The DNS names and addresses of the subject alternative name, in its order, at most
  /// `namesMax` and then an ellipsis. Only these count (RFC 9110 §4.3.4), not the common name.
  var names: [String] {
    guard let all = fixture_x509_subject_alternative_names(handle) else {
      OpenSSLErrorQueue.clear()
      return []
    }
    defer { GENERAL_NAMES_free(all) }
    var names: [String] = []
    for index in 0..<max(0, fixture_general_names_count(all)) {
      guard let entry = fixture_general_names_value(all, index), let name = Self.name(entry) else {
        continue
      }
      if names.count == Self.namesMax { return names + ["…"] }
      names.append(name)
    }
    return names
  }

  /// A DNS name or an address; nil for the kinds that name no host.
  private static func name(_ entry: UnsafePointer<GENERAL_NAME>) -> String? {
    var kind: Int32 = 0
    guard let value = GENERAL_NAME_get0_value(entry, &kind) else { return nil }
    switch kind {
    case GEN_DNS: return text(of: OpaquePointer(value))
    case GEN_IPADD: return address(bytes(of: OpaquePointer(value)))
    default: return nil
    }
  }

  /// `192.0.2.1` for four bytes, `2001:db8:0:0:0:0:0:1` for sixteen.
  private static func address(_ bytes: [UInt8]) -> String? {
    if bytes.count == 4 {
      return bytes.map { String($0) }.joined(separator: ".")
    }
    guard bytes.count == 16 else { return nil }
    let groups = stride(from: 0, to: 16, by: 2).map { index in
      String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
    }
    return groups.joined(separator: ":")
  }

  private static func shortName(_ name: OpaquePointer?) -> String {
    let index = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
    if index >= 0, let entry = X509_NAME_get_entry(name, index),
      let value = X509_NAME_ENTRY_get_data(entry)
    {
      return text(of: OpaquePointer(value))
    }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      let line = X509_NAME_oneline(name, buffer.baseAddress, Int32(buffer.count))
      return line.map { String(cString: $0) } ?? "unnamed"
    }
  }

  /// From `YYYYMMDDHHMMSSZ`, the only form of GeneralizedTime in certificates (RFC 5280 §4.1.2.5).
  private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> String {
    guard let general = ASN1_TIME_to_generalizedtime(time, nil) else {
      OpenSSLErrorQueue.clear()
      return "an unreadable date"
    }
    defer { ASN1_GENERALIZEDTIME_free(general) }
    let digits = Array(text(of: OpaquePointer(general)))
    guard digits.count >= 14 else { return String(digits) }
    func part(_ range: Range<Int>) -> String { String(digits[range]) }
    return "\(part(0..<4))-\(part(4..<6))-\(part(6..<8)) "
      + "\(part(8..<10)):\(part(10..<12)):\(part(12..<14)) UTC"
  }

  /// The string's bytes with everything unprintable replaced: it comes from the peer and goes
  /// into a line of text.
  private static func text(of string: OpaquePointer) -> String {
    let scalars = String(decoding: bytes(of: string), as: UTF8.self).unicodeScalars.map { scalar in
      scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : scalar
    }
    return String(String.UnicodeScalarView(scalars))
  }

  private static func bytes(of string: OpaquePointer) -> [UInt8] {
    let string = UnsafePointer<ASN1_STRING>(string)
    guard let start = ASN1_STRING_get0_data(string) else { return [] }
    return Array(UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(string))))
  }
}
