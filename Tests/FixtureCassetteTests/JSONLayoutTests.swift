import FixtureCassette
import Testing

@Suite struct JSONLayoutTests {
  private func laidOut(_ text: String) -> String? {
    JSONLayout.laidOut(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  private func compact(_ text: String) -> String? {
    JSONLayout.compact(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `members and elements have lines of their own`() {
    #expect(
      laidOut(#"{"b":[1,{"c":null}],"a":{},"d":[],"e":[[true]]}"#) == """
        {
          "b": [
            1,
            {
              "c": null
            }
          ],
          "a": {},
          "d": [],
          "e": [
            [
              true
            ]
          ]
        }
        """)
  }

  @Test func `spelling, order and repeats are kept`() {
    let text = #"{"z":1.0,"a":1e400,"a":-0,"s":"\u00e9\/é","n":12345678901234567890.10}"#
    #expect(
      laidOut(text) == #"""
        {
          "z": 1.0,
          "a": 1e400,
          "a": -0,
          "s": "\u00e9\/é",
          "n": 12345678901234567890.10
        }
        """#)
    #expect(laidOut(text).flatMap(compact) == text)
  }

  @Test(arguments: ["1", " \"a b\" ", "[ 1 , 2 ]", "{ \"a\" : [ ] }", "false"])
  func `laying out and back only drops whitespace`(text: String) {
    let plain = compact(text)
    #expect(plain != nil)
    #expect(laidOut(text).flatMap(compact) == plain)
    #expect(plain.flatMap(laidOut) == laidOut(text))
  }

  @Test(arguments: ["", "{", "[1,]", "{\"a\":1} x", "01", "\u{FEFF}1"])
  func `what is no JSON is left alone`(text: String) {
    #expect(laidOut(text) == nil)
    #expect(compact(text) == nil)
  }
}
