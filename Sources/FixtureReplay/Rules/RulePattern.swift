import FixtureHTTP

/// Which requests a rule is about.
package struct RulePattern: Hashable, Sendable {
  /// Empty: every method.
  package var methods: [Method]
  /// Compared without regard to case; nil: every authority.
  package var authority: WildcardText?
  /// nil: everything.
  package var path: WildcardText?
  /// Pairs that must be there, as sent; others may be too.
  package var query: [Pair]

  package struct Pair: Hashable, Sendable {
    package var name: [UInt8]
    /// nil: whatever its value.
    package var value: WildcardText?

    package init(name: [UInt8], value: WildcardText?) {
      self.name = name
      self.value = value
    }
  }

  package init(
    methods: [Method] = [], authority: WildcardText? = nil, path: WildcardText? = nil,
    query: [Pair] = []
  ) {
    self.methods = methods
    self.authority = authority
    self.path = path
    self.query = query
  }

  /// `*`.
  package static let everything = RulePattern()

  package func matches(_ request: RuleRequest) -> Bool {
    guard methods.isEmpty || methods.contains(request.method) else { return false }
    if let authority, !request.authorities.contains(where: { authority.matches($0, within: nil) }) {
      return false
    }
    guard let path else { return true }
    let (own, ownQuery) = RequestTarget.split(request.target)
    guard path.matches(own.isEmpty ? [0x2F] : own, within: 0x2F) else { return false }
    guard !query.isEmpty else { return true }
    let pieces = (ownQuery ?? []).split(separator: 0x26)
    return query.allSatisfy { pair in pieces.contains { pair.matches($0) } }
  }
}

extension RulePattern.Pair {
  /// - Parameter piece: of a query, as sent.
  fileprivate func matches(_ piece: ArraySlice<UInt8>) -> Bool {
    let equals = piece.firstIndex(of: 0x3D) ?? piece.endIndex
    guard piece[..<equals].elementsEqual(name) else { return false }
    guard let value else { return true }
    return value.matches(piece[equals...].dropFirst(), within: nil)
  }
}

/// Bytes with places that stand for others.
package struct WildcardText: Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    case literal([UInt8])
    /// `*`: any bytes, but not across a separator where there is one.
    case segment
    /// `**`: any bytes.
    case all
  }

  package let parts: [Part]

  package init(_ parts: [Part]) {
    self.parts = parts
  }

  package init(_ literal: String) {
    parts = literal.isEmpty ? [] : [.literal(Array(literal.utf8))]
  }

  /// - Parameter separator: the byte that `*` does not stand for.
  package func matches(_ bytes: ArraySlice<UInt8>, within separator: UInt8?) -> Bool {
    if case .literal(let literal)? = parts.first {
      // Most patterns begin with one, and most requests with something else.
      guard bytes.starts(with: literal) else { return false }
      if parts.count == 1 { return bytes.count == literal.count }
    }
    // How far the parts so far can have come; no backtracking, whatever stars there are.
    var ends = [Bool](repeating: false, count: bytes.count + 1)
    ends[0] = true
    for part in parts {
      ends = advanced(ends, by: part, over: bytes, separator)
    }
    return ends[bytes.count]
  }

  private func advanced(
    _ ends: [Bool], by part: Part, over bytes: ArraySlice<UInt8>, _ separator: UInt8?
  ) -> [Bool] {
    var next = [Bool](repeating: false, count: ends.count)
    switch part {
    case .literal(let literal):
      for start in 0..<ends.count where ends[start] && start + literal.count < ends.count {
        let from = bytes.startIndex + start
        next[start + literal.count] =
          bytes[from..<(from + literal.count)].elementsEqual(literal)
      }
    case .segment, .all:
      var isOpen = false
      for position in 0..<ends.count {
        if position > 0, part == .segment, bytes[bytes.startIndex + position - 1] == separator {
          isOpen = false
        }
        isOpen = isOpen || ends[position]
        next[position] = isOpen
      }
    }
    return next
  }
}

/// What rules ask of a request.
package struct RuleRequest: Equatable, Sendable {
  package var method: Method
  /// As sent.
  package var target: [UInt8]
  package var fields: FieldSection
  /// All the authorities it may be said to be for, in lower case: of its `Host` or target, and of
  /// the upstream whose listener it came to.
  package var authorities: [ArraySlice<UInt8>]
  /// Decoded; nil when it has none, or none that could be read.
  package var content: [UInt8]?
  /// The name of the upstream whose listener it came to.
  package var upstream: String?

  package init(
    method: Method, target: [UInt8], fields: FieldSection = .init(),
    authorities: [ArraySlice<UInt8>] = [], content: [UInt8]? = nil
  ) {
    self.method = method
    self.target = target
    self.fields = fields
    self.authorities = authorities
    self.content = content
  }
}
