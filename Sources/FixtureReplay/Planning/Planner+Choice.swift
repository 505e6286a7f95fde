import FixtureCassette
import FixtureHTTP

/// Why none of the recordings of a request's content may answer it.
enum NoChoice: Equatable {
  case differs
  /// Recorded for several authorities, and the request names none of them.
  case ambiguous(authorities: [[UInt8]])
}

/// A choice among recordings that are equal but for their variants.
struct Choice {
  private(set) var sequence: CandidateSequence
  private let variants: [Variant]

  init(_ sequence: CandidateSequence, of candidates: Candidates) {
    self.sequence = sequence
    variants = candidates.variants
  }

  /// The variants that are left, each once, in recording order.
  private var left: [Variant] {
    var seen: Set<UInt32> = []
    return sequence.candidates.compactMap { candidate in
      seen.insert(candidate.variant).inserted ? variants[Int(candidate.variant)] : nil
    }
  }

  /// Leaves only what agrees.
  private mutating func keep(_ agrees: (Variant) -> Bool) {
    let kept = variants.map(agrees)
    sequence.candidates.removeAll { !kept[Int($0.variant)] }
  }

  /// Leaves what agrees, if anything does. Which recordings are left tells sequences apart.
  private mutating func prefer(_ agrees: (Variant) -> Bool) {
    let left = left
    let agreeing = left.filter(agrees)
    guard !agreeing.isEmpty, agreeing.count < left.count else { return }
    keep(agrees)
    for variant in agreeing { sequence.key = sequence.key.mixed(with: variant.hash) }
  }

  /// The fields that are asked for must be the same.
  mutating func match(fields: FieldSection, _ keys: MatchKeys) -> NoChoice? {
    guard !keys.options.fields.isEmpty else { return nil }
    let (asked, placeholders) = VariantTable.asked(of: fields, keys)
    keep {
      $0.asked == asked && MatchKeys.placeholders(placeholders, agreeWith: $0.placeholders)
    }
    guard !sequence.candidates.isEmpty else { return .differs }
    sequence.key = sequence.key.mixed(with: StableHash.value(of: asked))
    return nil
  }

  /// The authority must be the same, unless the request names one of ours.
  /// - Parameter known: the authorities of the cassette, in lower case.
  mutating func match(
    authority host: ArraySlice<UInt8>?, known: Set<[UInt8]>, _ rule: MatchOptions.Authority
  ) -> NoChoice? {
    guard rule == .always || rule == .whenSeveral && known.count > 1 else { return nil }
    let authorities = Set(left.map(\.authority))
    if let named = Self.counted(authority: host, known: known, rule) {
      guard authorities.contains(named) else { return .differs }
      guard authorities.count > 1 else { return nil }
      keep { $0.authority == named }
      sequence.key = sequence.key.mixed(with: StableHash.value(of: named))
    } else if authorities.count > 1 {
      return .ambiguous(
        authorities: authorities.sorted { $0.lexicographicallyPrecedes($1) })
    }
    return nil
  }

  /// The authority that the recordings must have been made for; nil when any will do: authorities
  /// do not count, or the request names one of ours.
  static func counted(
    authority host: ArraySlice<UInt8>?, known: Set<[UInt8]>, _ rule: MatchOptions.Authority
  ) -> [UInt8]? {
    guard rule == .always || rule == .whenSeveral && known.count > 1 else { return nil }
    let named = named(host?.map(\.asciiLowercased) ?? [], among: known)
    return known.contains(named) || rule == .always && !OwnAddress.isNamed(by: named) ? named : nil
  }

  /// Without the port that a scheme stands for, if only so it is known.
  private static func named(_ host: [UInt8], among known: Set<[UInt8]>) -> [UInt8] {
    if known.contains(host) { return host }
    for port in [":80", ":443"] where host.suffix(port.utf8.count).elementsEqual(port.utf8) {
      let bare = Array(host.dropLast(port.utf8.count))
      if known.contains(bare) { return bare }
    }
    return host
  }

  /// Recordings whose `Vary` names fields that the request has other values of come after those it
  /// has the same of (RFC 9111 §4.1), name by name; where none agrees the name decides nothing.
  mutating func prefer(fields: FieldSection, _ keys: MatchKeys) {
    let accepted = FieldName.acceptEncoding
    var names: [[UInt8]] = []
    for selecting in left.flatMap(\.selecting) where !names.contains(selecting.name) {
      names.append(selecting.name)
    }
    for name in names {
      var key: [UInt8] = []
      keys.fields.append(name, of: fields, to: &key)
      let agrees = { (variant: Variant) in
        variant.selecting.first { $0.name == name }.map { $0.key == key } ?? true
      }
      if name.withUnsafeBytes({ accepted.matches($0) }), !left.contains(where: agrees) {
        preferCodings(offeredBy: fields)
      } else {
        prefer(agrees)
      }
    }
  }

  /// What a server would do with another list of codings: take one of them, if it has it.
  private mutating func preferCodings(offeredBy fields: FieldSection) {
    guard fields.contains(.acceptEncoding) else { return prefer { $0.codings.isEmpty } }
    let offered = AcceptEncoding(fields)
    prefer { $0.isAcceptable(to: offered) }
    prefer { !$0.codings.isEmpty }
  }

  /// Where codings differ, recordings for the same offer come first. A coding that the client did
  /// not offer is left out as long as something else is there.
  /// - Returns: whether all that is left has such a coding.
  mutating func preferOffered(by fields: FieldSection) -> Bool {
    guard left.contains(where: { !$0.codings.isEmpty }) else { return false }
    if Set(left.map(\.codings)).count > 1 {
      let asked = fields.first(.acceptEncoding) ?? []
      prefer { $0.accepted.elementsEqual(asked) }
    }
    // Who sends no field would accept anything by RFC 9110 §12.5.3, and decodes nothing.
    let offered = fields.contains(.acceptEncoding) ? AcceptEncoding(fields) : nil
    let isOffered = { (variant: Variant) in
      variant.codings.isEmpty || offered.map { variant.isAcceptable(to: $0) } ?? false
    }
    prefer(isOffered)
    return !left.contains(where: isOffered)
  }
}

extension Variant {
  fileprivate func isAcceptable(to offered: AcceptEncoding) -> Bool {
    if codings.isEmpty { return offered.weight(of: "identity".utf8) > 0 }
    return codings.split(separator: 0x2C).allSatisfy { offered.weight(of: $0) > 0 }
  }
}
