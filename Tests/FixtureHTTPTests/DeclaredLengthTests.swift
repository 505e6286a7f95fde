import FixtureHTTP
import Testing

/// RFC 9110 §8.6.
@Suite struct DeclaredLengthTests {
  @Test(
    arguments: [
      (["5"], 5), (["05"], 5), (["5, 5", "5"], 5), (["9223372036854775807"], .max), ([], nil),
      ([""], nil), (["5,"], nil), (["5", "6"], nil), (["-5"], nil), (["9223372036854775808"], nil),
    ] as [([String], Int64?)])
  func `a length is one number, however often it is said`(values: [String], length: Int64?) {
    var fields = FieldSection()
    for value in values { fields.append("Content-Length", value) }
    #expect(fields.declaredLength == length)
  }
}
