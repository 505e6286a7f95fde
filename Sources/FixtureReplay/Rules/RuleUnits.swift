/// A number of bytes, as rules name it.
package struct ByteCount: Hashable, Sendable {
  package let bytes: Int64

  /// - Precondition: not negative.
  package init(bytes: Int64) {
    precondition(bytes >= 0, "\(bytes) bytes")
    self.bytes = bytes
  }

  package static func bytes(_ count: Int64) -> ByteCount { ByteCount(bytes: count) }
  package static func kilobytes(_ count: Int64) -> ByteCount { ByteCount(bytes: count * 1000) }
  package static func megabytes(_ count: Int64) -> ByteCount { ByteCount(bytes: count * 1_000_000) }
}

/// Bytes per second, above zero.
package struct ByteRate: Hashable, Sendable {
  package let bytesPerSecond: Int64

  /// - Precondition: at least 1.
  package init(bytesPerSecond: Int64) {
    precondition(bytesPerSecond > 0, "\(bytesPerSecond) bytes per second")
    self.bytesPerSecond = bytesPerSecond
  }

  /// So much each second.
  package static func perSecond(_ count: ByteCount) -> ByteRate {
    ByteRate(bytesPerSecond: count.bytes)
  }
}

/// A part of a whole, or a factor: a decimal number with at most six places.
package struct Proportion: Hashable, Sendable {
  package let millionths: Int64

  /// - Precondition: not negative.
  package init(millionths: Int64) {
    precondition(millionths >= 0, "\(millionths) millionths")
    self.millionths = millionths
  }

  package static func percent(_ count: Int64) -> Proportion {
    Proportion(millionths: count * 10_000)
  }

  /// The part of a number, rounded down; of a factor above one, the number.
  package func of(_ whole: Int64) -> Int64 {
    guard millionths < 1_000_000 else { return whole }
    return Int64(1_000_000).dividingFullWidth(whole.multipliedFullWidth(by: millionths)).quotient
  }
}

/// Numbers with units as rules spell them: decimal digits, perhaps a point, and a unit directly
/// behind. A value is exact or is refused; none is rounded.
enum RuleUnits {
  struct Unit {
    let name: StaticString
    let size: Int64
  }

  /// In nanoseconds, the smallest first.
  static let times = [
    Unit(name: "ms", size: 1_000_000), Unit(name: "s", size: 1_000_000_000),
    Unit(name: "m", size: 60_000_000_000), Unit(name: "h", size: 3_600_000_000_000),
    Unit(name: "d", size: 86_400_000_000_000),
  ]
  /// Powers of 1000, and of 1024 with an i.
  static let sizes = [
    Unit(name: "B", size: 1), Unit(name: "KB", size: 1000), Unit(name: "KiB", size: 1024),
    Unit(name: "MB", size: 1_000_000), Unit(name: "MiB", size: 1_048_576),
    Unit(name: "GB", size: 1_000_000_000),
  ]

  /// Thirty years: far beyond any test, far from what overflows.
  static let timeMax_ns: Int64 = 10_958 * 86_400_000_000_000
  /// A terabyte.
  static let sizeMax: Int64 = 1_000_000_000_000

  static let timeExpected = "a time with its unit (ms, s, m, h, d), for example 250ms"
  static let sizeExpected = "a size with its unit (B, KB, MB, GB, KiB, MiB), for example 500KB"
  static let rateExpected = "a rate, for example 100KB/s"
  static let percentExpected = "a percentage from 0% to 100%, for example 12.5%"

  static func time(_ text: ArraySlice<UInt8>) -> Duration? {
    guard let count = measure(text, times), count <= timeMax_ns else { return nil }
    return .nanoseconds(count)
  }

  static func size(_ text: ArraySlice<UInt8>) -> ByteCount? {
    guard let count = measure(text, sizes), count <= sizeMax else { return nil }
    return ByteCount(bytes: count)
  }

