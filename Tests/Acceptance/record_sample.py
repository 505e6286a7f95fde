"""Records a small cassette of httpbin that shows what an API can answer."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

from corpus import FORM, JSON, Request, get
from processes import BINARY, Fixtured, HTTPBin
from wire import Client

AGENT = ("User-Agent", "sample/1")
REQUESTS = [
    get("/get?page=1&sort=name", AGENT),
    get("/json"),
    get("/headers", AGENT), get("/status/200", ("Authorization", "Bearer not-a-real-token")),
    get("/gzip"), get("/deflate"), get("/brotli"),
    get("/redirect/2"), get("/relative-redirect/1"), get("/redirect-to?url=%2Fjson"),
    get("/cookies/set?flavour=oat"), get("/cookies", ("Cookie", "flavour=oat")),
    get("/stream/5"), get("/drip?numbytes=5&duration=1&delay=0"),
    get("/status/418"), get("/status/503"), get("/status/404"), get("/status/204"),
    get("/etag/v1"), get("/etag/v1", ("If-None-Match", '"v1"')), get("/cache/60"),
    get("/image/png"), get("/bytes/256?seed=1"), get("/range/64", ("Range", "bytes=8-15")),
    get("/uuid"), get("/uuid"),
    get("/basic-auth/user/passwd"),
    get("/encoding/utf8"),
    Request("HEAD", "/get"),
    Request("POST", "/post", [FORM], b"name=Ada&city=London"),
    Request("POST", "/post", [JSON], b'{"name": "Ada"}'),
    Request("PUT", "/put", [JSON], b'{"name": "Grace"}'),
    Request("DELETE", "/delete"),
]


def main():
    cassette = pathlib.Path(sys.argv[1])
    cassette.parent.mkdir(exist_ok=True)
    dump = cassette.with_name(cassette.name + ".txt")
    with tempfile.TemporaryDirectory() as folder:
        fresh = pathlib.Path(folder) / cassette.name
        origin = HTTPBin(folder)
        try:
            recorder = Fixtured(folder, "record", "--upstream", origin.url, fresh)
            try:
                with Client(recorder.url) as client:
                    for request in REQUESTS:
                        print(client.exchange(request).status, request)
            finally:
                code = recorder.stop()
        finally:
            origin.stop()
        if code != 0:
            sys.exit(f"the recorder ended with {code}: {recorder.errors()}")
        shutil.copyfile(fresh, cassette)
    subprocess.run([BINARY, "dump", cassette, "-o", dump], check=True)
    subprocess.run([BINARY, "verify", cassette], check=True)
    print(f"{cassette}: {cassette.stat().st_size} bytes; {dump}: {dump.stat().st_size} bytes")


if __name__ == "__main__":
    main()
