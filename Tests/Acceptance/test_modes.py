"""`--mode` on a cassette that exists, and what is refused."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

import corpus
from processes import BINARY, Fixtured, Origin
from wire import Client


class Counting:
    """Answers with how many requests it has had."""

    def __init__(self):
        self.count = 0

    def __call__(self, connection, head):
        self.count += 1
        body = b"%d" % self.count
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


class Modes(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fixtured-modes-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.cassette = self.folder / "c.db"
        self.counting = Counting()
        self.origin = Origin(self.counting)
        self.addCleanup(self.origin.stop)

    def ask(self, mode, *targets):
        """Status and content for each target, through a recorder in that mode."""
        options = ["--mode", mode] if mode else []
        recorder = Fixtured(self.folder, "record", *options, "--upstream", self.origin.url,
                            str(self.cassette))
        self.addCleanup(recorder.kill)
        with Client(recorder.url) as client:
            answers = [client.exchange(corpus.get(target)) for target in targets]
        self.assertEqual(recorder.stop(), 0, recorder.errors())
        self.assertEqual(sorted(path.name for path in self.folder.glob("c.db*")), ["c.db"])
        return [(answer.status, answer.content if answer.status == 200 else b"")
                for answer in answers]

    def usage(self, *options):
        done = subprocess.run(
            [BINARY, "record", "--listen", "127.0.0.1:0", "--upstream", self.origin.url, *options,
             str(self.cassette)], capture_output=True, text=True, stdin=subprocess.DEVNULL,
            timeout=20)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_a_new_file_is_recorded(self):
        self.assertEqual(self.ask(None, "/a", "/b", "/a"), [(200, b"1"), (200, b"2"), (200, b"3")])

    def test_an_existing_file_needs_a_mode(self):
        self.ask(None, "/a")
        text = self.usage()
        for mode in ("once", "none", "new-episodes", "all"):
            self.assertIn(mode, text)

    def test_none_needs_a_file(self):
        self.usage("--mode", "none")
        self.assertFalse(self.cassette.exists())

    def test_once_and_none_replay_and_refuse_the_rest(self):
        self.ask(None, "/a")
        before = self.cassette.read_bytes()
        for mode in ("once", "none"):
            self.assertEqual(self.ask(mode, "/a", "/b"), [(200, b"1"), (501, b"")])
        self.assertEqual(self.cassette.read_bytes() == before, True)
        self.assertEqual(self.counting.count, 1)

    def test_new_episodes_adds_what_is_missing(self):
        self.ask(None, "/a")
        self.assertEqual(self.ask("new-episodes", "/a", "/b"), [(200, b"1"), (200, b"2")])
        self.assertEqual(self.ask("none", "/a", "/b"), [(200, b"1"), (200, b"2")])
        self.assertEqual(self.counting.count, 2)

    def test_all_replaces(self):
        self.ask(None, "/a", "/b")
        self.assertEqual(self.ask("all", "/a"), [(200, b"3")])
        self.assertEqual(self.ask("none", "/a", "/b"), [(200, b"3"), (501, b"")])

    def test_all_without_a_request_keeps_the_file(self):
        self.ask(None, "/a")
        before = self.cassette.read_bytes()
        self.ask("all")
        self.assertEqual(self.cassette.read_bytes() == before, True)


if __name__ == "__main__":
    unittest.main()
