import FixtureCassette
import FixtureCoding
import FixtureHTTP
import FixtureStore

/// The beginning of some content, as much as is shown.
struct Excerpt: Equatable, Sendable {
  /// What a person still looks through; more is cut.
  static let bytesMax = 256 * 1024
  /// How much of coded content is read at a time.
  static let pieceBytes = 16 * 1024

  /// Of the whole content.
  let size: Int64
  let beginning: [UInt8]

  /// Bytes that follow `beginning`.
  var restBytes: Int64 { size - Int64(beginning.count) }

  /// The bytes as text: UTF-8 without NUL, which no text holds; nil for anything else. When the
  /// excerpt was cut inside a scalar, that scalar counts as following it.
  var text: (shown: String, restBytes: Int64)? {
    var bytes = beginning[...]
    if restBytes > 0 { bytes = bytes.dropLast(bytes.cutScalarBytes) }
    guard !bytes.contains(0), let shown = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    return (shown, size - Int64(bytes.count))
  }
}

extension ArraySlice<UInt8> {
  /// How many bytes at the end begin a scalar that does not end there; at most 3.
  fileprivate var cutScalarBytes: Int {
    for count in 1...3 where count <= self.count {
      let byte = self[endIndex - count]
      if UTF8.isContinuation(byte) { continue }
      let needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return needed > count ? count : 0
    }
    return 0
  }
}

/// What is shown of a stored body: as it was transferred, and decoded when it has codings.
struct ContentExcerpt: Equatable, Sendable {
  let stored: Excerpt
  /// SHA-256 of the whole body as it is stored.
  let digest: [UInt8]
  /// nil without a coding, and for an empty body.
  let decoded: DecodedExcerpt?
  /// Whether its type says that it is JSON.
  var isJSON = false
  /// Of multipart content.
  var boundary: [UInt8]?

  /// What a person wants to read: the decoded view, as far as there is one.
  var readable: Excerpt {
    guard let decoded, !decoded.isUseless else { return stored }
    return decoded.content
  }

  /// What is the same whenever the same is recorded: without its codings and, when it is whole,
  /// without the boundary of a multipart, which clients draw anew for each request.
  var lasting: (content: Excerpt, digest: [UInt8]) {
    let content = readable
    guard let boundary, !boundary.isEmpty, content.restBytes == 0 else {
      return (content, decoded?.digest ?? digest)
    }
    let bytes = content.beginning.replacing(boundary, with: Array("(boundary)".utf8))
    return (Excerpt(size: Int64(bytes.count), beginning: bytes), SHA256.digest(of: bytes))
  }

  /// JSON a member or element a line; nil when it is something else, not whole, or laid out so
  /// already.
  var laidOut: String? {
    let excerpt = readable
    guard isJSON, excerpt.restBytes == 0, let text = JSONLayout.laidOut(excerpt.beginning),
      text != excerpt.beginning, text + [0x0A] != excerpt.beginning
    else { return nil }
    return String(decoding: text, as: UTF8.self)
  }
}

extension CassetteReader {
  /// The beginning of a body; nil for no body.
  /// - Parameters:
  ///   - fields: of the message, which say what codings the body has.
  ///   - bytesMax: of the stored and of the decoded content.
  func excerpt(
    _ body: BodyReference?, of fields: FieldSection?, bytesMax: Int = Excerpt.bytesMax,
    decodedSizeMax: Int = DecodedExcerpt.sizeMax
  ) throws(StoreError) -> ContentExcerpt? {
    guard let body else { return nil }
    let beginning = try read(body, from: 0, bytesMax: bytesMax)
    let codings = fields.map(ContentCoding.list) ?? []
    let kind = ContentKind(contentType: fields?.first(.contentType))
    return ContentExcerpt(
      stored: Excerpt(size: body.size, beginning: beginning), digest: body.digest,
      decoded: body.size == 0 || codings.isEmpty
        ? nil : try decoded(body, codings, bytesMax: bytesMax, sizeMax: decodedSizeMax),
      isJSON: kind == .json, boundary: kind.boundary)
  }

  /// Decodes a body to its end and keeps the beginning.
  private func decoded(
    _ body: BodyReference, _ codings: [ContentCoding], bytesMax: Int, sizeMax: Int
  ) throws(StoreError) -> DecodedExcerpt {
    var builder = DecodedExcerpt.Builder(codings, bytesMax: bytesMax, sizeMax: sizeMax)
    var offset: Int64 = 0
    while offset < body.size, builder.wantsMore {
      let piece = try read(body, from: offset, bytesMax: Excerpt.pieceBytes)
      builder.append(piece)
      offset += Int64(piece.count)
    }
    return builder.finish()
  }

  private func read(
    _ body: BodyReference, from offset: Int64, bytesMax: Int
  ) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(min(body.size - offset, Int64(bytesMax))))
    var failure: StoreError?
    bytes.withUnsafeMutableBytes { buffer in
      do throws(StoreError) {
        _ = try read(body: body.id, offset: offset, into: buffer)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

extension ContentKind {
  fileprivate var boundary: [UInt8]? {
    if case .multipart(let boundary) = self { return boundary }
    return nil
  }
}
