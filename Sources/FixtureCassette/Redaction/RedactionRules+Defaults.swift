extension RedactionRules {
  /// Fields that are redacted without being asked for, by lower case name.
  ///
  /// Names that end like a secret but are none stay out (`WWW-Authenticate` is a challenge, a
  /// continuation token is a position): an unlisted field is never touched, `--redact` adds it.
  package static let fieldDefaults: [[UInt8]: FieldPlace] = {
    var places: [[UInt8]: FieldPlace] = [:]
    for (place, names) in fieldNames {
      for name in names { places[Array(name.utf8)] = place }
    }
    return places
  }()

  /// Query names that are redacted without being asked for: decoded, in lower case.
  package static let queryDefaults: [[UInt8]] = queryNames.map { Array($0.utf8) }

  /// Names in forms, of parts and in JSON that are redacted without being asked for, as
  /// `queryDefaults`. A `code` is left there: it is a country or an error more often than a secret.
  package static let contentDefaults = queryDefaults.filter { !$0.elementsEqual("code".utf8) }

  private static let fieldNames: [(FieldPlace, [String])] = [
    (.credentials, ["authorization", "proxy-authorization"]),
    (.cookies, ["cookie"]),
    (.setCookie, ["set-cookie"]),
    (.reference, ["content-location", "location", "referer"]),
    (.links, ["link"]),
    (.refresh, ["refresh"]),
    (
      .whole,
      [
        // API keys under their common names …
        "api-key", "apikey", "x-api-key", "x-apikey", "x-api-secret", "x-api-token",
        "access-token", "auth-token", "x-access-token", "x-auth-key", "x-auth-token",
        "x-client-secret", "x-id-token", "x-refresh-token", "x-session-token", "x-token",
        // … tokens against forged requests …
        "csrf-token", "x-csrf-token", "x-csrftoken", "x-xsrf-token",
        // … and what large services call theirs.
        "cf-access-client-secret", "cf-access-jwt-assertion", "dd-api-key", "dd-application-key",
        "job-token", "ocp-apim-subscription-key", "private-token", "x-algolia-api-key",
        "x-amz-security-token", "x-amzn-oidc-accesstoken", "x-amzn-oidc-data", "x-figma-token",
        "x-firebase-appcheck", "x-forwarded-access-token", "x-functions-key", "x-gitlab-token",
        "x-goog-api-key", "x-goog-iap-jwt-assertion", "x-honeycomb-team",
        "x-ms-token-aad-access-token", "x-ms-token-aad-id-token", "x-parse-rest-api-key",
        "x-parse-session-token", "x-postmark-server-token", "x-rapidapi-key",
        "x-shopify-access-token", "x-vault-token",
      ]
    ),
  ]

  private static let queryNames = [
    // Tokens and keys.
    "token", "access_token", "refresh_token", "id_token", "auth_token", "session_token",
    "oauth_token", "jwt", "api_key", "apikey", "api-key", "x-api-key", "subscription-key",
    "accesstoken", "refreshtoken", "idtoken", "authtoken", "sessiontoken", "oauthtoken",
    // Passwords and OAuth (RFC 6749, RFC 7521, RFC 7636); `state` is compared by the client.
    "password", "passwd", "pwd", "secret", "client_secret", "client_assertion", "assertion",
    "code", "code_verifier", "oauth_signature", "oauth_verifier", "clientsecret",
    "clientassertion", "codeverifier",
    // Signed URLs: S3, Google Cloud Storage, CloudFront, Azure.
    "x-amz-signature", "x-amz-credential", "x-amz-security-token", "x-goog-signature",
    "x-goog-credential", "awsaccesskeyid", "googleaccessid", "signature", "sig",
  ]
}
