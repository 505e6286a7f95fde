import FixtureHTTP

/// The fields of the request before on a connection. Most clients send the same ones again, and
/// comparing them costs a tenth of reading them.
struct RepeatedFields {
  /// Larger sections are not kept: idle connections would hold them.
  private static let bytesMax = 1024

  private var fields = FieldSection()
  private var version = HTTPVersion.http11
  private var framing = BodyFraming.none

  /// What the fields at the start of `input` are if they are the same, byte by byte, with the empty
  /// line after them: reading them would give nothing else.
  @inline(__always)
  func match(
    _ input: UnsafeRawBufferPointer, _ version: HTTPVersion, bytesMax: Int
  ) -> (fields: FieldSection, framing: BodyFraming, length: Int)? {
    let length = fields.bytes.count + 2
    guard length > 2, length <= min(input.count, bytesMax), self.version == version,
      input[length - 2] == 0x0D, input[length - 1] == 0x0A,
      fields.bytes.withUnsafeBytes({ ByteScan.isPrefix($0, of: input) })
    else { return nil }
    return (fields, framing, length)
  }

  mutating func keep(_ fields: FieldSection, _ version: HTTPVersion, _ framing: BodyFraming) {
    guard fields.bytes.count <= Self.bytesMax else { return }
    self.fields = fields
    self.version = version
    self.framing = framing
  }
}
