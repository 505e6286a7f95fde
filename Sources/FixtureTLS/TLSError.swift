/// What went wrong in TLS, as facts. `host` is the server's name as it was asked for; an accepting
/// engine, which has no name for its peer, says `the client`.
package enum TLSError: Error, Equatable, Sendable {
  // Setting up.

  /// The file given for more certificate authorities could not be used.
  case certificateAuthorityFileUnusable(path: String, reason: String)
  /// A server's certificate or key file could not be used, or they do not belong together.
  case identityFileUnusable(path: String, reason: String)
  /// The host is empty, holds a NUL byte or is too long for a name.
  case serverNameUnusable(String)

  // The peer's certificate. `authority` is nil for the host's own certificate, else the name of
  // the authority in its chain whose certificate it is about.

  /// The certificate is no longer valid. `until` is a date like `2025-01-31 23:59:59 UTC`.
  case certificateExpired(host: String, authority: String?, until: String)
  /// The certificate is not valid yet.
  case certificateNotYetValid(host: String, authority: String?, from: String)
  /// Nobody this machine trusts vouches for the certificate; `issuer` is who signed the last one
  /// of its chain.
  case issuerUnknown(host: String, issuer: String)
  /// The certificate vouches for itself and is not among the trusted ones.
  case certificateSelfSigned(host: String)
  /// The certificate is for other hosts: `names` as it lists them, possibly none.
  case hostMismatch(host: String, names: [String])
  /// Any other reason of OpenSSL's, in its words.
  case certificateRefused(host: String, reason: String)

  // The handshake and the records.

  /// The peer gave up with a fatal alert (RFC 8446 §6.2).
  case alertReceived(host: String, code: UInt8, name: String)
  /// What the peer sent is not TLS.
  case notTLS(host: String)
  /// The peer speaks no version from TLS 1.2 on.
  case versionUnsupported(host: String)
  /// The peer ended the connection before the handshake was complete.
  case endedInHandshake(host: String)
  /// The peer broke the protocol; OpenSSL's reasons, the first cause first.
  case protocolViolated(host: String, reasons: [String])

  /// A call failed for a reason of this machine's, such as a lack of memory.
  case callFailed(call: String, reasons: [String])
}

extension TLSError: CustomStringConvertible {
  /// One line: what failed, with what, and what to do. A table, hence its length.
  package var description: String {
    switch self {
    case .certificateAuthorityFileUnusable(let path, let reason):
      "cannot use \(path) as certificate authorities (\(reason)): "
        + "--cacert needs a readable file of certificates in PEM form"
    case .identityFileUnusable(let path, let reason):
      "cannot use \(path) as a server's certificate or key (\(reason)): "
        + "a certificate chain and its key in PEM form are needed"
    case .serverNameUnusable(let host):
      "\"\(host)\" cannot be a server's name: a host name of at most 253 bytes is needed"
    case .certificateExpired(let host, let authority, let until):
      "the certificate of \(Self.owner(host, authority)) expired on \(until): "
        + "renew it, or accept it with --insecure"
    case .certificateNotYetValid(let host, let authority, let from):
      "the certificate of \(Self.owner(host, authority)) is not valid before \(from): "
        + "check this machine's clock, or accept it with --insecure"
    case .issuerUnknown(let host, let issuer):
      "the certificate of \(host) was issued by an unknown authority (\(issuer)): "
        + "give the authority's certificate with --cacert FILE"
    case .certificateSelfSigned(let host):
      "the certificate of \(host) is self-signed: give it with --cacert FILE"
    case .hostMismatch(let host, let names):
      "the certificate of \(host) is for \(names.isEmpty ? "no host" : Self.list(names)): "
        + "use a name that it lists, or accept it with --insecure"
    case .certificateRefused(let host, let reason):
      "the certificate of \(host) was refused (\(reason)): "
        + "replace it, or accept it with --insecure"
    case .alertReceived(let host, let code, let name):
      "\(host) ended TLS with the alert \"\(name)\" (\(code)): \(Self.advice(alert: code))"
    case .notTLS(let host):
      "\(host) did not answer in TLS: check the port, or use http:// for it"
    case .versionUnsupported(let host):
      "\(host) speaks only TLS versions before 1.2, which are not supported: update the server"
    case .endedInHandshake(let host):
      "\(host) closed the connection in the TLS handshake: "
        + "check that the port is the right one and that the server speaks TLS 1.2 or later"
    case .protocolViolated(let host, let reasons):
      "TLS with \(host) failed (\(Self.list(reasons))): "
        + "check the server, and what stands between it and this machine"
    case .callFailed(let call, let reasons):
      "OpenSSL's \(call) failed: \(Self.list(reasons))"
    }
  }

  private static func owner(_ host: String, _ authority: String?) -> String {
    authority.map { "\($0), which vouches for \(host)," } ?? host
  }

  private static func list(_ items: [String]) -> String {
    items.isEmpty ? "no reason given" : items.joined(separator: ", ")
  }

  /// What a developer can do about the alerts that have a usual cause.
  private static func advice(alert code: UInt8) -> String {
    switch code {
    case 40: "the two share no cipher or other parameter; update the server's TLS settings"
    case 70: "it does not accept TLS 1.2 or 1.3; update the server's TLS settings"
    case 112: "it has no certificate for this name; check the URL's host"
    case 116: "it asks for a client certificate, which is not supported"
    case 120: "it does not speak HTTP/1.1; servers that speak only HTTP/2 are not supported"
    default: "the server's log has the reason"
    }
  }
}
