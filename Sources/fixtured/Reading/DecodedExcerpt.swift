import FixtureCassette
import FixtureCoding

/// Coded content with its codings undone. A copy to look at: what is stored, matched and replayed
/// is the body as it was transferred.
struct DecodedExcerpt: Equatable, Sendable {
  /// How far content is decoded to be able to say how large it is. That takes time, not memory.
  static let sizeMax = 256 << 20

  /// As they were applied.
  let codings: [ContentCoding]
  /// When there is a flaw, what came out before it.
  let content: Excerpt
  /// Bytes behind the coded data.
  let trailingBytes: Int
  /// Why the rest is missing.
  let flaw: CodingError?
  /// SHA-256 of the decoded content; nil when there is a flaw.
  var digest: [UInt8]?

  /// Whether nothing could be decoded.
  var isUseless: Bool { flaw != nil && content.size == 0 }
}

extension DecodedExcerpt {
  /// Takes coded content in pieces and keeps the beginning of what it comes to.
  struct Builder: ~Copyable {
    private let codings: [ContentCoding]
    private let bytesMax: Int
    private var decoder: ContentDecoder?
    private var size: Int64 = 0
    private var beginning: [UInt8] = []
    private var hash = SHA256()
    private var flaw: CodingError?

    /// - Parameters:
    ///   - bytesMax: how much is kept.
    ///   - sizeMax: how far it is decoded; more is a flaw.
    init(_ codings: [ContentCoding], bytesMax: Int, sizeMax: Int) {
      self.codings = codings
      self.bytesMax = bytesMax
      do throws(CodingError) {
        decoder = try ContentDecoder(codings, outputBytesMax: sizeMax)
      } catch {
        decoder = nil
        flaw = error
      }
    }

    /// False after a flaw; more pieces would change nothing.
    var wantsMore: Bool { flaw == nil }

    mutating func append(_ piece: [UInt8]) {
      do throws(CodingError) {
        try decoder?.decode(piece) { output in
          size += Int64(output.count)
          hash.update(output)
          beginning.append(contentsOf: output.prefix(bytesMax - beginning.count))
        }
      } catch {
        flaw = error
      }
    }

    mutating func finish() -> DecodedExcerpt {
      var ending: ContentDecoder.Ending?
      do throws(CodingError) {
        if wantsMore { ending = try decoder?.finish() }
      } catch {
        flaw = error
      }
      return DecodedExcerpt(
        codings: codings, content: Excerpt(size: size, beginning: beginning),
        trailingBytes: ending?.trailingBytes ?? 0, flaw: flaw,
        digest: flaw == nil ? hash.finalize() : nil)
    }
  }
}
