"""The requests of the acceptance test: httpbin behind gunicorn, and nginx with TLS."""

import base64


class Request:
    """One request as bytes; `Host` is added from where it is sent to."""

    def __init__(self, method, target, fields=(), body=b"", version="HTTP/1.1",
                 framing="length", waits=False, tags=()):
        self.method = method
        self.target = target
        self.fields = list(fields)
        self.version = version
        self.waits = waits
        self.tags = tags
        self.has_body = bool(body) or method in ("POST", "PUT", "PATCH")
        self.framing = framing
        self.body = chunked(body) if framing == "chunked" else body
        self.content = body
        self.closes = version == "HTTP/1.0"

    def __str__(self):
        extra = "".join(f" [{name}: {value}]" for name, value in self.fields)
        return f"{self.method} {self.target}{extra}"

    def head(self, authority):
        lines = [f"{self.method} {self.target} {self.version}", f"Host: {authority}"]
        lines += [f"{name}: {value}" for name, value in self.fields]
        if self.has_body:
            framed = "Transfer-Encoding: chunked" if self.framing == "chunked" \
                else f"Content-Length: {len(self.body)}"
            lines.append(framed)
        if self.waits:
            lines.append("Expect: 100-continue")
        return "\r\n".join(lines + ["", ""]).encode("latin-1")


