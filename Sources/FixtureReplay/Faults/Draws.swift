import FixtureCassette

/// What a scenario leaves to chance, as values that can be computed again.
///
/// A draw is a mix of the seed, the ordinal of the rule, the match key, which request of that key
/// it is, and which draw of the rule. Neither the order in which other requests come nor how many
/// there are changes it.
struct Draws: Equatable {
  /// Mixed up to the rule.
  private let state: UInt64
  private var count: UInt64 = 0

  init(seed: UInt64, rule: Int, key: UInt64, request: Int64) {
    state = seed.mixed(with: UInt64(rule)).mixed(with: key)
      .mixed(with: UInt64(bitPattern: request))
  }

  /// The next 64 bits.
  mutating func next() -> UInt64 {
    defer { count += 1 }
    return state.mixed(with: count)
  }
}

extension UInt64 {
  /// The part of all that bits drawn evenly are at, below all of it.
  var portion: Proportion {
    Proportion(millionths: Int64(multipliedFullWidth(by: 1_000_000).high))
  }

  /// An instant between two, both included.
  func between(_ first: Duration, _ last: Duration) -> Duration {
    let first_ns = first.saturatedNanoseconds
    let span = UInt64(last.saturatedNanoseconds - first_ns) + 1
    return .nanoseconds(first_ns + Int64(multipliedFullWidth(by: span).high))
  }
}

extension Delay {
  /// The delay of one answer.
  func drawn(_ bits: UInt64) -> Duration {
    switch self {
    case .fixed(let time): return time
    case .between(let first, let last): return bits.between(first, last)
    case .lognormal(let median, let sigma):
      let exponent = Normal.drawn(bits) * Double(sigma.millionths) / 1_000_000
      let ns = Double(median.saturatedNanoseconds) * Normal.exponential(exponent)
      return .nanoseconds(Int64(min(ns, Double(RuleUnits.timeMax_ns))))
    }
  }
}

/// A normal distribution made of what every platform computes to the same bit: sums, products and
/// quotients.
private enum Normal {
  /// The sum of twelve even draws, less six: mean 0, variance 1, never beyond six.
  static func drawn(_ bits: UInt64) -> Double {
    var sum = 0.0
    for index in 0..<12 {
      sum += Double(bits.mixed(with: UInt64(index)) >> 11) / Double(UInt64(1) << 53)
    }
    return sum - 6
  }

  /// e to a power from -60 to 60: a series for the small part of it, squared often enough.
  static func exponential(_ power: Double) -> Double {
    let part = power / 64
    var term = 1.0
    var sum = 1.0
    for index in 1...16 {
      term *= part / Double(index)
      sum += term
    }
    for _ in 0..<6 { sum *= sum }
    return sum
  }
}

extension Body {
  /// Drawn bytes: those of one draw are always the same, and a longer text begins with a shorter.
  static func drawn(_ count: Int64, _ bits: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(count) + 8)
    var block: UInt64 = 0
    while bytes.count < Int(count) {
      withUnsafeBytes(of: bits.mixed(with: block).littleEndian) { bytes.append(contentsOf: $0) }
      block += 1
    }
    bytes.removeLast(bytes.count - Int(count))
    return bytes
  }
}
