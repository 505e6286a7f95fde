import FixtureHTTP

/// A request line (RFC 9112 §3).
struct RequestLine {
  let method: Method
  let target: [UInt8]
  let version: HTTPVersion
}

extension RequestLine {
  /// Parses `line`, given without its CRLF.
  ///
  /// The target is opaque: any byte but controls, space and DEL belongs to it, also those that
  /// RFC 3986 would have percent-encoded, because clients send them and origin servers take them.
  init(_ line: UnsafeRawBufferPointer, limits: Limits) throws(ProtocolError) {
    var methodEnd = 0
    while methodEnd < line.count, line[methodEnd].isTokenCharacter { methodEnd &+= 1 }
    guard methodEnd < line.count else { throw .requestLineMalformed }
    guard methodEnd > 0, line[methodEnd] == 0x20 else {
      throw .methodInvalid(byte: line[methodEnd])
    }
    guard methodEnd <= limits.methodBytesMax else {
      throw .methodTooLong(limit: limits.methodBytesMax)
    }

    let targetStart = methodEnd + 1
    let targetEnd = ByteScan.spaceOrControl(in: line, from: targetStart, to: line.count)
    if targetEnd < line.count, line[targetEnd] != 0x20 {
      throw .targetInvalid(byte: line[targetEnd])
    }
    guard targetEnd - targetStart <= limits.targetBytesMax else {
      throw .targetTooLong(limit: limits.targetBytesMax)
    }
    // A line without a version would be HTTP/0.9, which has no header section.
    guard targetEnd < line.count else { throw .requestLineMalformed }
    guard targetEnd > targetStart else { throw .targetEmpty }

    let rest = UnsafeRawBufferPointer(rebasing: line[(targetEnd + 1)...])
    guard let version = HTTPVersion(exactly: rest) else {
      throw rest.contains(0x20) ? .targetInvalid(byte: 0x20) : .versionMalformed(in: .request)
    }
    guard version.major == 1 else { throw .versionUnsupported(version, in: .request) }

    method = Method(UnsafeRawBufferPointer(rebasing: line[0..<methodEnd]))
    target = Array(UnsafeRawBufferPointer(rebasing: line[targetStart..<targetEnd]))
    self.version = version
  }
}

extension HTTPVersion {
  /// `HTTP/` DIGIT `.` DIGIT, in upper case and nothing else (RFC 9112 §2.3).
  init?(exactly bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 8, bytes[0] == 0x48, bytes[1] == 0x54, bytes[2] == 0x54,
      bytes[3] == 0x50, bytes[4] == 0x2F, bytes[6] == 0x2E,
      let major = bytes[5].decimalDigitValue, let minor = bytes[7].decimalDigitValue
    else { return nil }
    self.init(major: major, minor: minor)
  }
}

extension UInt8 {
  /// 0–9 for a decimal digit, else nil.
  var decimalDigitValue: UInt8? { self >= 0x30 && self <= 0x39 ? self - 0x30 : nil }
}
