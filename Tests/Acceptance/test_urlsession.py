"""A program that uses `URLSession` can't tell the replay from the recorder."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from processes import Fixtured, HTTPBin


class URLSession(unittest.TestCase):
    def run_client(self, url):
        done = subprocess.run([os.environ["URLSESSION_CLIENT"], url], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        # Locations and answers that show the address differ by our port.
        return done.stdout.replace(url.removeprefix("http://"), "LISTENER").splitlines()

    def test_replay_gives_what_recording_gave(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="fixtured-urlsession-"))
        self.addCleanup(shutil.rmtree, folder)
        origin = HTTPBin(folder)
        self.addCleanup(origin.kill)
        recorder = Fixtured(folder, "record", "--no-redact", "--upstream", origin.url,
                            str(folder / "c.db"))
        self.addCleanup(recorder.kill)
        recorded = self.run_client(recorder.url)
        self.assertEqual(recorder.stop(), 0)
        origin.stop()
        player = Fixtured(folder, "replay", "--date", "recorded", "--strict",
                          str(folder / "c.db"))
        self.addCleanup(player.kill)
        replayed = self.run_client(player.url)
        self.assertEqual(replayed, recorded)
        self.assertEqual(player.stop(), 0, player.errors())
        self.assertGreater(len([line for line in recorded if not line.startswith(" ")]), 30)


if __name__ == "__main__":
    unittest.main()
