import Testing

@testable import FixtureCassette

@Suite struct `Stable hash` {
  /// Seeds and match keys depend on these values: a change here breaks every scenario's seed.
  @Test func `values never change`() {
    #expect(StableHash.value(of: Array("".utf8)) == 0x8de0364298195d27)
    #expect(StableHash.value(of: Array("a".utf8)) == 0x9a597e0361362d37)
    #expect(StableHash.value(of: Array("12345678".utf8)) == 0xa3e35a305add6dbe)
    #expect(StableHash.value(of: Array("GET /feed?page=2".utf8)) == 0xbfbc4bd4da1f9092)
  }

  @Test func `an absent buffer hashes like an empty one`() {
    #expect(
      StableHash.value(of: UnsafeRawBufferPointer(start: nil, count: 0))
        == StableHash.value(of: []))
  }

  @Test func `zero bytes of different counts differ`() {
    let values = (0...64).map { StableHash.value(of: [UInt8](repeating: 0, count: $0)) }
    #expect(Set(values).count == 65)
  }

  @Test func `every single bit of a key counts`() {
    let key = Array("GET /catalog/items?page=12".utf8)
    var values: Set<UInt64> = [StableHash.value(of: key)]
    for index in key.indices {
      for bit in 0..<8 {
        var changed = key
        changed[index] ^= 1 << UInt8(bit)
        values.insert(StableHash.value(of: changed))
      }
    }
    #expect(values.count == key.count * 8 + 1)
  }

  @Test func `the alignment of the bytes does not matter`() {
    let bytes = Array("xGET /catalog/items".utf8)
    let unaligned = bytes.withUnsafeBytes { buffer in
      StableHash.value(of: UnsafeRawBufferPointer(rebasing: buffer.dropFirst()))
    }
    #expect(unaligned == StableHash.value(of: Array(bytes.dropFirst())))
  }
}
