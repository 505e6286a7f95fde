"""A recorder killed at a random moment under many clients, and what must be left of it.

An origin answers each target in a way that follows from the target alone: `Expected` tells what a
client has to get, what the cassette has to hold and what a replay has to give. No target is asked
for twice in one recording.
"""

import contextlib
import hashlib
import random
import socket
import sqlite3
import subprocess
import threading
import time

import corpus
from processes import BINARY, Fixtured
from wire import Client

CLIENTS = 32
# How long the clients ask before the kill, at most: the log is moved into the file within less.
SECONDS = 1.5
# How many of the answers are asked for again in replay; all are compared in the file.
REPLAYED = 200

KINDS = ["length", "empty", "chunked", "trailers", "until-close", "head", "no-content",
         "not-modified", "hints", "upload", "large", "large-chunked"]
# A long answer takes as long as many short ones.
WEIGHTS = [0.2 if kind.startswith("large") else 1 for kind in KINDS]


class Expected:
    """What becomes of a request for `/<kind>/<anything>`."""

    def __init__(self, target):
        self.target = target
        self.kind = target.split("/")[1]
        draw = random.Random(target)
        self.status, self.reason = 200, b"Fine"
        self.method, self.upload = "GET", b""
        self.trailers = b""
        self.fields = [b"Content-Type: application/octet-stream", b"X-Target: " + target.encode()]
        size = draw.randrange(1, 3000)
        if self.kind.startswith("large"):
            size = draw.randrange(70_000, 2_500_000)
        elif self.kind in ("empty", "no-content", "not-modified"):
            size = 0
        self.content = draw.randbytes(size)
        self.chunk_size = draw.randrange(1 + size // 9, 2 + size)
        self._frame(draw)

    def _frame(self, draw):
        if self.kind in ("chunked", "trailers", "large-chunked"):
            self.framing = "chunked"
            self.fields.append(b"Transfer-Encoding: chunked")
            if self.kind == "trailers":
                self.trailers = b"X-Sum: %d\r\n" % sum(self.content)
        elif self.kind == "until-close":
            self.framing = "close"
        elif self.kind in ("no-content", "not-modified"):
            self.framing = "none"
            self.status, self.reason = \
                (204, b"No Content") if self.kind == "no-content" else (304, b"Not Modified")
        else:
            self.framing = "length"
            self.fields.append(b"Content-Length: %d" % len(self.content))
        if self.kind == "head":
            self.method, self.framing, self.content = "HEAD", "none", b""
        elif self.kind == "upload":
            self.method = "POST"
            self.upload = draw.randbytes(draw.choice([1, 900, 200_000]))

    @property
    def request(self):
        return corpus.Request(
            self.method, self.target, [("Content-Type", "application/octet-stream")],
            self.upload)

    @property
    def head(self):
        lines = [b"HTTP/1.1 %d %s" % (self.status, self.reason), *self.fields]
        return b"\r\n".join(lines) + b"\r\n\r\n"

    def pieces(self):
        """The answer as the origin sends it."""
        if self.kind == "hints":
            yield b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
        yield self.head
        for start in range(0, len(self.content), self.chunk_size):
            piece = self.content[start:start + self.chunk_size]
            yield b"%x\r\n%s\r\n" % (len(piece), piece) if self.framing == "chunked" else piece
        if self.framing == "chunked":
            yield b"0\r\n" + self.trailers + b"\r\n"

    def is_whole(self, answer):
        """Whether this is the answer as far as it shows in its content, which is all there is."""
        return answer.status == self.status and answer.content == self.content \
            and answer.fields("x-target") == [self.target.encode()] \
            and answer.body.endswith(self.trailers + b"\r\n" if self.trailers else b"")

    def row(self):
        """The same in the words of the cassette, without what the recorder may leave out."""
        return (self.method, self.target.encode(), self.status, self.reason, self.framing,
                self.trailers or None, self.upload if self.upload else None,
                None if self.framing == "none" else self.content)


class Origin:
    """Answers on as many connections as come, a thread each."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError), connection, connection.makefile("rb") as requests:
            while line := requests.readline():
                expected = Expected(line.split(b" ")[1].decode())
                while line and line != b"\r\n":
                    line = requests.readline()
                if len(requests.read(len(expected.upload))) < len(expected.upload):
                    return
                for piece in expected.pieces():
                    connection.sendall(piece)
                if expected.framing == "close":
                    return

    def stop(self):
        self.listener.close()


class Asking(threading.Thread):
    """One client: asks for one target after the other until the recorder is gone."""

    def __init__(self, url, name, seed):
        super().__init__(daemon=True)
        self.url, self.prefix = url, name
        self.draw = random.Random(seed)
        # Each with the moment at which it was whole.
        self.answered = []
        self.begun = None
        self.wrong = []

    def run(self):
        number = 0
        with contextlib.suppress(OSError), Client(self.url) as client:
            while True:
                number += 1
                kind = self.draw.choices(KINDS, WEIGHTS)[0]
                self.begun = Expected(f"/{kind}/{self.prefix}/{number}")
                answer = client.exchange(self.begun.request)
                now = time.monotonic()
                # What ends with its connection looks whole wherever a kill cuts it.
                if self.begun.is_whole(answer):
                    self.answered.append((self.begun, now, answer))
                elif self.begun.framing != "close":
                    self.wrong.append(self.begun.target)
                self.begun = None


class Round:
    """One recording, killed, looked at and replayed. Raises AssertionError for what is wrong."""

    def __init__(self, folder, number, seed):
        self.folder = folder
        self.number = number
        self.draw = random.Random(f"{seed}/{number}")
        self.cassette = folder / "cassette.db"

    def run(self):
        """Gives how many answers were received whole."""
        # Every third recording goes on in the file that the one before left.
        mode = []
        if self.number % 3 == 2 and self.cassette.exists():
            mode = ["--mode", "new-episodes"]
        else:
            for path in self.folder.glob("cassette*"):
                path.unlink()
        origin = Origin()
        try:
            asking = self._record(origin, mode)
        finally:
            origin.stop()
        answered = [answer for one in asking for answer in one.answered]
        wrong = [target for one in asking for target in one.wrong]
        assert not wrong, f"not the answer of the origin: {wrong}"
        self._repair()
        stored = self._stored()
        missing = [expected.target for expected, _, _ in answered
                   if expected.target.encode() not in stored]
        assert not missing, f"received and lost: {missing}"
        begun = [one.begun for one in asking if one.begun]
        self._replay(answered, begun, stored)
        return len(answered)

    def _record(self, origin, mode):
        recorder = Fixtured(self.folder, "record", "--quiet", "--upstream", origin.url, *mode,
                            self.cassette)
        try:
            # One alone is recorded in another way, without the writer's thread.
            clients = 1 if self.number % 4 == 3 else CLIENTS
            asking = [Asking(recorder.url, f"{self.number}-{client}", self.draw.random())
                      for client in range(clients)]
            for one in asking:
                one.start()
            time.sleep(self.draw.uniform(0.02, SECONDS))
            killed = time.monotonic()
        finally:
            recorder.kill()
        assert not recorder.errors(), recorder.errors()
        for one in asking:
            one.join(30)
            assert not one.is_alive(), "a client still waits"
            # The kernel ends such an answer for a recorder that is no more.
            one.answered = [(expected, moment, answer) for expected, moment, answer in one.answered
                            if expected.framing != "close" or moment < killed]
        return asking

    def _repair(self):
        # A file that is added to is as it was until the first interaction is in it.
        if self.cassette.with_name("cassette.db-wal").exists():
            done = run("replay", "--listen", "127.0.0.1:0", self.cassette, check=False)
            assert done.returncode == 1 and "verify --repair" in done.stderr, done.stderr
        run("verify", "--repair", self.cassette)
        run("verify", self.cassette)
        left = sorted(path.name for path in self.folder.glob("cassette*"))
        assert left == ["cassette.db"], left

    def _stored(self):
        """The targets that are in the file, each exactly as it has to be."""
        with contextlib.closing(
                sqlite3.connect(f"file:{self.cassette}?mode=ro", uri=True)) as database:
            rows = database.execute(
                "SELECT method, target, status, reason, framing, response_trailers, request_body, "
                "response_body, outcome, response_fields FROM interaction").fetchall()
            stored = set()
            for row in rows:
                expected = Expected(row[1].decode())
                *head, request, response, outcome, fields = row
                found = (*head, content(database, request), content(database, response))
                assert outcome == "complete", (row[1], outcome)
                assert found == expected.row(), f"{row[1]} is not what it was"
                lines = fields.split(b"\r\n")
                assert all(field in lines for field in expected.fields), (row[1], fields)
                assert row[1] not in stored, f"{row[1]} is there twice"
                stored.add(row[1])
        return stored

    def _replay(self, answered, begun, stored):
        asked = {expected.target: answer for expected, _, answer in self.draw.sample(
            answered, min(len(answered), REPLAYED))}
        asked.update((expected.target, None) for expected in begun)
        player = Fixtured(self.folder, "replay", "--quiet", self.cassette)
        try:
            with Client(player.url) as client:
                for target, before in asked.items():
                    expected = Expected(target)
                    answer = client.exchange(expected.request)
                    if target.encode() not in stored:
                        assert answer.status == 501, f"{target} is not in the file and was served"
                        continue
                    assert expected.is_whole(answer), f"{target} is served otherwise"
                    if before:
                        assert before.head == answer.head, (target, before.head, answer.head)
                        assert before.body == answer.body, f"{target}: another body"
            code = player.stop()
            assert code == 0, player.errors()
        finally:
            player.kill()


def content(database, body):
    """None when there is none."""
    if body is None:
        return None
    pieces = database.execute(
        "SELECT bytes FROM body_piece WHERE body_id = ? ORDER BY seq", [body]).fetchall()
    whole = b"".join(piece for piece, in pieces)
    size, digest = database.execute("SELECT size, sha256 FROM body WHERE id = ?", [body]).fetchone()
    assert (size, digest) == (len(whole), hashlib.sha256(whole).digest()), f"body {body}"
    return whole


def run(*arguments, check=True):
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60)
    assert not check or done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done
