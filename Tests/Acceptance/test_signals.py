"""The recorder stopped by each signal, and killed: nothing that was answered is lost."""

import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

import corpus
from processes import BINARY, Fixtured, Origin
from wire import Client

ANSWERED = 20


class Slow:
    """Answers at once, except below /slow: there the head and a part come, the rest never."""

    def __init__(self):
        self.begun = threading.Event()

    def __call__(self, connection, head):
        if b" /slow" in head.split(b"\r\n")[0]:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * 100)
            self.begun.set()
            return
        body = b"answer to " + head.split(b" ")[1]
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


class Signals(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fixtured-signals-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.slow = Slow()
        self.origin = Origin(self.slow)
        self.addCleanup(self.origin.stop)
        self.cassette = self.folder / "cassette.db"
        self.recorder = Fixtured(self.folder, "record", "--upstream", self.origin.url,
                                 str(self.cassette))
        self.addCleanup(self.recorder.kill)

    def ask(self, url):
        with Client(url) as client:
            return [client.exchange(corpus.get(f"/{number}")).content
                    for number in range(ANSWERED)]

    def begin_slow(self):
        """One more, in flight: its head and first bytes have come through."""
        client = Client(self.recorder.url)
        self.addCleanup(client.close)
        client.send(corpus.get("/slow").head(client.authority))
        received = b""
        while b"x" * 100 not in received:
            received += client.socket.recv(4096)
        return client

    def rows(self):
        with sqlite3.connect(f"file:{self.cassette}?mode=ro", uri=True) as database:
            return database.execute("select target, outcome from interaction order by id") \
                .fetchall()

    def check_ends_cleanly(self, number):
        answers = self.ask(self.recorder.url)
        self.begin_slow()
        begun = time.monotonic()
        self.assertEqual(self.recorder.stop(number), 0, self.recorder.errors())
        self.assertLess(time.monotonic() - begun, 2)
        left = sorted(path.name for path in self.folder.glob("cassette*"))
        self.assertEqual(left, ["cassette.db"])
        rows = [(bytes(target) if isinstance(target, bytes) else target.encode(), outcome)
                for target, outcome in self.rows()]
        self.assertEqual(rows[:ANSWERED], [(b"/%d" % n, "complete") for n in range(ANSWERED)])
        self.assertEqual([target for target, _ in rows[ANSWERED:]], [b"/slow"])
        self.assertNotEqual(rows[-1][1], "complete")
        self.check_replays(answers)

    def check_replays(self, answers):
        self.origin.stop()
        player = Fixtured(self.folder, "replay", "--date", "recorded", str(self.cassette))
        self.addCleanup(player.kill)
        self.assertEqual(self.ask(player.url), answers)
        self.assertEqual(player.stop(), 0)

    def test_SIGINT(self):
        self.check_ends_cleanly(signal.SIGINT)

    def test_SIGTERM(self):
        self.check_ends_cleanly(signal.SIGTERM)

    def test_SIGHUP(self):
        self.check_ends_cleanly(signal.SIGHUP)

    def test_SIGKILL_loses_nothing_that_a_client_had_whole(self):
        answers = self.ask(self.recorder.url)
        self.recorder.kill()
        refused = subprocess.run([BINARY, "replay", "--listen", "127.0.0.1:0", str(self.cassette)],
                                 capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                 timeout=20)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("verify --repair", refused.stderr)
        subprocess.run([BINARY, "verify", "--repair", str(self.cassette)], check=True,
                       capture_output=True, stdin=subprocess.DEVNULL)
        self.assertEqual(sorted(path.name for path in self.folder.glob("cassette*")),
                         ["cassette.db"])
        self.assertEqual([outcome for _, outcome in self.rows()], ["complete"] * ANSWERED)
        self.check_replays(answers)


class Replay(unittest.TestCase):
    def test_a_taken_port_is_named(self):
        with tempfile.TemporaryDirectory() as folder, \
                socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            done = subprocess.run(
                [BINARY, "record", "--listen", address, "--upstream", "http://127.0.0.1:9",
                 f"{folder}/c.db"], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                timeout=20)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(address.split(":")[1], done.stderr)
        self.assertTrue(done.stderr.startswith("fixtured: "), done.stderr)


if __name__ == "__main__":
    unittest.main()
