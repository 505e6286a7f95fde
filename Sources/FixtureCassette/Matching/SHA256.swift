import CFixtureDigest

/// SHA-256 (FIPS 180-4) over bytes given in pieces.
///
/// Whole blocks are read where they lie, so a large piece costs neither a copy nor an allocation.
/// Every stored byte is hashed, and of long bodies every replayed one, so the processor's own
/// instructions are used where it has some: six times as fast as the best that Swift makes of it.
package struct SHA256: Sendable {
  /// Bytes of a digest.
  package static let digestCount = 32
  private static let blockCount = 64

  private var state = State()
  /// The start of a block that is not whole yet: `pending.count` < 64 between calls.
  private var pending: [UInt8] = []
  private var total: UInt64 = 0

  package init() { self.init(isPortable: false) }

  /// - Parameter isPortable: do without the processor's instructions.
  init(isPortable: Bool) {
    state.isPortable = isPortable
    pending.reserveCapacity(2 * Self.blockCount)
  }

  /// The digest of bytes that are all at hand.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.finalize()
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    total &+= UInt64(bytes.count)
    var rest = bytes
    if !pending.isEmpty {
      let wanted = min(Self.blockCount - pending.count, rest.count)
      pending.append(contentsOf: rest.prefix(wanted))
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(wanted))
      guard pending.count == Self.blockCount else { return }
      pending.withUnsafeBytes { state.compress($0) }
      pending.removeAll(keepingCapacity: true)
    }
    let whole = rest.count & ~(Self.blockCount - 1)
    state.compress(UnsafeRawBufferPointer(rebasing: rest.prefix(whole)))
    pending.append(contentsOf: rest.dropFirst(whole))
  }

  /// The digest, 32 bytes, of everything given so far; more may be given afterwards.
  package func finalize() -> [UInt8] {
    var last = pending
    last.append(0x80)
    while last.count % Self.blockCount != 56 { last.append(0) }
    let bits = total &* 8
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      last.append(UInt8(truncatingIfNeeded: bits &>> shift))
    }
    var state = state
    last.withUnsafeBytes { state.compress($0) }
    return state.bytes
  }
}

extension SHA256 {
  /// The eight working words, and the compression function over them.
  ///
  /// Sixteen rounds are written out over local words: array elements instead would cost a call
  /// each in a debug build, and bounds checks in a release build.
  fileprivate struct State: Sendable {
    var a: UInt32 = 0x6a09_e667
    var b: UInt32 = 0xbb67_ae85
    var c: UInt32 = 0x3c6e_f372
    var d: UInt32 = 0xa54f_f53a
    var e: UInt32 = 0x510e_527f
    var f: UInt32 = 0x9b05_688c
    var g: UInt32 = 0x1f83_d9ab
    var h: UInt32 = 0x5be0_cd19
    var isPortable = false

    var bytes: [UInt8] {
      [UInt8](unsafeUninitializedCapacity: SHA256.digestCount) { buffer, count in
        let bytes = UnsafeMutableRawBufferPointer(buffer)
        var offset = 0
        for word in [a, b, c, d, e, f, g, h] {
          bytes.storeBytes(of: word.bigEndian, toByteOffset: offset, as: UInt32.self)
          offset += 4
        }
        count = SHA256.digestCount
      }
    }

    /// - Precondition: `blocks` is a whole number of blocks, possibly none.
    mutating func compress(_ blocks: UnsafeRawBufferPointer) {
      guard let start = blocks.baseAddress, blocks.count >= SHA256.blockCount else { return }
      SHA256.roundConstants.withUnsafeBufferPointer { constants in
        guard let constants = constants.baseAddress else { return }
        let count = blocks.count / SHA256.blockCount
        if !isPortable, compressByProcessor(start, count, constants) { return }
        var offset = 0
        while offset < blocks.count {
          compress(block: start + offset, constants)
          offset &+= SHA256.blockCount
        }
      }
    }

    /// - Returns: whether it could.
    private mutating func compressByProcessor(
      _ blocks: UnsafeRawPointer, _ count: Int, _ constants: UnsafePointer<UInt32>
    ) -> Bool {
      var words = (a, b, c, d, e, f, g, h)
      let isDone = withUnsafeMutableBytes(of: &words) { words in
        let words = words.assumingMemoryBound(to: UInt32.self).baseAddress
        return fixture_sha256_compress(words, constants, blocks, count) != 0
      }
      if isDone { (a, b, c, d, e, f, g, h) = words }
      return isDone
    }

    private mutating func compress(
      block: UnsafeRawPointer, _ constants: UnsafePointer<UInt32>
    ) {
      var words = Words(block)
      var next = self
      next.sixteenRounds(words, constants)
      words.advance()
      next.sixteenRounds(words, constants + 16)
      words.advance()
      next.sixteenRounds(words, constants + 32)
      words.advance()
      next.sixteenRounds(words, constants + 48)
      a = a &+ next.a
      b = b &+ next.b
      c = c &+ next.c
      d = d &+ next.d
      e = e &+ next.e
      f = f &+ next.f
      g = g &+ next.g
      h = h &+ next.h
    }

    /// Instead of moving eight words each round, the words' roles move: after eight rounds each is
    /// back in its own.
    @inline(__always)
    private mutating func sixteenRounds(_ w: Words, _ k: UnsafePointer<UInt32>) {
      Self.round(a, b, c, &d, e, f, g, &h, k[0] &+ w.w0)
      Self.round(h, a, b, &c, d, e, f, &g, k[1] &+ w.w1)
      Self.round(g, h, a, &b, c, d, e, &f, k[2] &+ w.w2)
      Self.round(f, g, h, &a, b, c, d, &e, k[3] &+ w.w3)
      Self.round(e, f, g, &h, a, b, c, &d, k[4] &+ w.w4)
      Self.round(d, e, f, &g, h, a, b, &c, k[5] &+ w.w5)
      Self.round(c, d, e, &f, g, h, a, &b, k[6] &+ w.w6)
      Self.round(b, c, d, &e, f, g, h, &a, k[7] &+ w.w7)
      Self.round(a, b, c, &d, e, f, g, &h, k[8] &+ w.w8)
      Self.round(h, a, b, &c, d, e, f, &g, k[9] &+ w.w9)
      Self.round(g, h, a, &b, c, d, e, &f, k[10] &+ w.w10)
      Self.round(f, g, h, &a, b, c, d, &e, k[11] &+ w.w11)
      Self.round(e, f, g, &h, a, b, c, &d, k[12] &+ w.w12)
      Self.round(d, e, f, &g, h, a, b, &c, k[13] &+ w.w13)
      Self.round(c, d, e, &f, g, h, a, &b, k[14] &+ w.w14)
      Self.round(b, c, d, &e, f, g, h, &a, k[15] &+ w.w15)
    }

    /// One round (FIPS 180-4 §6.2.2 step 3); only the new values of `d` and `h` are stored.
    @inline(__always)
    private static func round(
      _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
      _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32, _ word: UInt32
    ) {
      let choice = g ^ (e & (f ^ g))
      let majority = (a & b) | (c & (a | b))
      let e6 = (e &>> 6) | (e &<< 26)
      let e11 = (e &>> 11) | (e &<< 21)
      let e25 = (e &>> 25) | (e &<< 7)
      let a2 = (a &>> 2) | (a &<< 30)
      let a13 = (a &>> 13) | (a &<< 19)
      let a22 = (a &>> 22) | (a &<< 10)
      let first = h &+ (e6 ^ e11 ^ e25) &+ choice &+ word
      d = d &+ first
      h = first &+ (a2 ^ a13 ^ a22) &+ majority
    }
  }
}

