import Testing

/// A line of the parity table.
struct Row: Sendable, CustomTestStringConvertible {
  /// As it stands in the table.
  let name: String
  let rule: String
  var asks: [Ask]
  /// Of the client, in whole seconds.
  var timeout: Double = 10
  /// All of it takes at least so many seconds, with either engine.
  var takes: Double = 0
  /// Why the server is not asked by a URLSession of this platform; nil: it is.
  var unasked: String?
  /// How the stub gets the same, or what is not the same; nil: as the server does.
  var emulation: String?
  /// What the stub gives where that is not the same: the lines of `Seen`, or their beginnings.
  var stubSees: [String]?
  /// What the stub refuses it with; nil: it does it.
  var refusal: String?

  init(
    _ name: String, _ rule: String, _ asks: [Ask], timeout: Double = 10,
    takes: Double = 0, unasked: String? = nil, emulated emulation: String? = nil,
    stubSees: [String]? = nil, refused refusal: String? = nil
  ) {
    self.name = name
    self.rule = rule
    self.asks = asks
    self.timeout = timeout
    self.takes = takes
    self.unasked = unasked
    self.emulation = emulation
    self.stubSees = stubSees
    self.refusal = refusal
  }

  var testDescription: String { name }
}

private let get = Ask("GET /json")
private let post = Ask("POST /post", body: "hello")

/// Every kind of recorded answer.
let answerRows: [Row] = [
  Row("a length", "", [get, Ask("GET /large"), Ask("GET /empty")]),
  Row("204", "", [Ask("GET /no-content"), Ask("DELETE /delete")]),
  Row("HEAD", "", [Ask("HEAD /json")]),
  Row("conditions, 304", "", [Ask("GET /json", ["If-None-Match": "\"v1\""]), get]),
  Row(
    "ranges, 206, 416", "",
    [
      Ask("GET /json", ["Range": "bytes=0-3"]), Ask("GET /json", ["Range": "bytes=900-"]),
      Ask("GET /json", ["Range": "bytes=0-3", "If-Range": "\"v2\""]),
    ]),
  Row("chunked", "", [Ask("GET /chunked")]),
  Row("until the connection ends", "", [Ask("GET /until-close")]),
  Row("4xx, 5xx with content", "", [Ask("GET /http-error"), Ask("GET /unavailable")]),
  Row("interim responses", "", [Ask("GET /interim")]),
  Row("repeated fields", "", [Ask("GET /repeated")]),
  Row("`Set-Cookie`", "", [Ask("GET /cookie"), Ask("GET /whoami")]),
  Row("gzip", "", [Ask("GET /gzip")]),
  Row(
    "gzip that breaks off", "", [Ask("GET /gzip-broken")],
    emulated: "an error; URLSession on Linux takes what came for whole", stubSees: ["error -1"]),
  Row("redirects", "", [Ask("GET /moved"), Ask("POST /see-other", body: "a=1")]),
  Row("a redirect to a miss", "", [Ask("GET /moved-nowhere")]),
  Row("401 with `Bearer`", "", [Ask("GET /bearer")]),
  Row(
    "content of requests", "",
    [post, Ask("PUT /put", body: "hello"), Ask("POST /post", body: "other")]),
  Row("a miss", "", [Ask("GET /none")]),
  Row("cut short", "", [Ask("GET /cut"), Ask("GET /cut-chunked")]),
  Row("reset", "", [Ask("GET /reset")]),
]

