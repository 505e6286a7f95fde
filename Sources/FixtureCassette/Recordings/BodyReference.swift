/// A stored body: content as transferred, without framing.
package struct BodyReference: Hashable, Sendable {
  /// Its row in the cassette.
  package let id: Int64
  /// Bytes; 0 is an empty body, which is not the same as no body.
  package let size: Int64
  /// SHA-256 of the content, 32 bytes.
  package let digest: [UInt8]

  package init(id: Int64, size: Int64, digest: [UInt8]) {
    self.id = id
    self.size = size
    self.digest = digest
  }
}

/// A part of a stored body, named without its bytes, so that scripts stay small and comparable.
package struct BodySlice: Hashable, Sendable {
  package let body: Int64
  /// Byte positions in the body.
  package let range: Range<Int64>

  package init(body: Int64, range: Range<Int64>) {
    self.body = body
    self.range = range
  }

  package var count: Int64 { range.upperBound - range.lowerBound }
}
