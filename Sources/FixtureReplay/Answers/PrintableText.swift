/// Bytes as text that any terminal and any diff can show.
enum PrintableText {
  /// Printable ASCII as it is; a backslash doubled; any other byte, and those in `escaping`, as
  /// `\xNN`. Different bytes give different text.
  static func of(_ bytes: some Sequence<UInt8>, escaping others: StaticString = "") -> String {
    let others = UnsafeBufferPointer(start: others.utf8Start, count: others.utf8CodeUnitCount)
    var text: [UInt8] = []
    for byte in bytes {
      if byte == 0x5C {
        text += [0x5C, 0x5C]
      } else if byte >= 0x20, byte < 0x7F, !others.contains(byte) {
        text.append(byte)
      } else {
        text += [0x5C, 0x78, hexDigit(byte >> 4), hexDigit(byte & 0xF)]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// A duration in milliseconds with as many decimals as it needs, down to nanoseconds: `1.5ms`.
  static func milliseconds(ns: Int64) -> String {
    let sign = ns < 0 ? "-" : ""
    let (whole, rest) = ns.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    guard rest > 0 else { return "\(sign)\(whole)ms" }
    let digits = String(rest)
    var decimals = String(repeating: "0", count: 6 - digits.utf8.count) + digits
    while decimals.utf8.last == 0x30 { decimals.removeLast() }
    return "\(sign)\(whole).\(decimals)ms"
  }

  /// The same for people to compare: whole milliseconds, below ten of them tenths. Never more than
  /// it was, so that what is too early looks it.
  static func about(ns: Int64) -> String {
    let unit_ns: Int64 = ns.magnitude < 10_000_000 ? 100_000 : 1_000_000
    return milliseconds(ns: ns / unit_ns * unit_ns)
  }

  /// The lower case digit for a value of 0–15.
  static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}
