"""Sessions one after another: what is over leaves no memory, no descriptor and no thread behind."""

import http.client
import json
import os
import pathlib
import shutil
import tempfile
import unittest

from processes import Fixtured, Origin

SESSIONS = 2000
WARM = 200


class Sessions(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fixtured-sessions-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def record(self):
        def answer(connection, head):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

        origin = Origin(answer)
        cassette = self.folder / "x.db"
        recorder = Fixtured(self.folder, "record", "--upstream", origin.url, cassette)
        port = int(recorder.url.rsplit(":", 1)[1])
        self.ask(port, "GET", "/feed")
        self.assertEqual(recorder.stop(), 0)
        origin.stop()
        return cassette

    def ask(self, port, method, target, content=None, fields={}):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        if content is not None:
            fields = {**fields, "Content-Type": "application/json"}
        connection.request(method, target, content, fields)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def test_two_thousand(self):
        replay = Fixtured(self.folder, "replay", self.record(), "--control", "127.0.0.1:0")
        self.addCleanup(replay.kill)
        control = int(replay.line().rsplit(":", 1)[1])
        main = int(replay.url.rsplit(":", 1)[1])
        process = pathlib.Path("/proc") / str(replay.process.pid)

        def used():
            lines = (process / "status").read_text().splitlines()
            memory = next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))
            return (memory, len(os.listdir(process / "fd")), len(os.listdir(process / "task")))

        for number in range(SESSIONS):
            rules = json.dumps({"scenario": "GET /feed: first 1, status 503"})
            status, body = self.ask(control, "POST", "/v1/sessions", rules)
            self.assertEqual(status, 201)
            session = json.loads(body)
            port = int(session["urls"][0]["url"].rsplit(":", 1)[1])
            self.assertEqual(self.ask(port, "GET", "/feed")[0], 503)
            field = {"Fixtured-Session": session["id"]}
            self.assertEqual(self.ask(main, "GET", "/feed", None, field)[0], 200)
            status, body = self.ask(control, "DELETE", f"/v1/sessions/{session['id']}")
            self.assertEqual(json.loads(body)["judged"], 2)
            if number == WARM:
                before = used()
        after = used()
        print(f"RssAnon kB, descriptors, threads: {before} after {WARM}, {after} after {SESSIONS}")
        self.assertLessEqual(after[1], before[1] + 2)
        self.assertLessEqual(after[2], before[2])
        # A kilobyte that each of them left would be 1.8 MB.
        self.assertLess(after[0] - before[0], 1800)
        self.assertEqual(replay.stop(), 0)


if __name__ == "__main__":
    unittest.main()
