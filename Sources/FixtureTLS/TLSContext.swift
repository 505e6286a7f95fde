import CFixtureOpenSSL

/// What connections share: trusted authorities or a server's identity, versions, protocols.
///
/// Unchecked Sendable by this invariant: the `SSL_CTX` is configured only inside the initializers.
/// Afterwards engines on any thread only read it, through SSL_new, and OpenSSL counts its
/// references and locks its certificate store itself (openssl-threads(7)). The other properties
/// are constants; the memory of `protocols` is written before the initializer returns.
package final class TLSContext: @unchecked Sendable {
  /// Which side of connections the context is for.
  enum Role: Equatable {
    case client(verifies: Bool)
    case server
  }

  /// The C type is `SSL_CTX`.
  let handle: OpaquePointer
  let role: Role

  /// The offered or accepted protocols in wire form (RFC 7301 §3.1). OpenSSL's callback reads them
  /// for as long as the context lives, so they have an address of their own.
  private let protocols: UnsafeMutableBufferPointer<UInt8>

  /// A context for connections to servers, TLS 1.2 and later.
  ///
  /// The system's authorities are trusted; with `certificateAuthorityFile`, those of that PEM file
  /// in addition. Each certificate of the file is trusted on its own, whether it is a root or not.
  /// Without `verify` any certificate is accepted. `applicationProtocols` are offered in order of
  /// preference (ALPN, RFC 7301), each 1 to 255 bytes; none: no offer is made.
  ///
  /// - Throws: `.certificateAuthorityFileUnusable`, which the user can repair; `.callFailed`.
  package init(
    certificateAuthorityFile: String?, verify: Bool, applicationProtocols: [String]
  ) throws(TLSError) {
    handle = try Self.makeHandle(TLS_client_method())
    role = .client(verifies: verify)
    protocols = Self.wireForm(applicationProtocols)
    try configure()
    try trustSystemAuthorities()
    if let path = certificateAuthorityFile { try trustAuthorities(in: path) }
    try offerProtocols()
  }

  /// A context for accepting connections with the identity of two PEM files.
  ///
  /// A client that offers protocols, but none of `applicationProtocols`, is refused as RFC 7301
  /// §3.2 asks.
  ///
  /// - Throws: `.identityFileUnusable`, which the user can repair; `.callFailed`.
  package init(
    certificateChainFile: String, keyFile: String, applicationProtocols: [String]
  ) throws(TLSError) {
    handle = try Self.makeHandle(TLS_server_method())
    role = .server
    protocols = Self.wireForm(applicationProtocols)
    try configure()
    try useIdentity(certificateChainFile: certificateChainFile, keyFile: keyFile)
    selectProtocols()
  }

  deinit {
    SSL_CTX_free(handle)
    protocols.deallocate()
  }

  private static func makeHandle(_ method: OpaquePointer?) throws(TLSError) -> OpaquePointer {
    OpenSSLErrorQueue.clear()
    guard let handle = SSL_CTX_new(method) else {
      throw .callFailed(call: "SSL_CTX_new", reasons: OpenSSLErrorQueue.drainReasons())
    }
    return handle
  }

  /// Each name behind its length in one byte.
  private static func wireForm(_ names: [String]) -> UnsafeMutableBufferPointer<UInt8> {
    var bytes: [UInt8] = []
    for name in names {
      precondition((1...255).contains(name.utf8.count), "protocol name of bad length: \(name)")
      bytes.append(UInt8(name.utf8.count))
      bytes.append(contentsOf: name.utf8)
    }
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = buffer.initialize(fromContentsOf: bytes)
    return buffer
  }
}

extension TLSContext {
  private func configure() throws(TLSError) {
    try check("SSL_CTX_set_min_proto_version") {
      fixture_ssl_ctx_set_min_proto_version(handle, TLS1_2_VERSION)
    }
    // Without renegotiation SSL_write never has to read, which keeps the directions apart.
    SSL_CTX_set_options(handle, fixture_ssl_op_no_renegotiation())
    // Whoever retries a write may pass the bytes at another address; idle connections hold no
    // record buffers.
    let modes =
      SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
      | SSL_MODE_RELEASE_BUFFERS
    _ = fixture_ssl_ctx_set_mode(handle, Int(modes))
    // Every handshake is a full one: resumption would carry state from one connection to another.
    _ = fixture_ssl_ctx_set_session_cache_mode(handle, Int(SSL_SESS_CACHE_OFF))
  }

  private func trustSystemAuthorities() throws(TLSError) {
    try check("SSL_CTX_set_default_verify_paths") { SSL_CTX_set_default_verify_paths(handle) }
  }

  private func trustAuthorities(in path: String) throws(TLSError) {
    OpenSSLErrorQueue.clear()
    guard SSL_CTX_load_verify_file(handle, path) == 1 else {
      throw .certificateAuthorityFileUnusable(
        path: path, reason: OpenSSLErrorQueue.drainFirstReason())
    }
    // The file's certificates are trusted because the user named them, so a server's own or an
    // intermediate authority's is enough.
    try check("X509_VERIFY_PARAM_set_flags") {
      X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(handle), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    }
  }

  private func offerProtocols() throws(TLSError) {
    if protocols.isEmpty { return }
    // Unlike its neighbours this function returns 0 for success.
    try check("SSL_CTX_set_alpn_protos") {
      SSL_CTX_set_alpn_protos(handle, protocols.baseAddress, UInt32(protocols.count)) == 0 ? 1 : 0
    }
  }

  private func useIdentity(certificateChainFile: String, keyFile: String) throws(TLSError) {
    OpenSSLErrorQueue.clear()
    guard SSL_CTX_use_certificate_chain_file(handle, certificateChainFile) == 1 else {
      throw .identityFileUnusable(
        path: certificateChainFile, reason: OpenSSLErrorQueue.drainFirstReason())
    }
    // SSL_CTX_use_PrivateKey_file also compares the key with the certificate.
    guard SSL_CTX_use_PrivateKey_file(handle, keyFile, SSL_FILETYPE_PEM) == 1 else {
      throw .identityFileUnusable(path: keyFile, reason: OpenSSLErrorQueue.drainFirstReason())
    }
  }

  /// Installs the choice among a client's protocols. The callback gets the context unretained: it
  /// runs only inside an engine's calls, and engines hold their context.
  private func selectProtocols() {
    if protocols.isEmpty { return }
    let context = Unmanaged.passUnretained(self).toOpaque()
    SSL_CTX_set_alpn_select_cb(
      handle,
      { _, selected, selectedLength, offered, offeredLength, context in
        let own = Unmanaged<TLSContext>.fromOpaque(context!).takeUnretainedValue().protocols
        let result = fixture_ssl_select_next_proto(
          selected, selectedLength, own.baseAddress, UInt32(own.count), offered, offeredLength)
        return result == OPENSSL_NPN_NEGOTIATED
          ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
      }, context)
  }

  /// Calls a function that returns 1 for success.
  private func check(_ call: String, _ body: () -> Int32) throws(TLSError) {
    OpenSSLErrorQueue.clear()
    guard body() == 1 else {
      throw .callFailed(call: call, reasons: OpenSSLErrorQueue.drainReasons())
    }
  }
}
