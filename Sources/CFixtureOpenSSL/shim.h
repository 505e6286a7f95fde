// OpenSSL for Swift, with functions for what the importer cannot see: most of OpenSSL's interface
// is macros over SSL_ctrl and over the type-safe stacks.
#pragma once
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/// SSL_CTX_set_min_proto_version is a macro over SSL_CTX_ctrl. Returns 1 for success.
static inline int fixture_ssl_ctx_set_min_proto_version(SSL_CTX *context, int version) {
  return (int)SSL_CTX_set_min_proto_version(context, version);
}

/// SSL_CTX_set_mode is a macro over SSL_CTX_ctrl. Returns the new set of modes.
static inline long fixture_ssl_ctx_set_mode(SSL_CTX *context, long mode) {
  return SSL_CTX_set_mode(context, mode);
}

/// SSL_CTX_set_session_cache_mode is a macro over SSL_CTX_ctrl. Returns the previous mode.
static inline long fixture_ssl_ctx_set_session_cache_mode(SSL_CTX *context, long mode) {
  return SSL_CTX_set_session_cache_mode(context, mode);
}

/// SSL_OP_NO_RENEGOTIATION is a macro with a cast, which Swift does not import.
static inline uint64_t fixture_ssl_op_no_renegotiation(void) {
  return SSL_OP_NO_RENEGOTIATION;
}

/// SSL_set_tlsext_host_name is a macro over SSL_ctrl that casts const away. Returns 1 for success.
static inline int fixture_ssl_set_server_name(SSL *session, const char *name) {
  return (int)SSL_set_tlsext_host_name(session, name);
}

/// SSL_set_app_data is a macro over SSL_set_ex_data. Returns 1 for success.
static inline int fixture_ssl_set_app_data(SSL *session, void *data) {
  return SSL_set_app_data(session, data);
}

/// SSL_get_app_data is a macro; this one finds it from inside a verification callback.
static inline void *fixture_x509_store_ctx_get_app_data(X509_STORE_CTX *store) {
  SSL *session =
      (SSL *)X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
  return session == NULL ? NULL : SSL_get_app_data(session);
}

/// SSL_select_next_proto writes through a pointer to non-const, where the ALPN callback has const.
static inline int fixture_ssl_select_next_proto(
    const unsigned char **selected, unsigned char *selected_length,
    const unsigned char *server, unsigned int server_length,
    const unsigned char *client, unsigned int client_length) {
  return SSL_select_next_proto(
      (unsigned char **)selected, selected_length, server, server_length, client, client_length);
}

/// X509_get_ext_d2i returns void *, and GENERAL_NAMES is a stack type that macros declare.
static inline GENERAL_NAMES *fixture_x509_subject_alternative_names(const X509 *certificate) {
  return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}

/// sk_GENERAL_NAME_num is a macro. Returns -1 for NULL.
static inline int fixture_general_names_count(const GENERAL_NAMES *names) {
  return sk_GENERAL_NAME_num(names);
}

/// sk_GENERAL_NAME_value is a macro. Returns NULL for an index out of range.
static inline const GENERAL_NAME *fixture_general_names_value(
    const GENERAL_NAMES *names, int index) {
  return sk_GENERAL_NAME_value(names, index);
}
