import FixtureHTTP
import Testing

@Suite struct `Values with parameters` {
  private func parameters(_ text: String) -> [String] {
    let parsed = ParameterizedValue(Array(text.utf8)[...])
    return [String(decoding: parsed.value, as: UTF8.self)]
      + parsed.parameters.map {
        String(decoding: $0.name, as: UTF8.self) + "=" + String(decoding: $0.value, as: UTF8.self)
      }
  }

  @Test(arguments: [
    ("text/html", ["text/html"]),
    ("Text/HTML;Charset=UTF-8", ["text/html", "charset=UTF-8"]),
    ("a/b ; c=d\t;  e=f ", ["a/b", "c=d", "e=f"]),
    ("a/b; c=\"d e\"; f=g", ["a/b", "c=d e", "f=g"]),
    (#"a/b; c="d\"e\\f;g""#, ["a/b", #"c=d"e\f;g"#]),
    ("a/b; c=\"\"", ["a/b", "c="]),
    ("a/b; c=", ["a/b", "c="]),
    ("a/b;;; c=d;", ["a/b", "c=d"]),
    ("a/b; c; d=e", ["a/b", "d=e"]),
    ("a/b; =d; e=f", ["a/b", "e=f"]),
    ("a/b; c=1; c=2", ["a/b", "c=1", "c=2"]),
    ("a/b; boundary=B:b/1=?", ["a/b", "boundary=B:b/1=?"]),
    ("a/b; c=\"open", ["a/b", "c=open"]),
    ("a/b; c=\"open\\", ["a/b", "c=open\\"]),
    ("a/b; c=\"d\"junk; e=f", ["a/b", "c=d", "e=f"]),
    ("", [""]),
    (";a=b", ["", "a=b"]),
  ])
  func `read with the leniency of what is sent`(_ text: String, _ expected: [String]) {
    #expect(parameters(text) == expected)
  }

  @Test func `the first of equal names counts`() {
    let parsed = ParameterizedValue(Array("a/b; c=1; C=2".utf8)[...])
    #expect(parsed["c"] == [0x31])
    #expect(parsed["d"] == nil)
  }
}
