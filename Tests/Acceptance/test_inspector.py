"""The inspector and a report in a real browser, where one is installed."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

from processes import BINARY, Fixtured

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
CASSETTE = pathlib.Path(__file__).parents[2] / "cassettes" / "httpbin.db"


@unittest.skipUnless(BROWSER, "no chromium here")
class Inspector(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def shown(self, url):
        """The page as it stands after some seconds of the browser's time, and its complaints."""
        run = subprocess.run(
            [BROWSER, "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
             f"--user-data-dir={self.folder / 'browser'}", "--enable-logging=stderr", "--v=0",
             "--virtual-time-budget=5000", "--dump-dom", url],
            capture_output=True, text=True, timeout=120, check=True, cwd=self.folder)
        return run.stdout, re.findall(r".*CONSOLE.*", run.stderr)

    def ask(self, url):
        try:
            urllib.request.urlopen(url, timeout=60).close()
        except urllib.error.HTTPError as answer:
            answer.close()

    def check(self, page, complaints):
        self.assertEqual(complaints, [])
        rows = re.findall(r'<tr data-number="(\d+)"', page)
        self.assertEqual(rows, ["1", "2", "3"])
        self.assertIn("recording 2", page)
        self.assertIn("/none?&lt;img%20src=x&gt;", page)
        self.assertNotIn("<img", page)

    def test_page_and_report(self):
        program = Fixtured(self.folder, "replay", "--quiet", "--control", "127.0.0.1:0",
                           "--journal", self.folder / "journal.db", CASSETTE)
        try:
            control = re.fullmatch(r"control on (http://\S+)", program.line())[1]
            for target in ["/json", "/json", "/none?<img%20src=x>"]:
                self.ask(program.url + target)
            self.check(*self.shown(control + "/"))
        finally:
            program.stop()
        report = self.folder / "report.html"
        subprocess.run([BINARY, "report", self.folder / "journal.db", "-o", report], check=True)
        self.check(*self.shown(report.as_uri()))


if __name__ == "__main__":
    unittest.main()
