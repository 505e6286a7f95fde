import FixtureCassette
import FixtureHTTP

/// What tells recordings of one key apart beside their content: the authority, the fields that are
/// asked for, those that a response names in its `Vary`, and the coding of its content.
struct Variant: Hashable, Sendable {
  /// A field of the request that the response depended on (RFC 9110 §12.5.5).
  struct Selecting: Hashable, Sendable {
    /// In lower case.
    let name: [UInt8]
    /// As `FieldKeys` makes it.
    let key: [UInt8]
  }

  /// In lower case.
  var authority: [UInt8] = []
  /// The keys of the fields that are asked for.
  var asked: [UInt8] = []
  /// What their redacted places hold.
  var placeholders: [Placeholder?] = []
  var selecting: [Selecting] = []
  /// The names of the codings of the response's content in lower case, joined by commas; empty
  /// when it has none.
  var codings: [UInt8] = []
  /// The `Accept-Encoding` of its request. Servers choose codings by it that don't say so in a
  /// `Vary`.
  var accepted: [UInt8] = []

  /// What chooses it where no codings differ.
  var withoutOffer: Variant {
    var variant = self
    variant.accepted = []
    return variant
  }

  /// The same for the same recordings, wherever they are.
  var hash: UInt64 {
    var bytes: [UInt8] = codings + [0] + accepted
    for selecting in selecting { bytes += [0] + selecting.name + [0] + selecting.key }
    return StableHash.value(of: bytes)
  }
}

/// The variants among the recordings of one key. Most keys have one, and most have nothing in it.
struct VariantTable: Sendable {
  private(set) var variants: [Variant] = []
  private var indexes: [Variant: UInt32] = [:]
  /// The index of the last variant that had nothing but its authority and its request's offer.
  private var lastPlain: UInt32?

  mutating func index(_ row: RequestRow, _ keys: MatchKeys) -> UInt32 {
    let vary = row.responseFields.first(.vary)
    let coding = row.responseFields.first(.contentEncoding)
    let accepted = row.fields.first(.acceptEncoding)
    let isPlain = keys.options.fields.isEmpty && vary == nil && coding == nil
    if isPlain, let lastPlain {
      let last = variants[Int(lastPlain)]
      if row.authority.elementsEqual(last.authority),
        last.accepted.isEmpty ? accepted == nil : accepted?.elementsEqual(last.accepted) ?? false
      {
        return lastPlain
      }
    }
    var variant = Variant(authority: row.authority.map(\.asciiLowercased))
    variant.accepted = accepted.map(Array.init) ?? []
    if !isPlain { fill(&variant, row, keys) }
    let index = insert(variant)
    if isPlain { lastPlain = index }
    return index
  }

  private func fill(_ variant: inout Variant, _ row: RequestRow, _ keys: MatchKeys) {
    // What a damaged section holds does not count; playing the interaction reports it.
    let request = (try? FieldSection(stored: Array(row.fields.bytes))) ?? FieldSection()
    let response = (try? FieldSection(stored: Array(row.responseFields.bytes))) ?? FieldSection()
    (variant.asked, variant.placeholders) = Self.asked(of: request, keys)
    for member in response.list(.vary) where !member.elementsEqual([0x2A]) {
      let name = member.map(\.asciiLowercased)
      guard !variant.selecting.contains(where: { $0.name == name }) else { continue }
      var key: [UInt8] = []
      keys.fields.append(name, of: request, to: &key)
      variant.selecting.append(Variant.Selecting(name: name, key: key))
    }
    let codings = response.list(.contentEncoding).map { $0.map(\.asciiLowercased) }
      .filter { !$0.elementsEqual("identity".utf8) }
    variant.codings = Array(codings.joined(separator: [0x2C]))
  }

  private mutating func insert(_ variant: Variant) -> UInt32 {
    if let known = indexes[variant] { return known }
    let index = UInt32(variants.count)
    variants.append(variant)
    indexes[variant] = index
    return index
  }

  /// The keys of the fields that are asked for, and what their redacted places hold.
  static func asked(
    of fields: FieldSection, _ keys: MatchKeys
  ) -> (key: [UInt8], placeholders: [Placeholder?]) {
    var key: [UInt8] = []
    var placeholders: [Placeholder?] = []
    for name in keys.options.fields {
      keys.fields.append(name, of: fields, to: &key)
      placeholders += keys.fields.placeholders(name, of: fields)
    }
    return (key, placeholders)
  }
}
