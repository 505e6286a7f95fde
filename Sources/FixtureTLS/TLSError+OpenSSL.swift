import CFixtureOpenSSL

extension TLSError {
  /// The error for a certificate that OpenSSL's chain verification turned down.
  ///
  /// `code` is one of `X509_V_ERR_…`, `depth` counts from the host's own certificate at 0, and
  /// `certificate` is the one that the code is about.
  static func certificate(
    of host: String, refusedWith code: Int32, depth: Int32, certificate: PeerCertificate
  ) -> TLSError {
    let authority = depth == 0 ? nil : certificate.subject
    switch code {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return .certificateExpired(
        host: host, authority: authority, until: certificate.validUntil)
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return .certificateNotYetValid(
        host: host, authority: authority, from: certificate.validFrom)
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return .certificateSelfSigned(host: host)
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return .issuerUnknown(host: host, issuer: certificate.issuer)
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
      return .hostMismatch(host: host, names: certificate.names)
    default:
      let reason = String(cString: X509_verify_cert_error_string(Int(code)))
      return .certificateRefused(host: host, reason: reason)
    }
  }

  /// The error for a failed call on a connection, from the queue that the call left.
  static func connection(
    with host: String, call: String, failedWith entries: [OpenSSLErrorQueue.Entry]
  ) -> TLSError {
    for case let number? in entries.lazy.map(\.tlsReasonNumber) {
      if let error = connection(with: host, tlsReasonNumber: number) { return error }
    }
    let reasons = entries.map(\.reason)
    let isPeersDoing = entries.contains { $0.tlsReasonNumber != nil }
    return isPeersDoing
      ? .protocolViolated(host: host, reasons: reasons)
      : .callFailed(call: call, reasons: reasons)
  }

  /// The reasons of the SSL library that have a case of their own.
  private static func connection(with host: String, tlsReasonNumber: Int32) -> TLSError? {
    switch tlsReasonNumber {
    case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST:
      return .notTLS(host: host)
    case SSL_R_UNSUPPORTED_PROTOCOL:
      return .versionUnsupported(host: host)
    // "Alert n received" is reason number 1000 + n, and alerts have one byte.
    case SSL_AD_REASON_OFFSET...(SSL_AD_REASON_OFFSET + 255):
      let code = tlsReasonNumber - SSL_AD_REASON_OFFSET
      return .alertReceived(host: host, code: UInt8(code), name: alertName(code))
    default:
      return nil
    }
  }

  /// The name of an alert (RFC 8446 §6). OpenSSL 3.0 has none for two that TLS 1.3 brought.
  private static func alertName(_ code: Int32) -> String {
    switch code {
    case 109: "missing extension"
    case 116: "certificate required"
    default: String(cString: SSL_alert_desc_string_long(code))
    }
  }
}
