import CFixtureOpenSSL

/// One direction's ciphertext in memory: OpenSSL's `BIO_s_mem`.
///
/// It does not own the BIO: the `SSL` that it was given to does.
struct MemoryBIO {
  let handle: OpaquePointer

  /// The C function is `BIO_new`.
  init() throws(TLSError) {
    OpenSSLErrorQueue.clear()
    guard let handle = BIO_new(BIO_s_mem()) else {
      throw .callFailed(call: "BIO_new", reasons: OpenSSLErrorQueue.drainReasons())
    }
    self.handle = handle
  }

  /// Bytes written and not yet read. The C function is `BIO_ctrl_pending`.
  var pending: Int { BIO_ctrl_pending(handle) }

  /// Appends all the bytes. The C function is `BIO_write_ex`.
  func write(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
    // A write of nothing is a failure to OpenSSL.
    if bytes.isEmpty { return }
    OpenSSLErrorQueue.clear()
    var written = 0
    let result = BIO_write_ex(handle, bytes.baseAddress, bytes.count, &written)
    guard result == 1, written == bytes.count else {
      throw .callFailed(call: "BIO_write_ex", reasons: OpenSSLErrorQueue.drainReasons())
    }
  }

  /// Moves all pending bytes to the end of `bytes`. The C function is `BIO_read_ex`.
  func moveAll(to bytes: inout [UInt8]) throws(TLSError) {
    let count = pending
    if count == 0 { return }
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: count))
    OpenSSLErrorQueue.clear()
    var taken = 0
    let result = bytes.withUnsafeMutableBytes { buffer in
      BIO_read_ex(handle, buffer.baseAddress! + start, count, &taken)
    }
    guard result == 1, taken == count else {
      bytes.removeLast(count)
      throw .callFailed(call: "BIO_read_ex", reasons: OpenSSLErrorQueue.drainReasons())
    }
  }
}
