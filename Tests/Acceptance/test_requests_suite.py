"""The tests of the Python library `requests`, through the recorder, then from the recording.

Somebody else's expectations of an HTTP server: what passes against httpbin through `fixtured
record` must pass against `fixtured replay` when httpbin is gone.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from processes import Fixtured, HTTPBin

HERE = pathlib.Path(__file__).parent
SUITE = HERE.parent.parent / ".build/acceptance/requests-2.32.3"


class RequestsSuite(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fixtured-suite-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_suite(self, url):
        """The outcome of every test that talks to the server, by its name."""
        log = self.folder / "outcomes.txt"
        log.unlink(missing_ok=True)
        # Some of the tests are about variables like HTTP_PROXY: the machine's own must not matter.
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "TMPDIR": str(self.folder),
            "PYTHONPATH": str(HERE / "requests_suite"), "PYTHONDONTWRITEBYTECODE": "1",
            "FIXTURED_SUITE_URL": url, "FIXTURED_SUITE_LOG": str(log)}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:httpbin",
             "-p", "fixtured_suite", "-W", "ignore", "tests/test_requests.py"],
            cwd=SUITE, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
            timeout=300)
        self.report = done.stdout[-8000:] + done.stderr[-2000:]
        self.assertIn(done.returncode, (0, 1), self.report)
        outcomes = {}
        for line in log.read_text().splitlines():
            outcome, phase, name = line.split(" ", 2)
            outcomes[name] = f"{outcome} in {phase}"
        return outcomes

    def test_what_passes_while_recording_passes_in_replay(self):
        origin = HTTPBin(self.folder)
        self.addCleanup(origin.kill)
        direct = self.run_suite(origin.url)
        cassette = self.folder / "requests.db"
        # Tests compare what httpbin says of its own address with where they sent the request, so
        # the recording needs their Host, and the replay the recorder's port.
        recorder = Fixtured(self.folder, "record", "--no-redact", "--preserve-host", "--upstream",
                            origin.url, str(cassette))
        self.addCleanup(recorder.kill)
        recorded = self.run_suite(recorder.url)
        self.assertEqual(recorded, direct, self.report)
        self.assertEqual(recorder.stop(), 0, recorder.errors())
        origin.stop()
        player = Fixtured(self.folder, "replay", "--strict", str(cassette),
                          listen=recorder.url.removeprefix("http://"))
        self.addCleanup(player.kill)
        replayed = self.run_suite(player.url)
        self.assertEqual(replayed, recorded, self.report)
        self.assertEqual(player.stop(), 0, player.errors())
        passed = [name for name, outcome in recorded.items() if outcome == "passed in call"]
        self.assertGreater(len(passed), 100)


if __name__ == "__main__":
    unittest.main()
