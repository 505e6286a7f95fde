"""A browser without a window, driven by W3C WebDriver (https://www.w3.org/TR/webdriver2/)."""

import json
import re
import shutil
import subprocess
import time
import urllib.request

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    def __init__(self, folder):
        self.driver = subprocess.Popen(
            [DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            cwd=folder)
        port = None
        while port is None:
            line = self.driver.stdout.readline()
            assert line, "chromedriver ended"
            found = re.search(r"started successfully on port (\d+)", line)
            port = found and found[1]
        self.base = f"http://127.0.0.1:{port}/session"
        arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                     "--window-size=1400,900", f"--user-data-dir={folder}/browser"]
        made = self.ask("", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"binary": BROWSER, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.base += "/" + made["sessionId"]

    def ask(self, path, content=None, method=None):
        data = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(
            self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def open(self, url):
        self.ask("/url", {"url": url})

    def run(self, script, *arguments):
        """What a function body returns in the page."""
        return self.ask("/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, seconds=60):
        """What a script returns once that is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.run(script)
            if found:
                return found
            time.sleep(0.1)
        page = self.run("return document.body.innerText")
        raise AssertionError(f"never true: {script}\n{page}")

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).innerText", selector)

    def keys(self, text, selector="body"):
        """Types into what a selector finds."""
        one = self.ask("/element", {"using": "css selector", "value": selector})[ELEMENT]
        self.ask(f"/element/{one}/value", {"text": text})

    def click(self, selector):
        one = self.ask("/element", {"using": "css selector", "value": selector})[ELEMENT]
        self.ask(f"/element/{one}/click", {})

    def complaints(self):
        """What the console has heard since it was asked last."""
        return [one["message"] for one in self.ask("/se/log", {"type": "browser"})
                if one["level"] in ("SEVERE", "WARNING")]

    def close(self):
        try:
            self.ask("", method="DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
