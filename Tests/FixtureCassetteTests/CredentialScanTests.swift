import FixtureHTTP
import Testing

@testable import FixtureCassette

@Suite struct `Looking for credentials` {
  private static let letters = "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3AaBbCcDdEeFfGgHhIiJjKkLlMm"

  private func letters(_ count: Int) -> String { String(Self.letters.prefix(count)) }

  private func shapes(_ text: String) -> [String] {
    Array(text.utf8).withUnsafeBytes { CredentialShape.all(in: $0).map(\.name) }
  }

  @Test func `tokens are known by how they begin and how long they are`() {
    #expect(shapes("x AKIAIOSFODNN7EXAMPLE y") == ["AWS access key AKIA…"])
    #expect(shapes("AKIAIOSFODNN7EXAMPLEX") == [])
    #expect(shapes("xAKIAIOSFODNN7EXAMPLE") == [])
    #expect(shapes("ghp_\(letters(36))") == ["GitHub token ghp_…"])
    #expect(shapes("ghp_\(letters(35))") == [])
    #expect(shapes("\"github_pat_\(letters(22))_\(letters(30))\"") == ["GitHub token github_pat_…"])
    #expect(shapes("xoxb-1234567890-abc") == ["Slack token xoxb-…"])
    #expect(shapes("sk_live_\(letters(24))") == ["Stripe key sk_live_…"])
    #expect(shapes("AIza\(letters(35))") == ["Google API key AIza…"])
    #expect(shapes("a b c") == [])
  }

