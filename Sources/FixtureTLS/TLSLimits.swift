/// The bounds of the engine's buffers.
package enum TLSLimits {
  /// Ciphertext waiting to be taken beyond which `write` accepts no more plaintext, in bytes:
  /// sixteen full records. One record and its framing may lie above it.
  package static let pendingCiphertextMax = 256 * 1024

  /// Ciphertext received and not yet read, in bytes. A driver receives what one read of its socket
  /// brought and reads until `wantsMore`, so this is never reached by accident.
  package static let unreadCiphertextMax = 16 * 1024 * 1024
}
