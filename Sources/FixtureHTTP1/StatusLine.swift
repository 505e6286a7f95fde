import FixtureHTTP

/// A status line (RFC 9112 §4).
struct StatusLine {
  let version: HTTPVersion
  let status: Int
  let reason: [UInt8]
}

extension StatusLine {
  /// Parses `line`, given without its line end.
  ///
  /// The reason phrase may be empty, and then the space before it missing (RFC 9112 §4 asks servers
  /// for it; many leave it out). Its bytes are opaque.
  init(_ line: UnsafeRawBufferPointer) throws(ProtocolError) {
    let versionEnd = "HTTP/1.1".utf8.count
    let statusEnd = versionEnd + " 200".utf8.count
    guard line.count >= versionEnd,
      let version = HTTPVersion(exactly: UnsafeRawBufferPointer(rebasing: line[..<versionEnd]))
    else { throw .versionMalformed(in: .response) }
    guard version.major == 1 else { throw .versionUnsupported(version, in: .response) }
    guard line.count >= statusEnd, line[versionEnd] == 0x20,
      let status = Self.status(line[(versionEnd + 1)..<statusEnd]),
      line.count == statusEnd || line[statusEnd] == 0x20
    else { throw .statusLineMalformed }

    let reason = line[min(statusEnd + 1, line.count)...]
    for byte in reason where !byte.isFieldValueByte {
      throw .byteForbidden(byte, Location(kind: .response, section: .head, line: 1))
    }
    self.version = version
    self.status = status
    self.reason = Array(reason)
  }

  /// Three digits, the first not 0. Codes above 599 have no class (RFC 9110 §15) but are sent.
  private static func status(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
    var status = 0
    for byte in digits {
      guard let digit = byte.decimalDigitValue else { return nil }
      status = status * 10 + Int(digit)
    }
    return status >= 100 ? status : nil
  }
}
