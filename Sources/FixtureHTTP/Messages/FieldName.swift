/// A field name to look for: lower case ASCII, compared without regard to case (RFC 9110 §5.1).
package struct FieldName: Sendable {
  let lowercase: StaticString

  /// - Parameter lowercase: the name in lower case; any other spelling would never match.
  package init(_ lowercase: StaticString) {
    self.lowercase = lowercase
  }

  /// Whether `bytes` spell this name in any case.
  @inlinable
  package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == utf8Count else { return false }
    let expected = utf8Start
    for index in 0..<bytes.count where bytes[index].asciiLowercased != expected[index] {
      return false
    }
    return true
  }

  @usableFromInline var utf8Count: Int { lowercase.utf8CodeUnitCount }
  @usableFromInline var utf8Start: UnsafePointer<UInt8> { lowercase.utf8Start }
}

extension FieldName {
  package static let accept = FieldName("accept")
  package static let acceptEncoding = FieldName("accept-encoding")
  package static let acceptRanges = FieldName("accept-ranges")
  package static let age = FieldName("age")
  package static let authorization = FieldName("authorization")
  package static let cacheControl = FieldName("cache-control")
  package static let connection = FieldName("connection")
  package static let contentDigest = FieldName("content-digest")
  package static let contentDisposition = FieldName("content-disposition")
  package static let contentEncoding = FieldName("content-encoding")
  package static let contentLanguage = FieldName("content-language")
  package static let contentLength = FieldName("content-length")
  package static let contentLocation = FieldName("content-location")
  package static let contentMD5 = FieldName("content-md5")
  package static let contentRange = FieldName("content-range")
  package static let contentType = FieldName("content-type")
  package static let cookie = FieldName("cookie")
  package static let date = FieldName("date")
  package static let etag = FieldName("etag")
  package static let expect = FieldName("expect")
  package static let expires = FieldName("expires")
  package static let host = FieldName("host")
  package static let ifMatch = FieldName("if-match")
  package static let ifModifiedSince = FieldName("if-modified-since")
  package static let ifNoneMatch = FieldName("if-none-match")
  package static let ifRange = FieldName("if-range")
  package static let ifUnmodifiedSince = FieldName("if-unmodified-since")
  package static let keepAlive = FieldName("keep-alive")
  package static let lastModified = FieldName("last-modified")
  package static let link = FieldName("link")
  package static let location = FieldName("location")
  package static let proxyConnection = FieldName("proxy-connection")
  package static let range = FieldName("range")
  package static let referer = FieldName("referer")
  package static let refresh = FieldName("refresh")
  package static let retryAfter = FieldName("retry-after")
  package static let setCookie = FieldName("set-cookie")
  package static let te = FieldName("te")
  package static let trailer = FieldName("trailer")
  package static let transferEncoding = FieldName("transfer-encoding")
  package static let upgrade = FieldName("upgrade")
  package static let vary = FieldName("vary")
}
