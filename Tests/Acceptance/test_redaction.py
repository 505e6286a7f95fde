"""Secrets go to the client and to the upstream, never into the file."""

import pathlib
import shutil
import tempfile
import unittest

import corpus
from processes import Fixtured, Origin
from wire import Client

SECRETS = [b"S3CRET-bearer", b"S3CRET-cookie", b"S3CRET-key", b"S3CRET-query", b"S3CRET-own",
           b"dXNlcjpTM0NSRVQtYmFzaWM=", b"S3CRET-set", b"S3CRET-location", b"S3CRET-twice"]
REQUESTS = [
    corpus.get("/1", ("Authorization", "Bearer S3CRET-bearer")),
    corpus.get("/2", ("Authorization", "Basic dXNlcjpTM0NSRVQtYmFzaWM=")),
    corpus.get("/3", ("Cookie", "session=S3CRET-cookie; b=S3CRET-twice")),
    corpus.get("/4", ("X-Api-Key", "S3CRET-key"), ("X-Own", "S3CRET-own")),
    corpus.get("/5?access_token=S3CRET-query&page=2", ("X-Api-Key", "S3CRET-twice")),
    corpus.get("/5?access_token=S3CRET-twice&page=3"),
]
ANSWER = (b"HTTP/1.1 302 Found\r\nSet-Cookie: session=S3CRET-set; Path=/; HttpOnly\r\n"
          b"Location: /callback?code=S3CRET-location&state=kept\r\nContent-Length: 2\r\n\r\nok")


class Redaction(unittest.TestCase):
    def test_secrets_are_not_in_the_file_and_replay_works_without_them(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="fixtured-redaction-"))
        self.addCleanup(shutil.rmtree, folder)
        heads = []

        def answer(connection, head):
            heads.append(head)
            connection.sendall(ANSWER)

        origin = Origin(answer)
        self.addCleanup(origin.stop)
        recorder = Fixtured(folder, "record", "--redact", "header:X-Own", "--upstream", origin.url,
                            str(folder / "c.db"))
        self.addCleanup(recorder.kill)
        with Client(recorder.url) as client:
            answers = [client.exchange(request) for request in REQUESTS]
            # While it records, the file and what lies beside it are as clean as at the end.
            self.check_files(folder)
        self.assertEqual(recorder.stop(), 0)
        self.check_files(folder)
        seen = b"".join(heads)
        for secret in SECRETS:
            if secret not in (b"S3CRET-set", b"S3CRET-location"):
                self.assertIn(secret, seen)
        for answer in answers:
            self.assertIn(b"S3CRET-set", answer.head)
            self.assertIn(b"S3CRET-location", answer.head)
        player = Fixtured(folder, "replay", "--strict", str(folder / "c.db"))
        self.addCleanup(player.kill)
        with Client(player.url) as client:
            replayed = [client.exchange(request) for request in REQUESTS]
        self.assertEqual(player.stop(), 0, player.errors())
        for answer in replayed:
            self.assertEqual((answer.status, answer.content), (302, b"ok"))
            self.assertRegex(answer.fields("set-cookie")[0],
                             rb"^session=REDACTED-\d+; Path=/; HttpOnly$")
            self.assertRegex(answer.fields("location")[0],
                             rb"^/callback\?code=REDACTED-\d+&state=kept$")

    def check_files(self, folder):
        for path in folder.iterdir():
            stored = path.read_bytes()
            for secret in SECRETS:
                self.assertFalse(secret in stored, f"{secret} is in {path.name}")


if __name__ == "__main__":
    unittest.main()
