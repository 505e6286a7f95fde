import FixtureHTTP

/// Until when a client wants to wait.
extension Verdict.Attempt {
  /// As the client said it: `X-Client-Deadline-Ms: 1000`, `grpc-timeout: 1S`.
  var deadline_ns: Int64? {
    if let value = field(.clientDeadline) { return Self.number(value[...], unit_ns: 1_000_000) }
    guard let value = field(.grpcTimeout), let unit = value.last else { return nil }
    let unit_ns: Int64? =
      switch unit {
      case UInt8(ascii: "H"): 3_600_000_000_000
      case UInt8(ascii: "M"): 60_000_000_000
      case UInt8(ascii: "S"): 1_000_000_000
      case UInt8(ascii: "m"): 1_000_000
      case UInt8(ascii: "u"): 1000
      case UInt8(ascii: "n"): 1
      default: nil
      }
    return unit_ns.flatMap { Self.number(value.dropLast(), unit_ns: $0) }
  }

  private static func number(_ digits: ArraySlice<UInt8>, unit_ns: Int64) -> Int64? {
    seconds(digits)?.saturatingMultiplied(by: unit_ns)
  }
}