/// Every word of a rule, with what may go with it.
let wordRows: [Row] = [
  Row("`first`", "GET /json: first 1, status 503", [get, get]),
  Row("`nth`", "GET /json: nth 2 3, status 503", [get, get, get, get]),
  Row("`from … to`", "GET /json: from 2 to 2, status 503", [get, get, get]),
  Row("`every`", "GET /json: every 2, status 503", [get, get, get]),
  Row("`overall`", "GET /*: nth 2 overall, status 503", [get, Ask("GET /chunked"), get]),
  Row("`after`", "GET /json: after 300s, status 503", [get]),
  Row("`for`", "GET /json: for 300s, status 503", [get]),
  Row("`chance`", "GET /json: chance 50%, status 503", Array(repeating: get, count: 12)),
  Row(
    "`with header`", "GET /json: with header X-A 1, status 503",
    [get, Ask("GET /json", ["X-A": "1"])]),
  Row(
    "`without header`", "GET /json: without header X-A, status 503",
    [get, Ask("GET /json", ["X-A": "1"])]),
  Row(
    "`with json`", "POST /post: with json /a 1, status 503",
    [post, Ask("POST /post", body: #"{"a": 1}"#)]),
  Row(
    "`while`, `raise`, `clear`",
    """
    GET /chunked: raise down
    GET /empty: clear down
    GET /json: while down, status 503
    """, [get, Ask("GET /chunked"), get, Ask("GET /empty"), get]),

  Row("`delay`", "*: delay 100ms", [get, Ask("GET /chunked")], takes: 0.2),
  Row(
    "`delay D..D`, `lognormal`",
    "GET /json: delay 50ms..60ms\nGET /chunked: delay lognormal 30ms sigma 0.2",
    [get, Ask("GET /chunked")], takes: 0.05),
  Row("`pause`", "*: pause 100ms", [get], takes: 0.1),
  Row("`trickle SIZE/D`", "*: trickle 20B/50ms", [get, Ask("GET /chunked")], takes: 0.2),
  Row("`trickle N pieces over D`", "*: trickle 4 pieces over 200ms", [get], takes: 0.2),
  Row("`rate`", "*: rate 1MB/s", [Ask("GET /large")], takes: 0.28),
  Row("`rate shared`", "*: rate 2MB/s shared", [Ask("GET /large", times: 3)], takes: 0.4),
  Row("`stall`", "*: stall 200ms at 10B", [get], takes: 0.2),
  Row("`stall in head`", "*: stall 200ms in head", [get], takes: 0.2),
  Row("`hang`", "*: hang", [get], timeout: 1, takes: 0.9),
  Row("`network`", "*: network lte", [get]),

  Row("`status`", "*: status 418, body \"teapot\"", [get, Ask("GET /none"), Ask("HEAD /json")]),
  Row("`retry-after`", "*: status 503, retry-after 2s", [get]),
  Row("`body`", "*: body \"other\"", [get, Ask("HEAD /json")]),
  Row("`body size`", "*: body size 64B", [get, get]),
  Row("`body size fresh`", "*: body size 64B fresh", [get, get]),
  Row(
    "`set`, `add`, `remove`", "*: set X-A 1, add X-A 2, remove ETag", [get, Ask("GET /repeated")]),
  Row("`json`", "*: json /name \"Bob\"", [get, Ask("GET /chunked"), Ask("GET /gzip")]),
  Row(
    "`etag every`", "*: etag every 2",
    [get, get, get, Ask("GET /json", ["If-None-Match": "\"v1\""])]),
  Row("`etag at`", "*: etag at 2", [get, get, get]),
  Row(
    "`age`, `expires`, `last-modified`", "*: age 59s, expires 60s ago, last-modified 10h ago", [get]
  ),
  Row("`redirect`", "GET /empty: redirect /json", [Ask("GET /empty")]),
  Row("`redirect loop`", "GET /json: redirect loop", [get]),
  Row(
    "`challenge bearer`", "GET /json: without header Authorization, challenge bearer",
    [get, Ask("GET /json", ["Authorization": "Bearer t"])]),
  Row(
    "`challenge basic`", "GET /json: without header Authorization, challenge basic",
    [get, Ask("GET /json", ["Authorization": "Basic dTpw"])],
    unasked: "its tasks never end with Swift 6.3.1 on Linux"),
  Row(
    "`corrupt json`, `utf8`", "GET /json: corrupt json\nGET /chunked: corrupt utf8",
    [get, Ask("GET /chunked")]),
  Row("`corrupt gzip`", "*: corrupt gzip", [Ask("GET /gzip")]),
  Row("`quota`", "GET /json: quota 2/300s, remove Retry-After", [get, get, get]),
  Row(
    "`idempotency replay`", "POST /post: idempotency replay",
    [
      Ask("POST /post", ["Idempotency-Key": "k"], body: "hello"),
      Ask("POST /post", ["Idempotency-Key": "k"], body: "hello"),
    ]),
  Row(
    "`idempotency conflict`, `in-progress`",
    "POST /post: idempotency conflict\nPUT /put: idempotency in-progress",
    [
      Ask("POST /post", ["Idempotency-Key": "k"], body: "hello"),
      Ask("POST /post", ["Idempotency-Key": "k"], body: "hello"),
      Ask("PUT /put", ["Idempotency-Key": "k"], body: "hello"),
      Ask("PUT /put", ["Idempotency-Key": "k"], body: "hello"),
    ]),
  Row("`early`", "POST /post: early 413", [post]),

  Row("`reset`", "*: reset", [get, post]),
  Row("`reset` in the content", "*: reset at 10B", [get, Ask("GET /chunked")]),
  Row("`close`", "*: close", [get]),
  Row("`close` in the content", "*: close at 10B", [get, Ask("GET /chunked")]),
  Row(
    "`close in head`", "*: close in head", [get],
    unasked: "it ends a process that uses URLSession of Swift 6.3.1 on Linux"),
  Row("`truncate`", "*: truncate at 50%", [get, Ask("GET /chunked")]),
  Row("`malformed status`", "*: malformed status", [get]),
  Row("`malformed field`", "*: malformed field", [get]),
  Row("`malformed chunk`", "*: malformed chunk", [Ask("GET /chunked")]),
  Row(
    "`malformed length`", "*: malformed length", [get],
    emulated: "an error; URLSession on Linux reads the digits of `45x`", stubSees: ["error -1"]),
  Row(
    "`keep-alive`", "GET /json: keep-alive off\nGET /chunked: keep-alive 2",
    [get, get, Ask("GET /chunked"), Ask("GET /chunked")],
    emulated: "each exchange has a connection of its own"),
  Row(
    "`upload`", "POST /post: upload 20B/s", [post], takes: 0.2,
    emulated: "the answer waits for as long as the content would have taken"),
  Row("`continue`", "POST /post: continue off", [post]),
  Row(
    "`connections queue`", "*: connections 1 queue\n*: delay 100ms",
    [Ask("GET /json", times: 3)], timeout: 2, takes: 0.3,
    emulated: "exchanges are counted; with the server an idle connection keeps its place",
    stubSees: ["200 /json", "200 /json", "200 /json"]),
  Row(
    "`connections refuse`", "*: connections 1 refuse\n*: delay 500ms",
    [Ask("GET /json", times: 2)],
    emulated: "exchanges are counted; the error is -1005, with the server also -1",
    stubSees: ["200 /json", "error -1005"]),
  Row(
    "`connections stall`", "*: connections 1 stall\n*: delay 200ms", [Ask("GET /json", times: 2)],
    timeout: 1, takes: 0.9, emulated: "exchanges are counted instead of connections"),
  Row("`refuse`", "*: for 300s, refuse", [get]),
  Row("`blackhole`", "*: for 300s, blackhole", [get], timeout: 1, takes: 0.9),
]
