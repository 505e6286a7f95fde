import Testing

@testable import FixtureHTTP

@Suite struct ByteRangesTests {
  static let digits = String(repeating: "9", count: 40)

  @Test(arguments: [
    ("bytes=0-0", [ByteRanges.Spec.from(0, through: 0)]), ("BYTES=5-", [.from(5, through: nil)]),
    ("bytes=-3", [.suffix(3)]), ("bytes=-0", [.suffix(0)]),
    ("bytes=0-1,-1", [.from(0, through: 1), .suffix(1)]),
    ("bytes= 0-1 ,\t2-3 ,,", [.from(0, through: 1), .from(2, through: 3)]),
    ("bytes=007-8", [.from(7, through: 8)]),
    ("bytes=\(digits)-", [.from(.max, through: nil)]),
    ("bytes=0-\(digits)", [.from(0, through: .max)]), ("bytes=-\(digits)", [.suffix(.max)]),
  ])
  func `the field is read`(_ text: String, _ specs: [ByteRanges.Spec]) {
    #expect(ByteRanges(parsing: Array(text.utf8)[...]) == ByteRanges(specs))
  }

  @Test(arguments: [
    "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=a-b", "bytes=1", "bytes=2-1", "items=0-1",
    "bytes =0-1", "bytes=0-1;2-3", "bytes=0 - 1", "bytes=+1-2", "bytes=0-1-2", "bytes=--1",
    "bytes=0-1,x", "bytes=0x1-2", "0-1",
  ])
  func `what is no range is ignored`(_ text: String) {
    #expect(ByteRanges(parsing: Array(text.utf8)[...]) == nil)
  }

  @Test func `a repeated field is ignored`() {
    var fields = FieldSection()
    #expect(ByteRanges(fields) == nil)
    fields.append("Range", "bytes=0-1")
    #expect(ByteRanges(fields) == ByteRanges([.from(0, through: 1)]))
    fields.append("range", "bytes=0-1")
    #expect(ByteRanges(fields) == nil)
  }

  /// Every single range of small numbers, of every small representation, against the positions
  /// that it names.
  @Test func `a part is what the positions say`() {
    var wrong: [String] = []
    for size in Int64(0)...5 {
      let positions = Array(0..<size)
      for first in Int64(0)...6 {
        for last in ([nil] + (first...7).map { $0 }) as [Int64?] {
          let spec = ByteRanges.Spec.from(first, through: last)
          let named = positions.filter { $0 >= first && $0 <= last ?? .max }
          let expected = Self.selection(named)
          let selection = ByteRanges([spec]).selection(of: size)
          if selection != expected { wrong.append("\(spec) of \(size): \(selection)") }
        }
        let suffix = ByteRanges.Spec.suffix(first)
        let expected: ByteRanges.Selection =
          first == 0
          ? .unsatisfiable : size == 0 ? .whole : Self.selection(positions.suffix(Int(first)))
        let selection = ByteRanges([suffix]).selection(of: size)
        if selection != expected { wrong.append("\(suffix) of \(size): \(selection)") }
      }
    }
    #expect(wrong == [])
  }

  static func selection(_ positions: [Int64]) -> ByteRanges.Selection {
    guard let first = positions.first, let last = positions.last else { return .unsatisfiable }
    return .parts([first..<(last + 1)])
  }

  @Test(arguments: [
    ("bytes=0-1,4-5", 10, ByteRanges.Selection.parts([0..<2, 4..<6])),
    // In the order asked for, without what is not there.
    ("bytes=8-,20-30,0-0", 10, .parts([8..<10, 0..<1])), ("bytes=20-,-0", 10, .unsatisfiable),
    // Overlapping, but not longer than the whole; then longer.
    ("bytes=0-4,2-6", 10, .parts([0..<5, 2..<7])), ("bytes=0-4,2-7", 10, .whole),
    ("bytes=0-,0-", 10, .whole), ("bytes=0-9", 10, .parts([0..<10])),
    ("bytes=0-0", .max, .parts([0..<1])), ("bytes=0-,0-", .max, .whole),
    ("bytes=-1,0-", 0, .whole),
  ])
  func `several parts`(_ text: String, _ size: Int64, _ expected: ByteRanges.Selection) throws {
    let ranges = try #require(ByteRanges(parsing: Array(text.utf8)[...]))
    #expect(ranges.selection(of: size) == expected)
  }

  @Test(arguments: [(100, true), (101, false)])
  func `too many parts get the whole`(_ count: Int, _ isServed: Bool) {
    let ranges = ByteRanges((0..<count).map { .from(Int64($0) * 2, through: Int64($0) * 2) })
    let parts = (0..<count).map { Int64($0) * 2..<Int64($0) * 2 + 1 }
    #expect(ranges.selection(of: 1 << 20) == (isServed ? .parts(parts) : .whole))
  }

  @Test(
    arguments: [
      ("bytes 0-0/1", 0..<1, 1), ("bytes 5-9/*", 5..<10, nil), ("bytes */7", nil, 7),
      ("BYTES 0-9/100", 0..<10, 100),
    ] as [(String, Range<Int64>?, Int64?)])
  func `a content range is read`(_ text: String, _ range: Range<Int64>?, _ size: Int64?) {
    let expected = ContentRange(range: range, size: size)
    #expect(ContentRange(parsing: Array(text.utf8)[...]) == expected)
    #expect(expected.bytes == Array(text.replacing("BYTES", with: "bytes").utf8))
  }

  @Test(arguments: [
    "", "bytes", "bytes 0-0", "bytes 1-0/5", "bytes 0-5/5", "bytes */*", "items 0-1/2",
    "bytes 0-1/", "bytes -1/2", "bytes=0-1/2", "bytes 0-1/99999999999999999999",
  ])
  func `a content range is nothing else`(_ text: String) {
    #expect(ContentRange(parsing: Array(text.utf8)[...]) == nil)
  }
}
