"""Answers that end badly, in pieces or oddly: the client sees the same from the replay."""

import pathlib
import shutil
import socket
import struct
import tempfile
import time
import unittest
from urllib.parse import urlsplit

from processes import Fixtured, Origin, free_port

PIECES = 4
PIECE_SECONDS = 0.3


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def answer(connection, head):
    target = head.split(b" ")[1].decode()
    send = connection.sendall
    if target == "/short":
        send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * 100)
        connection.close()
    elif target == "/reset":
        send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * 100)
        time.sleep(0.2)
        reset(connection)
    elif target == "/cut-chunks":
        send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
        connection.close()
    elif target == "/nothing":
        connection.close()
    elif target == "/half-head":
        send(b"HTTP/1.1 200 OK\r\nContent-Le")
        connection.close()
    elif target == "/until-close":
        send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nall of it")
        connection.close()
    elif target == "/early-hints":
        send(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n")
        send(b"HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nok")
    elif target == "/trailers":
        send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
             b"5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\nX-Sum: 11\r\n\r\n")
    elif target == "/no-reason":
        send(b"HTTP/1.1 299 \r\nX-Odd: \xe9\xff\r\nx-odd:again\r\nContent-Length: 0\r\n\r\n")
    elif target == "/pieces":
        send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for number in range(PIECES):
            if number:
                time.sleep(PIECE_SECONDS)
            send(b"6\r\npiece%d\r\n" % number)
        send(b"0\r\n\r\n")
    else:
        send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(target), target.encode()))


def visible(url, target):
    """All that a client can see of one answer: the bytes, and how the connection ended."""
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        request = f"GET {target} HTTP/1.1\r\nHost: {address.netloc}\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        received = b""
        while True:
            try:
                data = connection.recv(65536)
            except ConnectionResetError:
                return received, "reset"
            if not data:
                return received, "closed"
            received += data


class Endings(unittest.TestCase):
    TARGETS = ["/short", "/reset", "/cut-chunks", "/nothing", "/half-head", "/until-close",
               "/early-hints", "/trailers", "/no-reason", "/plain"]

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fixtured-endings-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.cassette = str(self.folder / "c.db")

    def record(self, upstream, ask):
        recorder = Fixtured(self.folder, "record", "--upstream", upstream, self.cassette)
        self.addCleanup(recorder.kill)
        result = ask(recorder.url)
        self.assertEqual(recorder.stop(), 0, recorder.errors())
        return result

    def replay(self, ask, *options):
        player = Fixtured(self.folder, "replay", "--date", "recorded", *options, self.cassette)
        self.addCleanup(player.kill)
        result = ask(player.url)
        self.assertEqual(player.stop(), 0, player.errors())
        return result

    def test_every_ending_is_replayed(self):
        origin = Origin(answer)
        self.addCleanup(origin.stop)
        recorded = self.record(
            origin.url, lambda url: {target: visible(url, target) for target in self.TARGETS})
        origin.stop()
        replayed = self.replay(
            lambda url: {target: visible(url, target) for target in self.TARGETS})
        for target in self.TARGETS:
            with self.subTest(target):
                self.assertEqual(replayed[target], recorded[target])
        self.assertIn(b" 502 ", recorded["/nothing"][0])
        self.assertIn(b" 502 ", recorded["/half-head"][0])
        self.assertNotIn(b"0\r\n\r\n", recorded["/cut-chunks"][0])
        self.assertIn(b"X-Sum: 11", recorded["/trailers"][0])
        self.assertIn(b"HTTP/1.1 103 ", recorded["/early-hints"][0])

    def test_a_refused_connection_is_an_interaction(self):
        ask = lambda url: visible(url, "/x")  # noqa: E731
        recorded = self.record(f"http://127.0.0.1:{free_port()}", ask)
        self.assertTrue(recorded[0].startswith(b"HTTP/1.1 502 "), recorded)
        self.assertEqual(self.replay(ask), recorded)

    def test_an_unknown_name_is_an_interaction(self):
        ask = lambda url: visible(url, "/x")  # noqa: E731
        recorded = self.record("http://no-such-host.invalid", ask)
        self.assertTrue(recorded[0].startswith(b"HTTP/1.1 502 "), recorded)
        self.assertEqual(self.replay(ask), recorded)

    def test_pace(self):
        """On the real clock, so loose: never early, and not slower than a busy machine explains."""
        origin = Origin(answer)
        self.addCleanup(origin.stop)

        def timed(url):
            begun = time.monotonic()
            received = visible(url, "/pieces")
            return received, time.monotonic() - begun

        whole = PIECE_SECONDS * (PIECES - 1)
        received, seconds = self.record(origin.url, timed)
        self.assertGreaterEqual(seconds, whole)
        origin.stop()
        for options, least, most in [((), 0, whole), (("--pace", "recorded"), whole, 2 * whole),
                                     (("--pace", "x3"), whole / 3, whole)]:
            with self.subTest(options):
                again, seconds = self.replay(timed, *options)
                self.assertEqual(again, received)
                self.assertGreaterEqual(seconds, least * 0.99)
                self.assertLess(seconds, most)


if __name__ == "__main__":
    unittest.main()
