"""Two upstreams in one recording; then the same requests to the replay, compared byte for byte."""

import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

import corpus
from processes import BINARY, Fixtured, HTTPBin, NGINX
from wire import Client

UPSTREAMS = {"bin": corpus.BIN, "web": corpus.WEB}


def comparable(answer, url):
    """The answer's bytes without the two fields that belong to one connection, and with our own
    address, which `Location` may hold, under one name."""
    lines = answer.head.split(b"\r\n")
    kept = [line for line in lines
            if line.partition(b":")[0].lower() not in (b"connection", b"keep-alive")]
    own = url.removeprefix("http://").encode()
    head = b"\r\n".join(kept).replace(own, b"LISTENER")
    return b"".join(answer.interims) + head + answer.body


def ask(urls):
    """Every request of the corpus to its upstream: the answers as they came, and as compared."""
    answers = []
    for name, requests in UPSTREAMS.items():
        with Client(urls[name]) as client:
            for request in requests:
                answer = client.exchange(request)
                answers.append((name, request, answer, comparable(answer, urls[name])))
    return answers


class RecordAndReplay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="fixtured-acceptance-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.bin = HTTPBin(cls.folder)
        cls.addClassCleanup(cls.bin.kill)
        cls.web = NGINX(cls.folder)
        cls.addClassCleanup(cls.web.kill)
        cls.cassette = cls.folder / "both.db"
        recorder = cls.record(cls.cassette, "--no-redact")
        cls.addClassCleanup(recorder.kill)
        cls.recorded = ask(recorder.urls)
        cls.exit_code = recorder.stop()
        cls.curl_cassette = cls.folder / "curl.db"
        recorder = cls.record(cls.curl_cassette, "--no-redact")
        cls.addClassCleanup(recorder.kill)
        cls.by_curl = cls.curl(recorder.urls)
        recorder.stop()
        cls.bin.stop()
        cls.web.stop()

    @classmethod
    def record(cls, cassette, *options):
        return Fixtured(
            cls.folder, "record", "--upstream", f"bin={cls.bin.url}", "--upstream",
            f"web={cls.web.url}", "--cacert", str(cls.web.authority), *options, str(cassette),
            listeners=2)

    @classmethod
    def curl(cls, urls):
        """The corpus' plain GETs with curl: exit code and everything it prints, raw."""
        results = []
        for name, requests in UPSTREAMS.items():
            for request in requests:
                if request.method != "GET" or request.version != "HTTP/1.1":
                    continue
                fields = [word for field in request.fields for word in
                          ("-H", f"{field[0]}: {field[1]}" if field[1] else f"{field[0]};")]
                command = ["curl", "-sS", "-i", "--raw", "--max-time", "30", "--path-as-is",
                           *fields, urls[name] + request.target]
                done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL)
                output = done.stdout.replace(urls[name].removeprefix("http://").encode(), b"OWN")
                output = re.sub(rb"\r\n(Connection|Keep-Alive):[^\r]*", b"", output)
                results.append((str(request), done.returncode, output))
        return results

    def replay(self, cassette, *options, listeners=2, **more):
        player = Fixtured(self.folder, "replay", "--date", "recorded", *options, str(cassette),
                          listeners=listeners, **more)
        self.addCleanup(player.kill)
        return player

    def test_recorder_ends_cleanly(self):
        self.assertEqual(self.exit_code, 0)
        left = [path.name for path in self.folder.glob("both.db*")]
        self.assertEqual(left, ["both.db"])

    def test_there_are_many_different_requests(self):
        names = {f"{name} {request}" for name, request, _, _ in self.recorded}
        self.assertGreaterEqual(len(names), 150)
        framings = {bool(answer.fields("transfer-encoding"))
                    for _, _, answer, _ in self.recorded}
        self.assertEqual(framings, {True, False})

    def test_every_interaction_is_in_the_cassette_in_order(self):
        with sqlite3.connect(f"file:{self.cassette}?mode=ro", uri=True) as database:
            rows = database.execute(
                "select upstream, method, target, status, outcome from interaction order by id")
            found = [tuple(v.decode("latin-1") if isinstance(v, bytes) else v for v in row)
                     for row in rows]
        wanted = [(name, request.method, request.target, answer.status, "complete")
                  for name, request, answer, _ in self.recorded]
        self.assertEqual(found, wanted)

    def test_replay_is_byte_for_byte_what_was_recorded(self):
        player = self.replay(self.cassette)
        replayed = ask(player.urls)
        different = [
            f"{name} {request}\n  recorded {before[:600]!r}\n  replayed {after[:600]!r}"
            for (name, request, _, before), (_, _, _, after) in zip(self.recorded, replayed)
            if before != after]
        self.assertEqual(player.stop(), 0)
        if different:
            self.fail(f"{len(different)} of {len(replayed)} differ:\n" + "\n".join(different))

    def test_a_second_replay_gives_the_same_again(self):
        before, after = [[bytes for *_, bytes in ask(self.replay(self.cassette).urls)]
                         for _ in range(2)]
        self.assertEqual(before == after, True)

    def test_curl_sees_the_same(self):
        replayed = self.curl(self.replay(self.curl_cassette).urls)
        different = [f"{old[0]}: {old[1]} {old[2][:300]!r}\n  {new[1]} {new[2][:300]!r}"
                     for old, new in zip(self.by_curl, replayed) if old != new]
        self.assertEqual("\n".join(different), "")
        self.assertGreaterEqual(len(self.by_curl), 60)
        self.assertEqual({code for _, code, _ in self.by_curl}, {0})

    def test_replay_connects_to_nothing_and_resolves_nothing(self):
        trace = self.folder / "trace.txt"
        player = self.replay(
            self.cassette,
            prefix=["strace", "-f", "-e", "trace=network,openat", "-o", str(trace)])
        ask(player.urls)
        player.stop()
        lines = trace.read_text(errors="replace").splitlines()
        self.assertTrue(any("listen(" in line for line in lines), "strace saw nothing")
        connects = [line for line in lines if re.search(r"\bconnect\(", line)]
        resolver = [line for line in lines
                    if re.search(r'/(resolv\.conf|hosts|nsswitch\.conf|host\.conf)"', line)]
        datagrams = [line for line in lines if "SOCK_DGRAM" in line]
        self.assertEqual((connects, resolver, datagrams), ([], [], []))

    def test_replay_leaves_the_file_alone(self):
        before = self.cassette.read_bytes(), sorted(p.name for p in self.folder.glob("both.db*"))
        player = self.replay(self.cassette)
        with Client(player.urls["bin"]) as client:
            client.exchange(corpus.get("/get"))
        player.stop()
        after = self.cassette.read_bytes(), sorted(p.name for p in self.folder.glob("both.db*"))
        self.assertEqual(before == after, True)

    def test_a_request_that_was_not_recorded_is_a_named_miss(self):
        player = self.replay(self.cassette)
        with Client(player.urls["web"]) as client:
            answer = client.exchange(corpus.get("/never-asked?x=1"))
        self.assertEqual(answer.status, 501)
        self.assertEqual(answer.fields("content-type"), [b"application/problem+json"])
        self.assertEqual(answer.fields("fixtured-miss"), [b"1"])
        problem = json.loads(answer.content)
        self.assertEqual(problem["request"]["target"], "/never-asked?x=1")
        self.assertEqual(player.stop(), 0)
        self.assertIn("/never-asked", player.errors())

    def test_the_tools_read_the_cassette(self):
        for arguments in (["inspect"], ["inspect", "--json"], ["dump"], ["verify"]):
            done = subprocess.run([BINARY, arguments[0], str(self.cassette), *arguments[1:]],
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
            self.assertTrue(done.stdout)


if __name__ == "__main__":
    unittest.main()
