/// Where to listen: `HOST:PORT`, an IPv6 address in brackets.
struct ListenAddress: Equatable, Sendable {
  /// A name or an address literal, without brackets.
  var host: String
  /// 0 lets the system pick one.
  var port: UInt16

  static let standard = ListenAddress(host: "127.0.0.1", port: 8377)

  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// nil unless the text is a host, a colon and a decimal port. Whether the host exists is known
  /// when it is listened on.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard digits.allSatisfy({ ("0"..."9").contains($0) }), let port = UInt16(digits) else {
      return nil
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
      guard host.contains(":") else { return nil }
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte) else { return nil }
    self.init(host: String(host), port: port)
  }

  /// Letters, digits, and what names and address literals (with a zone) hold besides.
  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "%"):
      true
    default: false
    }
  }
}
