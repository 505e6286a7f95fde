import FixtureCoding
import FixtureHTTP
import Testing

@testable import FixtureCassette

@Suite struct `Redaction of content` {
  @Test(arguments: [
    (#"{"access_token":"s3cret","n":1}"#, #"{"access_token":"REDACTED-1","n":1}"#),
    (#"{"a":[{"Password" : "s3cret"},"token"]}"#, #"{"a":[{"Password" : "REDACTED-1"},"token"]}"#),
    (
      #"{"accessToken":"a","id_token":"b","x":"a"}"#,
      #"{"accessToken":"REDACTED-1","id_token":"REDACTED-2","x":"a"}"#
    ),
    (#"{"token":"a\/b","secret":"a/b"}"#, #"{"token":"REDACTED-1","secret":"REDACTED-1"}"#),
    (#"{"t\u006fken":"a"}"#, #"{"t\u006fken":"REDACTED-1"}"#),
    (#"{"token":["a","b",1,{"c":"d"}]}"#, #"{"token":["REDACTED-1","REDACTED-2",1,{"c":"d"}]}"#),
    // Types stay, and so does what is no secret.
    (
      #"{"token":null,"secret":12,"password":true,"api_key":""}"#,
      #"{"token":null,"secret":12,"password":true,"api_key":""}"#
    ),
    (
      #"{"token":{"id":"a"},"code":"US","next_token":"b"}"#,
      #"{"token":{"id":"a"},"code":"US","next_token":"b"}"#
    ),
    (#"{"token":"REDACTED-7"}"#, #"{"token":"REDACTED-7"}"#),
    (
      #"{"key":"AIzaSyA1234567890123456789012345678901x","k":{"key":"a"}}"#,
      #"{"key":"REDACTED-1","k":{"key":"a"}}"#
    ),
    // References and JSON inside strings.
    (
      #"{"url":"https:\/\/a.test\/b?X-Amz-Signature=abc&n=1"}"#,
      #"{"url":"https://a.test/b?X-Amz-Signature=REDACTED-1&n=1"}"#
    ),
    (
      #"{"url":"https://u:p@a.test/","mail":"a@b.test","q":"what?"}"#,
      #"{"url":"https://REDACTED-1@a.test/","mail":"a@b.test","q":"what?"}"#
    ),
    (#"{"body":"{\"token\":\"abc\"}"}"#, #"{"body":"{\"token\":\"REDACTED-1\"}"}"#),
    // What was cut, or is no JSON, loses more rather than less.
    (#"{"user":{"password":"s3cr"#, #"{"user":{"password":"REDACTED-1"#),
    (#"callback({"token":"abc","a":"b"});"#, #"callback({"token":"REDACTED-1","a":"b"});"#),
  ])
  func `JSON loses the strings of secret names`(_ content: String, _ expected: String) {
    #expect(redacted(content, "application/json") == expected)
    #expect(redacted(content, "application/problem+json; charset=utf-8") == expected)
    if content.first == "{", content.last == "}" {
      #expect(redacted(content, "text/plain") == expected)
      #expect(redacted(content, nil) == expected)
    }
  }

  @Test func `a rule names members of JSON at any depth, or one place`() {
    #expect(
      redacted(
        #"{"a":{"Pin":1234,"b":["x",{"pin":"9"}]},"pin":{"c":"d","e":[5,true,null,0]}}"#,
        "application/json", ["json:pin"])
        == #"{"a":{"Pin":0,"b":["x",{"pin":"REDACTED-1"}]},"#
        + #""pin":{"c":"REDACTED-2","e":[0,true,null,0]}}"#
    )
    #expect(
      redacted(
        #"{"a":[{"b":"x"},{"b":"y"}],"b":"x","c~/":7}"#, "application/json",
        ["json:/a/1/b", "json:/c~0~1"])
        == #"{"a":[{"b":"x"},{"b":"REDACTED-1"}],"b":"x","c~/":0}"#)
    #expect(
      redacted(#"["a","b"]"#, "application/json", ["json:/1"]) == #"["a","REDACTED-1"]"#)
    #expect(
      redacted(#"{"Token":7,"token":"a"}"#, "application/json", ["json:token"])
        == #"{"Token":0,"token":"REDACTED-1"}"#)
  }

  @Test func `content in which a place can't be found is not stored`() {
    var redactor = redactor(["json:/a"])
    var draft = draft(#"{"a":"#, "application/json")
    let exceptions = redactor.redact(&draft)
    #expect(exceptions == [Redactor.Exception(side: .response, omission: .placesUnknown)])
    #expect(draft.responseBody == .absent)
    #expect(draft.interaction.notes == [.contentOmitted])
  }

  @Test(arguments: [
    (
      "{\"token\":\"a\"}\n{\"n\":1}\n{\"token\":\"b\"}", "application/x-ndjson",
      "{\"token\":\"REDACTED-1\"}\n{\"n\":1}\n{\"token\":\"REDACTED-2\"}"
    ),
    (
      "{\"n\":1}\r\n{\"token\":\"a", "application/x-ndjson",
      "{\"n\":1}\r\n{\"token\":\"REDACTED-1"
    ),
    (
      "event: a\ndata: {\"token\":\"a\"}\n\ndata:{\"token\":\"b\"}\r\n\r\ndata: token\n\n",
      "text/event-stream",
      "event: a\ndata: {\"token\":\"REDACTED-1\"}\n\ndata:{\"token\":\"REDACTED-2\"}\r\n\r\n"
        + "data: token\n\n"
    ),
    (
      "data: {\ndata: \"token\":\nid: 7\ndata: \"a\"}\n\ndata: [1,\ndata: {\"token\":\"b\"}]",
      "text/event-stream",
      "data: {\ndata: \"token\":\nid: 7\ndata: \"REDACTED-1\"}\n\n"
        + "data: [1,\ndata: {\"token\":\"REDACTED-2\"}]"
    ),
    ("access_token=a%2Fb&expires=60", "text/plain", "access_token=REDACTED-1&expires=60"),
    ("the token=abc of all", "text/plain", "the token=abc of all"),
    (
      "<a href='/?token=1'>{\"token\":\"a\"}</a>", "text/html",
      "<a href='/?token=1'>{\"token\":\"REDACTED-1\"}</a>"
    ),
    (
      "/**/cb({\"n\":[{\"token\":\"a\\/b\"}],\"s\":\"a/b c\"});\n", "application/javascript",
      "/**/cb({\"n\":[{\"token\":\"REDACTED-1\"}],\"s\":\"a/b c\"});\n"
    ),
    (
      "cb(200, {\"token\": \"a\"})", "text/javascript; charset=utf-8",
      "cb(200, {\"token\": \"REDACTED-1\"})"
    ),
    (
      "(function(){\nvar s = {\"token\" : \"a\", \"b\": \"c\"};\n})()", "text/javascript",
      "(function(){\nvar s = {\"token\" : \"REDACTED-1\", \"b\": \"c\"};\n})()"
    ),
    (
      "POST /a?token=x&n=1 HTTP/1.1\r\nAuthorization: Bearer abc\r\n"
        + "Content-Type: application/json\r\n\r\n{\"password\":\"p\"}",
      "application/http",
      "POST /a?token=REDACTED-1&n=1 HTTP/1.1\r\nAuthorization: Bearer REDACTED-2\r\n"
        + "Content-Type: application/json\r\n\r\n{\"password\":\"REDACTED-3\"}"
    ),
    (
      "HTTP/1.1 200 OK\nSet-Cookie: a=b; Path=/\nX-N: Bearer abc\n\ntoken=c", "application/http",
      "HTTP/1.1 200 OK\nSet-Cookie: a=REDACTED-1; Path=/\nX-N: Bearer abc\n\ntoken=REDACTED-2"
    ),
    ("GET /a or so\nAuthorization: none", "text/plain", "GET /a or so\nAuthorization: none"),
  ])
  func `lines, events and pairs are told by their shape`(
    _ content: String, _ type: String, _ expected: String
  ) {
    #expect(redacted(content, type) == expected)
  }

  @Test(arguments: [
    ("<a><password>s3cret</password></a>", "<a><password>REDACTED-1</password></a>"),
    (
      "<?xml version='1.0'?>\n<s:E xmlns:s='u'><w:Password Type=\"t\">\n s&amp;3 \n</w:Password></s:E>",
      "<?xml version='1.0'?>\n<s:E xmlns:s='u'><w:Password Type=\"t\">\n REDACTED-1 \n</w:Password></s:E>"
    ),
    (
      "<c token='a' n=\"1\" x:secret = \"b>c\"/><token/><token></token>",
      "<c token='REDACTED-1' n=\"1\" x:secret = \"REDACTED-2\"/><token/><token></token>"
    ),
    (
      "<token><![CDATA[a<b]]></token><token>a<b/></token><token>a&#60;b</token>",
      "<token><![CDATA[REDACTED-1]]></token><token>a<b/></token><token>REDACTED-1</token>"
    ),
    (
      "<!-- <token>a</token> --><pin>7</pin><n>token</n></token><token>cut",
      "<!-- <token>a</token> --><pin>REDACTED-1</pin><n>token</n></token><token>cut"
    ),
    ("<p>a < b, token='c' <token>", "<p>a < b, token='c' <token>"),
    ("<token>REDACTED-1</token>", "<token>REDACTED-1</token>"),
  ])
  func `XML loses the text of elements and attributes with secret names`(
    _ content: String, _ expected: String
  ) {
    for type in ["application/xml", "text/xml; charset=utf-8", "application/soap+xml"] {
      #expect(redacted(content, type, ["json:pin"]) == expected)
    }
  }

  @Test(arguments: [
    ("user=me&password=s%33cret&b=+", "user=me&password=REDACTED-1&b=+"),
    ("password=&password&=x&&token=a", "password=&password&=x&&token=REDACTED-1"),
    ("user[password]=a&code=b&tokens=c", "user[password]=REDACTED-1&code=b&tokens=c"),
    ("next=https%3A%2F%2Fa.test%2F%3Fcode%3Dx", "next=https%3A%2F%2Fa.test%2F%3Fcode%3DREDACTED-1"),
    ("j=%7B%22token%22%3A%22a%22%7D", "j=%7B%22token%22%3A%22REDACTED-1%22%7D"),
    ("PIN=1", "PIN=REDACTED-1"),
  ])
  func `forms lose the values of secret names`(_ content: String, _ expected: String) {
    #expect(
      redacted(content, "application/x-www-form-urlencoded", ["form:pin"]) == expected)
  }

  @Test(arguments: [
    ("grant_type=authorization_code&code=abc", "grant_type=authorization_code&code=REDACTED-1"),
    ("code=abc&grant_type=x", "code=REDACTED-1&grant_type=x"),
    ("code=US&my_grant_type=x", "code=US&my_grant_type=x"), ("code=US", "code=US"),
  ])
  func `a code is one where a form asks for an access token`(_ content: String, expected: String) {
    #expect(redacted(content, "application/x-www-form-urlencoded") == expected)
  }

  @Test func `a multipart that broke off loses secret parts too`() {
    let type = "multipart/form-data; boundary=AAA"
    let start = "--AAA\r\nContent-Disposition: form-data; name="
    #expect(
      redacted("\(start)password\r\n\r\ns3cr", type) == "\(start)password\r\n\r\nREDACTED-1")
    #expect(
      redacted("\(start)token\r\n\r\na\r\n\(start)n\r\n\r\nb\r\n", type)
        == "\(start)token\r\n\r\nREDACTED-1\r\n\(start)n\r\n\r\nb\r\n")
  }

  @Test func `multipart contents lose secret parts and what parts hold`() {
    let type = "multipart/form-data; boundary=AAA"
    func part(_ fields: String, _ content: String) -> String {
      "--AAA\r\nContent-Disposition: form-data; \(fields)\r\n\r\n\(content)\r\n"
    }
    let json = "name=\"j\"\r\nContent-Type: application/json"
    let picture = "name=\"p\"; filename=\"p\"\r\nContent-Type: image/png"
    let given =
      part("name=\"password\"", "line\r\nbreak") + part("name=\"n\"", "v")
      + part(json, "{\"token\":\"a\"}") + part(picture, "{\"token\":\"a\"}") + "--AAA--\r\n"
    let expected =
      part("name=\"password\"", "REDACTED-1") + part("name=\"n\"", "v")
      + part(json, "{\"token\":\"REDACTED-2\"}") + part(picture, "{\"token\":\"a\"}")
      + "--AAA--\r\n"
    #expect(redacted(given, type) == expected)
  }

  @Test func `fields of parts, and of messages in them, are as those of any message`() {
    let type = "multipart/mixed; boundary=B"
    func parts(_ secrets: String...) -> String {
      "--B\r\nContent-Type: application/http\r\nAuthorization: Basic \(secrets[0])\r\n\r\n"
        + "GET /a HTTP/1.1\r\nCookie: a=\(secrets[1])\r\nX-Api-Key:\(secrets[2])\r\n\r\n\r\n"
        + "--B\r\nAuthorization: \(secrets[3])\r\nContent-Type: image/png\r\n\r\n"
        + "GET /a\r\nCookie: a=b\r\n--B--\r\n"
    }
    // A line that goes on loses more rather than less.
    #expect(
      redacted(parts("s1", "s2", "s3", "Bearer\r\n  s4"), type)
        == parts("REDACTED-1", "REDACTED-2", "REDACTED-3", "REDACTED-4"))
  }

  @Test func `parts within parts lose their secrets however deep they lie`() {
    var content = "{\"token\":\"a\"}"
    for level in 0..<200 {
      content =
        "--\(level)\r\nContent-Type: multipart/mixed; boundary=\(level - 1)\r\n\r\n"
        + "\(content)\r\n--\(level)--\r\n"
    }
    #expect(!redacted(content, "multipart/mixed; boundary=199").contains("\"a\""))
  }

  @Test func `a token that says who it is for still says when`() throws {
    // {"alg":"HS256","typ":"JWT"} . {"sub":"me","exp":1700000000,"a":[1],"iat":1}
    let token =
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
      + "eyJzdWIiOiJtZSIsImV4cCI6MTcwMDAwMDAwMCwiYSI6WzFdLCJpYXQiOjF9."
      + "c2lnbmF0dXJlLXNpZ25hdHVyZQ"
    let claims = "eyJleHAiOjE3MDAwMDAwMDAsImlhdCI6MX0"  // {"exp":1700000000,"iat":1}
    let expected = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.\(claims).REDACTED-1"
    #expect(
      redacted("{\"id_token\":\"\(token)\"}", "application/json")
        == "{\"id_token\":\"\(expected)\"}")
    #expect(Placeholder(Array(expected.utf8)) == Placeholder(number: 1))
    // A signature has to be base64, of which one character alone is none.
    let long = try #require(JSONWebToken(Array(token.utf8))?.redacted(Placeholder(number: 1234)))
    #expect(String(decoding: long, as: UTF8.self).hasSuffix(".REDACTED-1234_"))
    #expect(Placeholder(long) == Placeholder(number: 1234))
    #expect(JSONWebToken(Array("a.b.c".utf8)) == nil)
  }

  @Test(arguments: ["gzip", "deflate", "br", "zstd", "gzip, br", "x-gzip"])
  func `coded content is coded again`(_ codings: String) throws {
    var fields = FieldSection()
    fields.append("Content-Encoding", codings)
    let list = ContentCoding.list(of: fields)
    let coded = try ContentEncoder.encoded(Array(#"{"token":"abc"}"#.utf8), list)
    var draft = draft(coded, "application/json", codings)
    var redactor = redactor([])
    let exceptions = redactor.redact(&draft)
    #expect(exceptions == [])
    guard case .bytes(let bytes) = draft.responseBody else {
      Issue.record("no content")
      return
    }
    let decoded = DecodedContent(bytes, list, bytesMax: 1 << 20)
    #expect(
      decoded == DecodedContent(Array(#"{"token":"REDACTED-1"}"#.utf8), [], bytesMax: 1 << 20))
    let response = try #require(draft.interaction.response)
    #expect(
      response.head.fields.first(.contentLength)?.elementsEqual("\(bytes.count)".utf8) == true)
    #expect(response.arrivals.pieces.reduce(0) { $0 + $1.count } == Int64(bytes.count))
  }

  @Test func `content that can't be decoded is left out, unless it is asked for or no text`() {
    let bytes: [UInt8] = [0xFF, 0, 1, 2]
    for (type, coding, isOmitted) in [
      ("application/json", "gzip", true), ("application/json", "dcb", true),
      ("image/png", "gzip", false), (nil, "dcb", false),
    ] {
      var draft = draft(bytes, type, coding)
      let given = draft
      var redactor = redactor([])
      let exceptions = redactor.redact(&draft)
      #expect(exceptions.isEmpty != isOmitted)
      #expect(draft.responseBody == (isOmitted ? .absent : .bytes(bytes)))
      #expect(draft.interaction.notes == (isOmitted ? [.contentOmitted] : []))
      draft = given
      let same = redactor.redact(&draft, storesUnredacted: true)
      #expect(same == exceptions)
      #expect(draft == given)
    }
  }

  @Test func `a coding that was named and not applied is no coding`() {
    #expect(
      redacted(#"{"token":"a"}"#, "application/json", [], "gzip") == #"{"token":"REDACTED-1"}"#)
    #expect(
      redacted(#"{"token":"a"}"#, "application/json", [], "utf-8") == #"{"token":"REDACTED-1"}"#)
  }

  @Test func `lengths and arrivals follow the content`() throws {
    let content = #"{"a":"1","token":"123456789012345678","b":"2"}"#
    var draft = draft(content, "application/json")
    draft.interaction.response?.arrivals = arrivals([9, 15, 10, content.utf8.count - 34])
    var redactor = redactor([])
    _ = redactor.redact(&draft)
    let response = try #require(draft.interaction.response)
    // The second piece ends, and the third begins, inside the secret.
    #expect(response.arrivals == arrivals([9, 19, 10]))
    #expect(response.head.fields.first(.contentLength)?.elementsEqual("38".utf8) == true)
  }

  @Test func `a digest of what was there is noted`() {
    var draft = draft(#"{"token":"a"}"#, "application/json")
    draft.interaction.response?.head.fields.append("Content-Digest", "sha-256=:abc=:")
    var redactor = redactor([])
    _ = redactor.redact(&draft)
    #expect(draft.interaction.notes == [.redacted, .digestStale])
  }

  @Test func `content without a secret keeps its bytes and its coding's`() throws {
    let coded = try ContentEncoder.encoded(Array(#"{"a":"b"}"#.utf8), [.gzip]) + [1, 2, 3]
    let given = draft(coded, "application/json", "gzip")
    var draft = given
    var redactor = redactor([])
    let exceptions = redactor.redact(&draft)
    #expect(exceptions == [])
    #expect(draft == given)
  }
}

// MARK: Support

func redactor(_ words: [String]) -> Redactor {
  do {
    return Redactor(rules: try RedactionRules(adding: words), count: 0)
  } catch {
    preconditionFailure("\(words): \(error)")
  }
}

func arrivals(_ counts: [Int]) -> Arrivals {
  var arrivals = Arrivals()
  for count in counts { arrivals.append(offset_us: 0, count: Int64(count)) }
  return arrivals
}

/// A GET whose response has this content.
func draft(_ content: [UInt8], _ type: String?, _ coding: String? = nil) -> InteractionDraft {
  var fields = FieldSection()
  if let type { fields.append("Content-Type", type) }
  if let coding { fields.append("Content-Encoding", coding) }
  fields.append("Content-Length", "\(content.count)")
  var interaction = Interaction(
    id: 1, startedAt_us: 0, scheme: "http", authority: "a.test",
    request: RequestHead(method: .get, target: [0x2F], fields: FieldSection()))
  interaction.response = RecordedResponse(
    head: ResponseHead(status: 200, reason: [], fields: fields), framing: .length,
    arrivals: content.isEmpty ? Arrivals() : arrivals([content.count]))
  return InteractionDraft(
    interaction: interaction, requestBody: .absent, responseBody: .bytes(content))
}

func draft(_ content: String, _ type: String?) -> InteractionDraft {
  draft(Array(content.utf8), type)
}

/// The content of a response after redaction, and again after a second one.
func redacted(
  _ content: String, _ type: String?, _ words: [String] = [], _ coding: String? = nil
) -> String {
  var redactor = redactor(words)
  var draft = draft(Array(content.utf8), type, coding)
  let exceptions = redactor.redact(&draft)
  let once = draft
  let again = redactor.redact(&draft)
  #expect(exceptions == [] && again == [])
  #expect(draft == once)
  guard case .bytes(let bytes) = draft.responseBody else { return "no content" }
  return String(decoding: bytes, as: UTF8.self)
}