def chunked(content, size=700):
    pieces = [content[at:at + size] for at in range(0, len(content), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def get(target, *fields, **options):
    return Request("GET", target, fields, **options)


FORM = ("Content-Type", "application/x-www-form-urlencoded")
JSON = ("Content-Type", "application/json")
BASIC = ("Authorization", "Basic " + base64.b64encode(b"user:passwd").decode())
MULTIPART = ("Content-Type", "multipart/form-data; boundary=edge")
PARTS = (
    b"--edge\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
    b"--edge\r\nContent-Disposition: form-data; name=\"f\"; filename=\"b.bin\"\r\n"
    b"Content-Type: application/octet-stream\r\n\r\n\x00\x01\xff\r\n\r\n--edge--\r\n")

STATUSES = [200, 201, 202, 203, 204, 206, 300, 301, 302, 303, 305, 307, 308, 400, 401, 402, 403,
            404, 405, 406, 409, 410, 412, 418, 422, 428, 429, 451, 500, 501, 502, 503, 504]

BIN = [
    get("/get"), get("/get?"), get("/get?a=1&b=2"), get("/get?b=2&a=1"), get("/get?a=1&a=2"),
    get("/get?q=a+b%26c%C3%A9"), get("/get?a%2Bb=%2B"), get("/get", ("X-Odd", "caf\xe9 \"q\"")),
    get("/headers", ("X-Twice", "1"), ("x-twice", "2"), ("X-Empty", "")),
    get("/ip"), get("/user-agent", ("User-Agent", "acceptance/1")), get("/json"), get("/html"),
    get("/xml"), get("/robots.txt"), get("/deny"), get("/encoding/utf8"), get("/forms/post"),
    get("/gzip"), get("/deflate"), get("/brotli"),
    get("/image/png"), get("/image/jpeg"), get("/image/webp"), get("/image/svg"),
    get("/bytes/1?seed=1"), get("/bytes/1024?seed=2"), get("/bytes/100000?seed=3"),
    get("/stream-bytes/5000?seed=1&chunk_size=512"), get("/stream-bytes/100000?seed=4"),
    get("/range/1000"), get("/range/1000", ("Range", "bytes=100-199")),
    get("/range/1000", ("Range", "bytes=2000-")),
    get("/stream/1"), get("/stream/5"), get("/stream/100"),
    get("/drip?numbytes=5&duration=1&delay=0"), get("/delay/1"),
    get("/redirect/3"), get("/redirect/2"), get("/redirect/1"),
    get("/relative-redirect/2"), get("/absolute-redirect/2", tags=["location"]),
    get("/redirect-to?url=%2Fget&status_code=307"),
    get("/redirect-to?url=http%3A%2F%2Felsewhere.example%2F"),
    get("/etag/abc"), get("/etag/abc", ("If-None-Match", '"abc"')),
    get("/etag/abc", ("If-None-Match", '"other"')), get("/etag/abc", ("If-Match", '"other"')),
    get("/cache"), get("/cache", ("If-Modified-Since", "Sat, 29 Oct 1994 19:43:31 GMT")),
    get("/cache/60"), get("/cookies", ("Cookie", "a=1; b=2")), get("/cookies/set?flavour=oat"),
    get("/cookies/set/name/value"), get("/cookies/delete?flavour"),
    get("/basic-auth/user/passwd"), get("/basic-auth/user/passwd", BASIC),
    get("/hidden-basic-auth/user/passwd"), get("/bearer"),
    get("/bearer", ("Authorization", "Bearer abc.def.ghi")),
    get("/digest-auth/auth/user/passwd"),
    get("/response-headers?X-A=1&X-A=2&x-b=%20spaced%20"),
    get("/response-headers?Content-Type=text%2Fplain%3B+charset%3DUTF-8&Server=other"),
    get("/uuid"), get("/uuid"), get("/uuid"), get("/base64/SGVsbG8sIHdvcmxkIQ=="),
    get("/anything"), get("/anything/a%2Fb/c%20d"), get("/anything/%C3%A9"),
    get("/anything//double//slashes/"), get("/anything/a;b=c,d"), get("/links/10/0"),
    get("/nowhere"), get("/get", version="HTTP/1.0"), get("/stream/3", version="HTTP/1.0"),
    *[get(f"/status/{code}") for code in STATUSES],
    Request("HEAD", "/get"), Request("HEAD", "/bytes/100"), Request("HEAD", "/stream/5"),
    Request("OPTIONS", "/get"), Request("DELETE", "/delete"),
    Request("DELETE", "/delete", [JSON], b'{"reason": "none"}'),
    Request("POST", "/post"), Request("POST", "/post", [FORM], b"a=1&b=two+words&a=3"),
    Request("POST", "/post", [JSON], b'{"a": 1, "b": [1.50, "x"]}'),
    Request("POST", "/post", [JSON], b'{"a": 2}'),
    Request("POST", "/post", [MULTIPART], PARTS),
    Request("POST", "/post", [JSON], b'{"chunked": true}' * 200, framing="chunked"),
    Request("POST", "/post", [FORM], b"waited=1", waits=True),
    Request("POST", "/post", [("Content-Type", "application/octet-stream")],
            bytes(range(256)) * 4096),
    Request("POST", "/get"), Request("PUT", "/put", [JSON], b"{}"),
    Request("PATCH", "/patch", [FORM], b"x=y"), Request("PURGE", "/anything"),
    Request("POST", "/status/503", [JSON], b"{}"), Request("POST", "/redirect-to?url=/post"),
]

WEB = [
    get("/"), get("/index.html"), get("/empty.txt"), get("/large.bin"), get("/hello.txt"),
    get("/hello.txt?x=1"), get("/sub"), get("/sub/"), get("/caf%C3%A9.txt"), get("/missing"),
    get("/text/long.txt"), get("/text/long.txt", ("Accept-Encoding", "gzip")),
    get("/text/long.txt", ("Accept-Encoding", "gzip, br"), ("X-More", "1")),
    get("/static/page.html", ("Accept-Encoding", "gzip")), get("/static/page.html"),
    get("/close/long.txt", ("Accept-Encoding", "gzip")),
    get("/hello.txt", ("If-None-Match", "*")), get("/hello.txt", ("If-None-Match", '"no"')),
    get("/hello.txt", ("If-Modified-Since", "Fri, 31 Dec 2100 00:00:00 GMT")),
    get("/hello.txt", ("If-Match", '"no"')),
    get("/hello.txt", ("Range", "bytes=0-4")), get("/hello.txt", ("Range", "bytes=-5")),
    get("/hello.txt", ("Range", "bytes=0-1,4-5")), get("/hello.txt", ("Range", "bytes=9999-")),
    get("/large.bin", ("Range", "bytes=1000000-1000009")),
    get("/moved"), get("/moved-away"), get("/secure", tags=["location"]), get("/gone"),
    get("/teapot"), get("/nothing"), get("/repeated"), get("/cached"), get("/forbidden"),
    Request("HEAD", "/hello.txt"), Request("HEAD", "/large.bin"), Request("HEAD", "/missing"),
    Request("HEAD", "/text/long.txt", [("Accept-Encoding", "gzip")]),
    Request("POST", "/hello.txt", [FORM], b"a=1"), Request("PUT", "/hello.txt", [], b"x"),
    Request("DELETE", "/hello.txt"), Request("OPTIONS", "/hello.txt"),
    get("/error"), get("/hello.txt", version="HTTP/1.0"),
    get("/text/long.txt", ("Accept-Encoding", "gzip"), version="HTTP/1.0"),
]
