import Testing

@testable import FixtureCassette

@Suite struct `SHA-256` {
  @Test func `no bytes have the digest of FIPS 180-4`() {
    #expect(
      hex(SHA256.digest(of: []))
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test func `three bytes have the digest of FIPS 180-4`() {
    #expect(
      hex(SHA256.digest(of: Array("abc".utf8)))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test func `two blocks have the digest of FIPS 180-4`() {
    let text = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    #expect(
      hex(SHA256.digest(of: Array(text.utf8)))
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
  }

  @Test func `a million letters have the digest of FIPS 180-4`() {
    #expect(
      hex(SHA256.digest(of: [UInt8](repeating: 0x61, count: 1_000_000)))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  /// Lengths around the padding's edges (55, 56, 63, 64 …): the digest of the digests.
  @Test func `every length up to three blocks is padded right`() {
    var all = SHA256()
    for count in 0...192 {
      SHA256.digest(of: pattern(count)).withUnsafeBytes { all.update($0) }
    }
    #expect(
      hex(all.finalize())
        == "f7de515a7bd64de06cd0cfdbb0da87ce309206d794f2c683477993c391e25258")
  }

  @Test func `pieces of any size give the digest of the whole`() {
    let bytes = pattern(300)
    let expected = SHA256.digest(of: bytes)
    for size in 1...130 {
      var hash = SHA256()
      bytes.withUnsafeBytes { buffer in
        for start in stride(from: 0, to: bytes.count, by: size) {
          let end = min(start + size, bytes.count)
          hash.update(UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
        }
      }
      #expect(hash.finalize() == expected, "pieces of \(size)")
    }
  }

  /// The digests above are those of this processor's instructions, if it has some.
  @Test func `the processor and Swift find the same`() {
    for count in Array(0...260) + [4096, 65_537] {
      let bytes = pattern(count)
      var swift = SHA256(isPortable: true)
      var any = SHA256()
      for part in [bytes.prefix(count / 3), bytes.dropFirst(count / 3)] {
        part.withUnsafeBytes {
          swift.update($0)
          any.update($0)
        }
      }
      #expect(swift.finalize() == any.finalize(), "\(count) bytes")
    }
    var swift = SHA256(isPortable: true)
    Array("abc".utf8).withUnsafeBytes { swift.update($0) }
    #expect(
      hex(swift.finalize())
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test func `more bytes after a digest continue the same content`() {
    var hash = SHA256()
    Array("ab".utf8).withUnsafeBytes { hash.update($0) }
    _ = hash.finalize()
    Array("c".utf8).withUnsafeBytes { hash.update($0) }
    #expect(hash.finalize() == SHA256.digest(of: Array("abc".utf8)))
  }

  private func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
  }
}

func hex(_ bytes: [UInt8]) -> String {
  bytes.map { byte in
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0" + digits : digits
  }.joined()
}
