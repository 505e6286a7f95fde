"""Bodies of more than 2 GiB through the program: `bash Tests/Acceptance/run.sh limit_bodies`.

Takes two minutes or more and 9 GB of disk below TMPDIR. BODY_BYTES asks for another size.
"""

import hashlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from urllib.parse import urlsplit

from processes import BINARY, Fixtured

SIZE = int(os.environ.get("BODY_BYTES", 2 ** 31 + 5))
PIECE = 1 << 20
RECORDER_MAX, REPLAYER_MAX = 200e6, 100e6
# A slow client takes little at a time and rests, until it has been slow for so long.
SLOW_SECONDS, SLOW_BYTES, SLOW_PAUSE = 20, 200_000, 0.05
FIRST_BYTE_SECONDS = 1


def pieces():
    """The content, every block other than the one before; never more than a piece in memory."""
    block = hashlib.shake_256(b"a large body").digest(PIECE)
    for start in range(0, SIZE, PIECE):
        block = start.to_bytes(8, "big") + block[8:]
        yield block[:min(PIECE, SIZE - start)]


def digest(parts):
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return found.hexdigest()


class Origin:
    """Sends the content for GET, and answers POST with the digest of what came."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        try:
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=[connection], daemon=True).start()
        except OSError:
            pass

    def _serve(self, connection):
        try:
            with connection, connection.makefile("rb") as requests:
                while line := requests.readline():
                    is_upload = line.startswith(b"POST")
                    while line != b"\r\n":
                        line = requests.readline()
                    if is_upload:
                        left = (requests.read(len(piece)) for piece in pieces())
                        answer = digest(left).encode()
                        connection.sendall(
                            b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(answer) + answer)
                        continue
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n"
                                       b"Content-Length: %d\r\n\r\n" % SIZE)
                    for piece in pieces():
                        connection.sendall(piece)
        except OSError:
            pass


class Connection:
    def __init__(self, url):
        parts = urlsplit(url)
        self.authority = parts.netloc
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def ask(self, line, fields=""):
        self.socket.sendall(f"{line} HTTP/1.1\r\nHost: {self.authority}\r\n{fields}\r\n".encode())

    def head(self):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.socket.recv(1)
        assert head.startswith(b"HTTP/1.1 200 "), head
        return int(re.search(rb"(?i)content-length: (\d+)", head)[1])

    def content(self, count, slow=False):
        end = time.monotonic() + (SLOW_SECONDS if slow else 0)
        while count > 0:
            data = self.socket.recv(SLOW_BYTES if time.monotonic() < end else PIECE)
            if not data:
                raise EOFError(f"closed with {count} bytes to come")
            count -= len(data)
            yield data
            if time.monotonic() < end:
                time.sleep(SLOW_PAUSE)


def peak_bytes(program):
    """The most memory it had resident so far, with what it shares."""
    status = pathlib.Path(f"/proc/{program.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) * 1024


class Bodies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.digest = digest(pieces())
        cls.origin = Origin()

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fixtured-bodies-"))
        self.addCleanup(shutil.rmtree, self.folder)
        free = shutil.disk_usage(self.folder).free
        if free < 4 * SIZE:
            self.skipTest(f"{free / 1e9:.1f} GB free below {self.folder}, {4 * SIZE / 1e9:.1f} "
                          "needed")

    def download(self, program, most, slow=False):
        with Connection(program.url) as connection:
            began = time.monotonic()
            connection.ask("GET /film")
            size = connection.head()
            content = connection.content(size, slow)
            found = hashlib.sha256(next(content))
            first = time.monotonic() - began
            for part in content:
                found.update(part)
            self.tell(program, f"first byte after {first * 1000:,.0f} ms",
                      time.monotonic() - began)
        self.assertEqual((size, found.hexdigest()), (SIZE, self.digest))
        self.assertLess(first, FIRST_BYTE_SECONDS)
        self.assertLess(peak_bytes(program), most)

    def upload(self, program, most):
        with Connection(program.url) as connection:
            began = time.monotonic()
            connection.ask("POST /film",
                           f"Content-Type: video/mp4\r\nContent-Length: {SIZE}\r\n")
            for piece in pieces():
                connection.socket.sendall(piece)
            answer = b"".join(connection.content(connection.head()))
            self.tell(program, "upload", time.monotonic() - began)
        self.assertEqual(answer.decode(), self.digest)
        self.assertLess(peak_bytes(program), most)

    @staticmethod
    def tell(program, what, took):
        print(f"\n  {program.process.args[1]}: {what}, {SIZE / took / 1e6:,.0f} MB/s, "
              f"{peak_bytes(program) / 1e6:,.0f} MB resident at most ... ", end="", flush=True)

    def both(self, exchange, **options):
        cassette = self.folder / "cassette.db"
        recorder = Fixtured(self.folder, "record", "--quiet", "--upstream", self.origin.url,
                            cassette)
        self.addCleanup(recorder.kill)
        exchange(recorder, RECORDER_MAX, **options)
        self.assertEqual(recorder.stop(seconds=60), 0, recorder.errors())
        self.assertLess(cassette.stat().st_size, 1.02 * SIZE + (1 << 20))
        player = Fixtured(self.folder, "replay", "--quiet", cassette)
        self.addCleanup(player.kill)
        exchange(player, REPLAYER_MAX, **options)
        self.assertEqual(player.stop(), 0, player.errors())
        subprocess.run([BINARY, "verify", cassette], check=True, capture_output=True,
                       stdin=subprocess.DEVNULL)

    def test_download(self):
        self.both(self.download)

    def test_download_by_a_slow_client(self):
        self.both(self.download, slow=True)

    def test_upload(self):
        self.both(self.upload)


if __name__ == "__main__":
    unittest.main()
