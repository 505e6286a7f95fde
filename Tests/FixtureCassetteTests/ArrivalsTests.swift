import Testing

@testable import FixtureCassette

@Suite struct `Arrival pieces` {
  @Test func `pieces are packed as differences and read back`() {
    var arrivals = Arrivals()
    arrivals.append(offset_us: 0, count: 1)
    arrivals.append(offset_us: 127, count: 128)
    arrivals.append(offset_us: 127 + 300, count: 16_384)
    #expect(arrivals.packed == [0, 1, 127, 0x80, 1, 0xAC, 2, 0x80, 0x80, 1])
    #expect(arrivals.count == 3)
    #expect(
      arrivals.pieces == [
        Arrivals.Piece(offset_us: 0, count: 1), Arrivals.Piece(offset_us: 127, count: 128),
        Arrivals.Piece(offset_us: 427, count: 16_384),
      ])
    #expect(Arrivals(packed: arrivals.packed) == arrivals)
  }

  @Test func `an offset that goes back counts as the last`() {
    var arrivals = Arrivals()
    arrivals.append(offset_us: 10, count: 1)
    arrivals.append(offset_us: 5, count: 1)
    arrivals.append(offset_us: 12, count: 1)
    #expect(arrivals.pieces.map(\.offset_us) == [10, 10, 12])
  }

  @Test func `reading continues where packed pieces ended`() throws {
    var arrivals = try #require(Arrivals(packed: [10, 1]))
    arrivals.append(offset_us: 12, count: 1)
    #expect(arrivals.pieces.map(\.offset_us) == [10, 12])
  }

  @Test func `the largest numbers are kept`() {
    var arrivals = Arrivals()
    arrivals.append(offset_us: .max, count: .max)
    #expect(Arrivals(packed: arrivals.packed)?.pieces == arrivals.pieces)
    #expect(arrivals.pieces == [Arrivals.Piece(offset_us: .max, count: .max)])
  }

  @Test(
    arguments: [
      [0x00],  // half a pair
      [0x00, 0x00],  // an empty piece
      [0x80],  // half a number
      [0x00, 0x80],
      [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x01],  // more than 63 bits
      // Two pieces whose counts, or offsets, sum to more than 63 bits.
      [0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0x00, 0x01],
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0x01, 0x01, 0x01],
    ] as [[UInt8]])
  func `packed bytes that are no pieces are refused`(_ packed: [UInt8]) {
    #expect(Arrivals(packed: packed) == nil)
  }
}