extension SHA256 {
  /// Sixteen consecutive words of the message schedule (FIPS 180-4 §6.2.2 step 1).
  fileprivate struct Words {
    var w0, w1, w2, w3, w4, w5, w6, w7: UInt32
    var w8, w9, w10, w11, w12, w13, w14, w15: UInt32

    @inline(__always)
    init(_ block: UnsafeRawPointer) {
      w0 = Self.word(block, 0)
      w1 = Self.word(block, 4)
      w2 = Self.word(block, 8)
      w3 = Self.word(block, 12)
      w4 = Self.word(block, 16)
      w5 = Self.word(block, 20)
      w6 = Self.word(block, 24)
      w7 = Self.word(block, 28)
      w8 = Self.word(block, 32)
      w9 = Self.word(block, 36)
      w10 = Self.word(block, 40)
      w11 = Self.word(block, 44)
      w12 = Self.word(block, 48)
      w13 = Self.word(block, 52)
      w14 = Self.word(block, 56)
      w15 = Self.word(block, 60)
    }

    /// The next sixteen words; each uses the new values of those before it.
    @inline(__always)
    mutating func advance() {
      Self.extend(&w0, w1, w9, w14)
      Self.extend(&w1, w2, w10, w15)
      Self.extend(&w2, w3, w11, w0)
      Self.extend(&w3, w4, w12, w1)
      Self.extend(&w4, w5, w13, w2)
      Self.extend(&w5, w6, w14, w3)
      Self.extend(&w6, w7, w15, w4)
      Self.extend(&w7, w8, w0, w5)
      Self.extend(&w8, w9, w1, w6)
      Self.extend(&w9, w10, w2, w7)
      Self.extend(&w10, w11, w3, w8)
      Self.extend(&w11, w12, w4, w9)
      Self.extend(&w12, w13, w5, w10)
      Self.extend(&w13, w14, w6, w11)
      Self.extend(&w14, w15, w7, w12)
      Self.extend(&w15, w0, w8, w13)
    }

    @inline(__always)
    private static func word(_ block: UnsafeRawPointer, _ offset: Int) -> UInt32 {
      UInt32(bigEndian: block.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @inline(__always)
    private static func extend(
      _ word: inout UInt32, _ after1: UInt32, _ after9: UInt32, _ after14: UInt32
    ) {
      let a7 = (after1 &>> 7) | (after1 &<< 25)
      let a18 = (after1 &>> 18) | (after1 &<< 14)
      let b17 = (after14 &>> 17) | (after14 &<< 15)
      let b19 = (after14 &>> 19) | (after14 &<< 13)
      let small0 = a7 ^ a18 ^ (after1 &>> 3)
      let small1 = b17 ^ b19 ^ (after14 &>> 10)
      word = word &+ small0 &+ after9 &+ small1
    }
  }

  /// FIPS 180-4 §4.2.2.
  fileprivate static let roundConstants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}
