import FixtureCassette
import Testing

@testable import fixtured

@Suite struct LineDifferenceTests {
  private func lines(_ left: String, _ right: String) -> [String] {
    LineDifference.lines(left.map { String($0) }, right.map { String($0) })
  }

  @Test func `lines that differ stand where they are`() {
    #expect(lines("abc", "abc") == [])
    #expect(lines("abc", "axc") == ["- b", "+ x"])
    #expect(lines("abcde", "xbcde") == ["- a", "+ x"])
    #expect(lines("abcd", "bdcx") == ["- a", "- c", "+ c", "+ x"])
    #expect(lines("", "ab") == ["+ a", "+ b"])
    #expect(lines("ab", "") == ["- a", "- b"])
  }

  @Test func `every text is told from every other`() {
    let texts = ["", "a", "b", "aa", "ab", "ba", "bb", "aba", "bab"]
    for left in texts {
      for right in texts {
        let found = lines(left, right)
        #expect(found.isEmpty == (left == right))
        let removed = found.filter { $0.hasPrefix("-") }.count
        let added = found.filter { $0.hasPrefix("+") }.count
        #expect(right.count - left.count == added - removed)
      }
    }
  }

  @Test func `many lines are cut and counted`() {
    let found = LineDifference.lines((0..<300).map { "a\($0)" }, [])
    #expect(found.count == 101)
    #expect(found.last == "… 200 more lines")
  }

  @Test func `long sequences are paired by position`() {
    let pairs = Alignment.pairs(3000, 3001) { $0 == $1 ? 1 : 0 }
    #expect(pairs.count == 3000)
  }
}

@Suite struct MergedUpstreamsTests {
  private func merged(_ cassettes: [[String]]) -> MergedUpstreams {
    MergedUpstreams(
      cassettes.map { cassette in
        cassette.map { word in
          let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
          return parts.count == 2
            ? .init(name: parts[0], url: parts[1]) : .init(name: nil, url: parts[0])
        }
      })
  }

  private func words(_ merged: MergedUpstreams) -> [String] {
    merged.upstreams.map { ($0.name.map { "\($0)=" } ?? "") + $0.url }
  }

  @Test func `equal upstreams are one`() {
    let one = merged([["http://a.test"], ["http://a.test"]])
    #expect(words(one) == ["http://a.test"])
    #expect(one.name(of: nil, in: 1) == nil)
    let named = merged([["a=http://a.test", "b=http://b.test"], ["b=http://b.test"]])
    #expect(words(named) == ["a=http://a.test", "b=http://b.test"])
  }

  @Test func `an unnamed one is the named one with its URL`() {
    for order in [["http://a.test"], ["a=http://a.test"]] {
      let other = order == ["http://a.test"] ? ["a=http://a.test"] : ["http://a.test"]
      let one = merged([order, other])
      #expect(words(one) == ["a=http://a.test"])
      #expect(one.name(of: nil, in: order[0].hasPrefix("a=") ? 1 : 0) == "a")
    }
  }

  @Test func `unnamed ones get the name of their host`() {
    let two = merged([["http://a.test:81/base"], ["https://b.test"], ["http://a.test"]])
    #expect(
      words(two) == [
        "a-test=http://a.test:81/base", "b-test=https://b.test", "a-test-2=http://a.test",
      ])
    #expect(two.name(of: nil, in: 0) == "a-test")
    #expect(two.name(of: nil, in: 2) == "a-test-2")
  }

  @Test func `one name with two URLs stays one upstream`() {
    let one = merged([["api=https://api.test"], ["api=https://staging.test"]])
    #expect(words(one) == ["api=https://api.test"])
    #expect(one.name(of: "api", in: 1) == "api")
  }
}
