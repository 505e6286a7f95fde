import FixtureCassette
import FixtureHTTP

extension EntityTagChange.Schedule {
  /// Which generation of its tag a target has, from 0, the recorded one.
  /// - Parameters:
  ///   - request: of the target, from 1.
  ///   - elapsed: since the session began.
  package func generation(request: Int64, elapsed: Duration) -> Int64 {
    switch self {
    case .every(let count): (request - 1) / max(1, count)
    case .each(let time): elapsed.saturatedNanoseconds / max(1, time.saturatedNanoseconds)
    case .at(let requests): Int64(Set(requests).count { $0 <= request })
    }
  }
}

/// The state that a rule gives to a target's entity tag.
struct TagState: Equatable, Sendable {
  let target: TagGenerations.Target
  let change: EntityTagChange
  /// From 0, the recorded one.
  var generation: Int64
}

/// How often each target was asked for, whatever the method, the conditions or the range: a HEAD
/// and a 304 tell of the same representation as a GET.
package struct TagGenerations: Equatable, Sendable {
  /// Targets beyond this many are counted together: whoever asks for ever new ones must not fill
  /// memory.
  package static let targetsMax = 100_000

  private var counts: [UInt64: Int64] = [:]

  package init() {}

  /// The number of the next request of a target, from 1.
  package func next(of target: Target) -> Int64 { (counts[key(target)] ?? 0) + 1 }

  /// A request of the target is answered.
  package mutating func note(_ target: Target) { counts[key(target), default: 0] += 1 }

  /// What a tag belongs to: the target as it was sent, at one upstream.
  package struct Target: Hashable, Sendable {
    fileprivate let hash: UInt64

    package init(_ target: [UInt8], upstream: String?) {
      hash = StableHash.value(of: Array((upstream ?? "").utf8) + [0] + target)
    }
  }

  private func key(_ target: Target) -> UInt64 {
    counts.count < Self.targetsMax || counts[target.hash] != nil ? target.hash : 0
  }
}

/// How often somebody said that what a target names is another now, beside what rules do.
struct TagBumps: Equatable, Sendable {
  private var counts: [[UInt8]: Int64] = [:]
  private var overall: Int64 = 0

  /// Of this target, at every upstream; nil: of all.
  /// - Returns: false when there are too many targets to tell one more apart.
  mutating func bump(_ target: [UInt8]?) -> Bool {
    guard let target else {
      overall += 1
      return true
    }
    guard counts[target] != nil || counts.count < TagGenerations.targetsMax else { return false }
    counts[target, default: 0] += 1
    return true
  }

  func count(of target: [UInt8]) -> Int64 { overall + (counts[target] ?? 0) }
}

extension EntityTag {
  /// The tag of a later state of what has this one: another for each generation, never a weak one
  /// for a strong one or the reverse. Generation 0 is the tag itself.
  package func generation(_ generation: Int64) -> EntityTag {
    guard generation > 0 else { return self }
    return EntityTag(opaque + Array("-g\(generation)".utf8), isWeak: isWeak)
  }
}

extension FieldSection {
  /// The section with the tag of a generation. What has no tag gets a strong one, so that there is
  /// something to change; of several lines one is left.
  /// - Parameter target: what such a tag is made of.
  package func withTag(
    generation: Int64, of target: TagGenerations.Target
  ) -> FieldSection {
    let own = first(.etag).flatMap(EntityTag.init(parsing:))
    let digits = String(target.hash, radix: 16)
    let tag = (own ?? EntityTag(Array(digits.utf8))).generation(generation)
    var isSet = false
    var fields = mapValues { name, value in
      guard name.withUnsafeBytes(FieldName.etag.matches) else { return value }
      defer { isSet = true }
      return isSet ? nil : tag.bytes[...]
    }
    if !isSet { fields.append("ETag", tag.bytes) }
    return fields
  }
}