  static func rate(_ text: ArraySlice<UInt8>) -> ByteRate? {
    guard text.suffix(2).elementsEqual("/s".utf8), let size = size(text.dropLast(2)),
      size.bytes > 0
    else { return nil }
    return ByteRate(bytesPerSecond: size.bytes)
  }

  static func percent(_ text: ArraySlice<UInt8>) -> Proportion? {
    guard text.last == 0x25, let count = decimal(text.dropLast(), times: 10_000),
      count <= 1_000_000
    else { return nil }
    return Proportion(millionths: count)
  }

  /// A number without a unit.
  static func factor(_ text: ArraySlice<UInt8>) -> Proportion? {
    decimal(text, times: 1_000_000).map { Proportion(millionths: $0) }
  }

  /// A whole number without a unit.
  static func count(_ text: ArraySlice<UInt8>) -> Int64? {
    text.contains(0x2E) ? nil : decimal(text, times: 1)
  }

  private static func measure(_ text: ArraySlice<UInt8>, _ units: [Unit]) -> Int64? {
    let number = text.prefix { $0.isDigitOrPoint }
    let name = text[number.endIndex...]
    for unit in units where name.elementsEqual(unit.name.utf8) {
      return decimal(number, times: unit.size)
    }
    return nil
  }

  /// The number in a smaller unit; nil when it is no whole number of those.
  private static func decimal(_ text: ArraySlice<UInt8>, times size: Int64) -> Int64? {
    let parts = text.split(separator: 0x2E, maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = digits(parts[0]) else { return nil }
    let (scaled, overflow) = whole.multipliedReportingOverflow(by: size)
    guard !overflow else { return nil }
    guard parts.count == 2 else { return scaled }
    guard var part = digits(parts[1]), parts[1].count <= 9 else { return nil }
    var divisor: Int64 = 1
    for _ in 0..<parts[1].count { divisor *= 10 }
    let (product, partOverflow) = part.multipliedReportingOverflow(by: size)
    guard !partOverflow, product % divisor == 0 else { return nil }
    part = product / divisor
    let (sum, sumOverflow) = scaled.addingReportingOverflow(part)
    return sumOverflow ? nil : sum
  }

  private static func digits(_ text: ArraySlice<UInt8>) -> Int64? {
    guard !text.isEmpty, text.count <= 18, text.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
      return nil
    }
    return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }
}

extension RuleUnits {
  /// In the largest unit that leaves a whole number.
  static func text(_ time: Duration) -> String {
    let ns = time.saturatedNanoseconds
    return whole(ns, times) ?? PrintableText.milliseconds(ns: ns)
  }

  static func text(_ size: ByteCount) -> String {
    whole(size.bytes, sizes) ?? "\(size.bytes)B"
  }

  static func text(_ rate: ByteRate) -> String {
    text(ByteCount(bytes: rate.bytesPerSecond)) + "/s"
  }

  static func percent(_ proportion: Proportion) -> String {
    decimal(proportion.millionths, places: 4) + "%"
  }

  static func factor(_ proportion: Proportion) -> String {
    decimal(proportion.millionths, places: 6)
  }

  private static func whole(_ count: Int64, _ units: [Unit]) -> String? {
    guard let unit = units.last(where: { count % $0.size == 0 && count >= $0.size }) else {
      return count == 0 ? "0\(units[0].name)" : nil
    }
    return "\(count / unit.size)\(unit.name)"
  }

  private static func decimal(_ count: Int64, places: Int) -> String {
    var divisor: Int64 = 1
    for _ in 0..<places { divisor *= 10 }
    let (whole, rest) = count.quotientAndRemainder(dividingBy: divisor)
    guard rest > 0 else { return "\(whole)" }
    var digits = "\(rest + divisor)".dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(whole).\(digits)"
  }
}

extension UInt8 {
  fileprivate var isDigitOrPoint: Bool { self == 0x2E || self >= 0x30 && self <= 0x39 }
}

extension StaticString {
  var utf8: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}
