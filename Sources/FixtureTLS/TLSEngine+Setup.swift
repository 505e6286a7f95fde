import CFixtureOpenSSL

extension TLSEngine {
  /// A new `SSL` that owns the BIO it reads from and the one it writes to. The C functions are
  /// `SSL_new`, `SSL_set0_rbio`, `SSL_set0_wbio`.
  static func makeSession(
    _ context: TLSContext
  ) throws(TLSError) -> (session: OpaquePointer, received: MemoryBIO, produced: MemoryBIO) {
    OpenSSLErrorQueue.clear()
    guard let session = SSL_new(context.handle) else {
      throw .callFailed(call: "SSL_new", reasons: OpenSSLErrorQueue.drainReasons())
    }
    do throws(TLSError) {
      let received = try MemoryBIO()
      SSL_set0_rbio(session, received.handle)
      let produced = try MemoryBIO()
      SSL_set0_wbio(session, produced.handle)
      return (session, received, produced)
    } catch {
      SSL_free(session)
      throw error
    }
  }

  /// Sends a name as server name indication. The C function is `SSL_set_tlsext_host_name`.
  func indicate(_ name: ServerName) throws(TLSError) {
    guard case .name(let text) = name else { return }
    OpenSSLErrorQueue.clear()
    guard fixture_ssl_set_server_name(session, text) == 1 else {
      OpenSSLErrorQueue.clear()
      throw .serverNameUnusable(text)
    }
  }

  /// Asks for a trusted certificate that names the host, and for the reason when it is refused.
  func verify(_ name: ServerName) throws(TLSError) {
    OpenSSLErrorQueue.clear()
    let parameters = SSL_get0_param(session)
    let flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
    X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(flags))
    let result =
      switch name {
      case .name(let text): X509_VERIFY_PARAM_set1_host(parameters, text, 0)
      case .address(let text): X509_VERIFY_PARAM_set1_ip_asc(parameters, text)
      }
    guard result == 1 else {
      OpenSSLErrorQueue.clear()
      throw .serverNameUnusable(name.text)
    }
    // The engine goes to the callback unretained: it runs only inside this engine's own calls.
    let engine = Unmanaged.passUnretained(self).toOpaque()
    guard fixture_ssl_set_app_data(session, engine) == 1 else {
      throw .callFailed(call: "SSL_set_app_data", reasons: OpenSSLErrorQueue.drainReasons())
    }
    SSL_set_verify(session, SSL_VERIFY_PEER) { isAccepted, store in
      if isAccepted != 1 { TLSEngine.noteRefusal(by: store) }
      return isAccepted
    }
  }

  /// Keeps why a certificate was refused: the chain is gone when the failed call returns.
  private static func noteRefusal(by store: OpaquePointer?) {
    guard let data = fixture_x509_store_ctx_get_app_data(store) else { return }
    let engine = Unmanaged<TLSEngine>.fromOpaque(data).takeUnretainedValue()
    let code = X509_STORE_CTX_get_error(store)
    if let certificate = X509_STORE_CTX_get_current_cert(store) {
      engine.refusal = .certificate(
        of: engine.host, refusedWith: code, depth: X509_STORE_CTX_get_error_depth(store),
        certificate: PeerCertificate(handle: certificate))
    } else {
      let reason = String(cString: X509_verify_cert_error_string(Int(code)))
      engine.refusal = .certificateRefused(host: engine.host, reason: reason)
    }
  }
}