  @Test func `private keys, web tokens, credentials and passwords in URLs are known`() {
    #expect(
      shapes("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----")
        == ["private key"])
    #expect(shapes("-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----") == [])
    let token = "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9"
    #expect(shapes("(\(token).\(letters(22)))") == ["JSON Web Token eyJ…"])
    #expect(shapes("\(token).REDACTED-1") == [])
    #expect(shapes("Authorization: Basic dXNlcjpwYXNz") == ["Basic credentials"])
    #expect(shapes("Basic training") == [])
    #expect(shapes("Bearer \(letters(20))") == ["Bearer token"])
    #expect(shapes("Bearer REDACTED-12") == [])
    #expect(shapes("https://me:pass@a.test/") == ["password in a URL"])
    #expect(shapes("https://me:REDACTED-1@a.test/ mailto:a@b.test http://a:80/@x") == [])
  }

  private func findings(_ content: String, _ kind: ContentKind) -> [String] {
    var scan = CredentialScan(rules: RedactionRules())
    Array(content.utf8).withUnsafeBytes { scan.scan(.response, content: $0, kind) }
    return scan.findings.map {
      "\(String(decoding: $0.place, as: UTF8.self)): \($0.what), \($0.count)"
    }
  }

  @Test func `content is taken apart to say where`() {
    #expect(
      findings(#"{"a":[{"password":"x"},"AKIAIOSFODNN7EXAMPLE"],"password":"REDACTED-1"}"#, .json)
        == [
          "response content /a/0/password: secret, 1",
          "response content /a/1: AWS access key AKIA…, 20",
        ])
    #expect(
      findings(#"{"upload_token":"\#(letters(20))","next_page_token":"\#(letters(20))"}"#, .json)
        == ["response content /upload_token: random value under a telling name, 20"])
    #expect(findings(#"{"upload_token":"see the manual","n":1}"#, .json) == [])
    #expect(findings("user=me&password=x", .form) == ["response content password: secret, 1"])
    #expect(
      findings("data: {\"token\":\"x\"}\n\n", .bytes)
        == ["response content line 1 /token: secret, 1"])
    #expect(
      findings("key AKIAIOSFODNN7EXAMPLE", .bytes)
        == ["response content: AWS access key AKIA…, 20"])
    #expect(
      findings(
        "--A\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nx\r\n--A--",
        .multipart(boundary: [0x41])) == ["response content part token: secret, 1"])
  }

  @Test func `fields within content and what stands below secret names are told`() {
    #expect(
      findings(
        "--A\r\nAuthorization: Bearer x\r\nContent-Type: application/http\r\n\r\n"
          + "GET /a?token=y HTTP/1.1\r\nCookie: a=b; c=REDACTED-1\r\n\r\n\r\n--A--",
        .multipart(boundary: [0x41])) == [
          "response content part  field Authorization: secret, 1",
          "response content part  query token: secret, 1",
          "response content part  field Cookie: secret, 1",
        ])
    #expect(
      findings(
        #"{"token":{"value":"abc","n":1,"x":["REDACTED-1",""]},"a":{"secret":["d",{"e":"f"}]}}"#,
        .json) == [
          "response content /token/value: value below a secret name, 3",
          "response content /a/secret/0: secret, 1",
          "response content /a/secret/1/e: value below a secret name, 1",
        ])
  }

  @Test func `values are texts too`() {
    let value = letters(20)
    #expect(
      findings(#"{"query":"{ login(passphrase: \"\#(value)\") { id } }"}"#, .json)
        == ["response content /query passphrase: random value under a telling name, 20"])
    #expect(
      findings("url=%2Fa%3Fupload_token%3D\(value)", .form)
        == ["response content url upload_token: random value under a telling name, 20"])
  }

  @Test func `a secret is not told by the name it stands under`() {
    #expect(
      findings(#"{"AKIAIOSFODNN7EXAMPLE":{"password":"x"}}"#, .json)
        == ["response content /…/password: secret, 1"])
  }

  @Test func `heads and trailers are looked at, and what redaction left is clean`() {
    var interaction = Interaction(
      id: 1, startedAt_us: 0, scheme: "http", authority: "a.test",
      request: RequestHead(
        method: .get, target: Array("/AKIAIOSFODNN7EXAMPLE?token=abc&a=b".utf8),
        fields: FieldSection()))
    interaction.request.fields.append("Cookie", "sid=abc; theme=")
    interaction.request.fields.append("X-Own-Token", letters(24))
    interaction.request.fields.append("ETag", "\"\(letters(24))\"")
    interaction.requestTrailers.append("Authorization", "Bearer x")
    var scan = CredentialScan(rules: RedactionRules())
    scan.scan(interaction)
    #expect(
      scan.findings.map { String(decoding: $0.place, as: UTF8.self) } == [
        "path", "query token", "request field Cookie", "request field X-Own-Token",
        "request trailer Authorization",
      ])
    var redactor = Redactor(rules: RedactionRules(), count: 0)
    interaction.request.target = Array("/?token=abc".utf8)
    interaction.request.fields = FieldSection()
    interaction.request.fields.append("Cookie", "sid=abc; theme=dark")
    redactor.redact(&interaction)
    var again = CredentialScan(rules: RedactionRules())
    again.scan(interaction)
    #expect(again.findings == [])
  }

  @Test(arguments: [
    ("<login><password>$</password></login>", "password"),
    ("<wsse:Password Type=\"text\">\n  $\n</wsse:Password>", "Password"),
    ("user: me\npassword: $\n", "password"),
    ("<input type=hidden name=\"session_id\" value=\"$\">", "session_id"),
    ("<meta name='api-key' content='$'>", "api-key"),
    ("mutation { login(user: \"a\", password: \"$\") { token } }", "password"),
    ("callback({\"access_token\":\"$\"});", "access_token"),
    ("{\\\"secret\\\": \\\"$\\\"}", "secret"), ("DB_PASSWORD=$\nDB_HOST=x", "DB_PASSWORD"),
  ])
  func `a random value behind a telling name in any text is told`(
    template: String, name: String
  ) {
    let value = letters(20)
    #expect(
      findings(template.replacing("$", with: value), .bytes)
        == ["response content \(name): random value under a telling name, 20"])
    #expect(findings(template.replacing("$", with: "REDACTED-12"), .bytes) == [])
    #expect(findings(template.replacing("$", with: "see the manual"), .bytes) == [])
  }

  @Test(arguments: [
    "token", "token:", "token=", "<token", "<token>", "token = window.session1Token2Store3.get()",
    "authToken=e1d2c3b4a5f6g7h8i9(t)", "<session>text</session> 0aB1cD2eF3gH4iJ5kL6m",
    "src=\"/session-0aB1cD2eF3gH4iJ5kL6m.js\"", "next_token: 0aB1cD2eF3gH4iJ5kL6m",
  ])
  func `what is no value of such a name is not`(text: String) {
    #expect(findings(text, .bytes) == [])
  }
}
