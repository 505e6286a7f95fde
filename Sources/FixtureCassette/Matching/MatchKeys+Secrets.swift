import FixtureHTTP

extension MatchKeys {
  /// Whether a place of the request's head may hold a secret; told at little cost, because every
  /// request is asked.
  package func mayHoldSecrets(_ request: RequestHead) -> Bool {
    guard let fieldNames, let queryNames else { return false }
    let fields = request.fields
    for index in 0..<fields.count
    where fields.name(at: index).withUnsafeBytes({ fieldNames.contains($0) }) { return true }
    return request.target.withUnsafeBytes { Self.mayHoldSecrets(target: $0, queryNames) }
  }

  private static func mayHoldSecrets(
    target: UnsafeRawBufferPointer, _ names: NameSet
  ) -> Bool {
    var nameStart: Int?
    var equals: Int?
    func isPlace(_ end: Int) -> Bool {
      guard let start = nameStart, let equals, equals + 1 < end else { return false }
      return RedactionRules.isPlace(
        queryName: UnsafeRawBufferPointer(rebasing: target[start..<equals]),
        value: UnsafeRawBufferPointer(rebasing: target[(equals + 1)..<end]), among: names)
    }
    for (index, byte) in target.enumerated() {
      switch byte {
      // Userinfo, a name in another spelling, a reference within.
      case 0x40: return true
      case 0x25, 0x2B: if nameStart != nil { return true }
      case 0x3F where nameStart == nil: nameStart = index + 1
      case 0x3F, 0x23: return true
      case 0x3D: if equals == nil, nameStart != nil { equals = index }
      case 0x26:
        if isPlace(index) { return true }
        if nameStart != nil { (nameStart, equals) = (index + 1, nil) }
      default: break
      }
    }
    return isPlace(target.count)
  }
}
