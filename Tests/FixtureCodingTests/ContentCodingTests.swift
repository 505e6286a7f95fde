import FixtureCoding
import FixtureHTTP
import Testing

@Suite struct ContentCodingTests {
  private func codings(_ values: String...) -> [ContentCoding] {
    var fields = FieldSection()
    for value in values { fields.append("Content-Encoding", value) }
    return ContentCoding.list(of: fields)
  }

  @Test func `every known coding is read by its name`() {
    #expect(codings("gzip, deflate, br, zstd") == [.gzip, .deflate, .brotli, .zstd])
  }

  @Test func `names are case-insensitive and x-gzip is gzip`() {
    #expect(codings("X-GZip", "BR") == [.gzip, .brotli])
  }

  @Test func `lines and members keep their order and repeats`() {
    #expect(codings("gzip,, zstd ", "", "gzip") == [.gzip, .zstd, .gzip])
  }

  @Test func `identity and no field are no coding`() {
    #expect(codings() == [])
    #expect(codings("identity, Identity") == [])
  }

  @Test func `a coding that is not known keeps its name`() {
    let found = codings("gzip, AWS-Chunked")
    #expect(found == [.gzip, .unknown(Array("aws-chunked".utf8))])
    #expect(found.map(\.description) == ["gzip", "aws-chunked"])
  }
}
