import Testing

@testable import FixtureHTTP

@Suite struct AcceptEncodingTests {
  private func accept(_ values: [String]) -> AcceptEncoding {
    var fields = FieldSection()
    for value in values { fields.append("Accept-Encoding", value) }
    return AcceptEncoding(fields)
  }

  /// The weights of gzip, br and identity.
  private func weights(_ values: String...) -> [Int] {
    let accept = accept(values)
    return ["gzip", "br", "identity"].map { accept.weight(of: $0.utf8) }
  }

  @Test func `without the field everything is accepted`() {
    #expect(weights() == [1000, 1000, 1000])
  }

  @Test func `an empty field accepts only content without a coding`() {
    #expect(weights("") == [0, 0, 1000])
  }

  @Test func `what is listed is accepted, and no coding unless it is excluded`() {
    #expect(weights("gzip") == [1000, 0, 1000])
    #expect(weights("gzip, br;q=0.5") == [1000, 500, 1000])
    #expect(weights("gzip", "br") == [1000, 1000, 1000])
    #expect(weights("gzip, identity;q=0") == [1000, 0, 0])
    #expect(weights("identity;q=0.3") == [0, 0, 300])
  }

  @Test func `a weight of 0 excludes`() {
    #expect(weights("gzip;q=0, br") == [0, 1000, 1000])
    #expect(weights("gzip;q=0.000") == [0, 0, 1000])
    #expect(weights("gzip;q=0.001") == [1, 0, 1000])
  }

  @Test func `an asterisk stands for what is not listed`() {
    #expect(weights("*") == [1000, 1000, 1000])
    #expect(weights("gzip;q=0, *;q=0.1") == [0, 100, 100])
    #expect(weights("*;q=0") == [0, 0, 0])
    #expect(weights("*;q=0, identity;q=0.5") == [0, 0, 500])
    #expect(weights("br, *;q=0") == [0, 1000, 0])
  }

  @Test func `case, white space and the older name do not matter`() {
    #expect(weights(" X-GZIP ; Q=0.25 ,\tBR ") == [250, 1000, 1000])
    #expect(accept(["gzip;q=0.4"]).weight(of: "X-Gzip".utf8) == 400)
  }

  @Test(arguments: [
    ("1", 1000), ("1.0", 1000), ("1.000", 1000), ("0", 0), ("0.", 0), ("0.1", 100), ("0.12", 120),
    ("0.123", 123), ("0.1239", 123), ("", 1000), ("x", 1000), ("0.x", 1000), ("00", 1000),
    ("2", 1000), ("-1", 1000),
  ])
  func `a weight in thousandths`(text: String, expected: Int) {
    #expect(weights("gzip;q=\(text)") == [expected, 0, 1000])
  }

  @Test func `a repeated coding has its greatest weight`() {
    #expect(weights("gzip;q=0, gzip;q=0.5") == [500, 0, 1000])
  }

  @Test func `a message is accepted when all its codings are`() {
    func accepts(_ accepted: String, _ codings: String...) -> Bool {
      var fields = FieldSection()
      for coding in codings { fields.append("Content-Encoding", coding) }
      return accept([accepted]).accepts(contentOf: fields)
    }
    #expect(accepts("gzip", "gzip"))
    #expect(accepts("gzip", "x-gzip"))
    #expect(accepts("gzip, br", "gzip, br"))
    #expect(!accepts("gzip", "gzip", "br"))
    #expect(accepts("gzip"))
    #expect(accepts("", "identity"))
    #expect(!accepts("gzip, *;q=0"))
    #expect(!accepts("", "gzip"))
  }
}
