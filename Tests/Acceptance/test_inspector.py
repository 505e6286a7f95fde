"""The inspector and a report in a real browser, where one is installed."""

import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

from browser import BROWSER, DRIVER, Browser
from processes import BINARY, Fixtured, free_port

CASSETTE = pathlib.Path(__file__).parents[2] / "cassettes" / "httpbin.db"
ENTER, ESCAPE, UP = "\ue007", "\ue00c", "\ue013"
ROWS = "return [...document.querySelectorAll('#rows tr')].map((row) => row.dataset.number)"


def ask(url, content=None, method=None, **fields):
    data = None if content is None else json.dumps(content).encode()
    fields = {name.replace("_", "-"): value for name, value in fields.items()}
    if data is not None:
        fields["Content-Type"] = "application/json"
    try:
        with urllib.request.urlopen(
                urllib.request.Request(url, data, fields, method=method), timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.code, answer.read()


@unittest.skipUnless(BROWSER and DRIVER, "no chromium and chromedriver here")
class Inspector(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.profile.cleanup)
        cls.browser = Browser(cls.profile.name)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.browser.complaints()

    def replay(self, *options, port=0, **environment):
        before = {name: os.environ.get(name) for name in environment}
        os.environ.update(environment)
        try:
            program = Fixtured(self.folder, "replay", "--quiet", "--control",
                               f"127.0.0.1:{port}", *options, CASSETTE)
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
        self.addCleanup(program.stop)
        control = re.fullmatch(r"control on (http://\S+)", program.line())[1]
        return program, control

    def check_quiet(self, control=None):
        """Nothing on the console, nothing asked of anybody else, no markup of what came."""
        page = self.browser
        self.assertEqual(page.complaints(), [])
        asked = page.run("return performance.getEntriesByType('resource').map((one) => one.name)")
        for url in asked:
            self.assertTrue(control and url.startswith(control + "/"), url)
        self.assertEqual(page.run(
            "return document.querySelectorAll('main img, main script, main iframe').length"), 0)

    def test_a_session_from_nothing_to_its_verdict(self):
        program, control = self.replay(
            "--rule", "GET /gzip: hold door", "--rule",
            "GET /json: first 1, status 503, retry-after 900s")
        page = self.browser
        page.open(control + "/")
        page.wait("return document.getElementById('status').textContent === 'live'")
        self.assertIn(program.url, page.wait(
            "return !document.getElementById('empty').hidden && "
            "document.getElementById('empty').innerText"))
        # What waits is there, and says what for.
        held = threading.Thread(target=ask, args=[program.url + "/gzip"])
        held.start()
        page.wait("return document.querySelector('#rows')?.innerText.includes('held at door')")
        self.assertEqual(page.run(ROWS), ["1"])
        before = page.wait("return document.querySelectorAll('#rows td.open.number')[1]?.innerText")
        page.wait("return document.querySelectorAll('#rows td.open.number')[1].innerText !== "
                  + json.dumps(before))
        page.keys(UP)
        page.wait("return document.getElementById('details').innerText.includes('wait for door')")
        # It is let go by the page, and settles where it is.
        page.keys("5")
        page.wait("return document.querySelector('#rules button:not(.link)')")
        page.click("#rules button:not(.link)")
        held.join()
        page.keys("1")
        page.wait("return document.querySelector('#rows').innerText.includes('completed')")
        self.assertEqual(page.run(ROWS), ["1"])
        page.wait("return document.getElementById('details').innerText.includes('got 200')")
        # The client is judged, and the evidence leads to the exchanges.
        for target in ["/json", "/json", "/none?<img%20src=x>"]:
            ask(program.url + target, X_Evil="<img src=x>")
        page.keys("4")
        page.wait("return document.getElementById('verdict').innerText.includes("
                  "'its answer said after 900 s')")
        self.assertIn("give connections-max", page.text("[data-check=connections]"))
        self.assertIn("nothing", page.text("[data-check=key-reuse]"))
        self.assertIn("1 finding", page.text("[data-check=misses]"))
        page.keys("1", "#attempts-max")
        page.wait("return document.querySelector('[data-check=attempts]').innerText"
                  ".includes('1 finding')")
        page.run("document.activeElement.blur()")
        page.run("[...document.querySelectorAll('#verdict .link')]"
                 ".find((one) => one.textContent === '4').click()")
        page.wait("return document.getElementById('details').innerText.includes('Exchange 4')")
        self.assertIn("X-Evil: <img src=x>", page.text("#details"))
        self.assertIn("is not in the cassette", page.text("#details"))
        # Words of the filter, the recordings, the keyboard.
        page.keys(ESCAPE)
        page.keys("/")
        page.keys("is:miss", "#filter")
        page.wait("return document.querySelectorAll('#rows tr').length === 1")
        page.run("const box = document.getElementById('filter'); box.value = ''; "
                 "box.dispatchEvent(new Event('input')); box.blur()")
        page.keys("6")
        page.wait("return document.querySelectorAll('#recordings-rows tr').length > 20")
        page.keys("/")
        page.keys("etag", "#search")
        page.wait("return document.querySelectorAll('#recordings-rows tr').length === 2")
        page.run("document.activeElement.blur()")
        for view in "231":
            page.keys(view)
        self.assertEqual(page.run(ROWS), ["1", "2", "3", "4"])
        self.check_quiet(control)

    def test_plots_of_what_is_known(self):
        _, control = self.replay()
        page = self.browser
        page.open(control + "/")
        page.wait("return document.getElementById('status').textContent === 'live'")

        def known(number, connection, start, end, head, status, target="/a", body=0):
            return {"number": number, "connection": connection, "received_ms": start,
                    "end_ms": end, "head": {"due_ms": head, "done_ms": head},
                    "outcome": "completed", "request": {"method": "GET", "target": target},
                    "response": {"status": status}, "body_bytes": body}
        exchanges = [
            known(1, 1, 0, 100, 10, 200, body=1000), known(2, 2, 50, 150, 70, 200, "/b", 500),
            known(3, 1, 200, 300, 230, 304), known(4, 2, 200, 400, 240, 200, body=1000)]

        def of(expression):
            return page.run(f"const all = arguments[0]; return {expression}", exchanges)
        self.assertEqual(of("inFlight(all)"), {
            "points": [[0, 1], [0.05, 2], [0.1, 1], [0.15, 0], [0.2, 1], [0.2, 2], [0.3, 1],
                       [0.4, 0]], "most": 2, "mean": 1.25})
        # λ is 4 in 400 ms, two connections were used: 2 / λ is 200 ms; W is 500 ms / 4.
        self.assertEqual(of("little(all)"), {
            "actual": [[0.2, 125]], "law": [[0.2, 200]], "most": 2})
        self.assertEqual(of("[25, 50, 51, 75, 99, 100].map(percentiles(all, length).rank)"),
                         [100, 100, 100, 100, 200, 200])
        self.assertEqual(of("[25, 50, 51, 75, 76].map(percentiles(all, wait).rank)"),
                         [10, 20, 30, 30, 40])
        self.assertEqual(of("revalidation(all)"), {
            "sent": 2500, "spared": 1000, "again": 1000, "answers": 1, "repeats": 1})
        self.assertEqual(of("[ticks(0, 9, 4), ticks(0, 0.31, 3), ticks(88, 95, 6)]"), [
            [0, 5], [0, 0.2], [88, 90, 92, 94]])
        # Many arrivals on few connections that never rest: the lines meet.
        busy = [known(i + 1, i % 4, i // 4 * 100, i // 4 * 100 + 100, i // 4 * 100, 200)
                for i in range(400)]
        for actual, law in page.run(
                "const {actual, law} = little(arguments[0]);"
                "return actual.map((point, i) => [point[1], law[i][1]])", busy):
            self.assertAlmostEqual(actual, 100)
            self.assertAlmostEqual(law, 100, delta=30)

    def test_what_was_forgotten_does_not_come_back(self):
        _, control = self.replay()
        page = self.browser
        page.open(control + "/")
        page.wait("return document.getElementById('status').textContent === 'live'")
        self.assertEqual(page.run(
            "for (let number = 1; number <= KEPT + 2; number += 1) keep({number});"
            "for (const number of [2, 1, 5, KEPT + 2]) keep({number});"
            "const numbers = [...state.all.keys()];"
            "const found = [numbers.length - KEPT, numbers[0], numbers.at(-1) - KEPT,"
            "  state.forgotten];"
            "choose(state.id);"
            "keep({number: 1});"
            "found.push(state.all.size);"
            "choose(state.id);"
            "return found"), [0, 3, 2, 2, 1])
        self.check_quiet(control)

    def test_why_it_is_refused_and_what_failed(self):
        _, control = self.replay()
        port = int(control.rsplit(":", 1)[1])
        page = self.browser
        readers = []
        for _ in range(64):
            one = socket.create_connection(("127.0.0.1", port))
            self.addCleanup(one.close)
            readers.append(one)
            one.sendall(b"GET /v1/sessions/default/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"
                        % port)
            self.assertIn(b" 200 ", one.recv(1 << 16))
        page.open(control + "/")
        page.wait("return document.getElementById('status').textContent"
                  " === '64 clients read events already, trying again'")
        for one in readers:
            one.close()
        page.wait("return document.getElementById('status').textContent === 'live'")
        # That it was refused is on the console, and nothing else.
        for complaint in page.complaints():
            self.assertIn("503", complaint)
        # A mistake of the page is no server that is gone.
        page.run("report((async () => null.member)())")
        page.wait("return document.getElementById('status').textContent"
                  ".startsWith('this page failed: ')")
        self.assertIn("TypeError", "".join(page.complaints()))

    def test_a_token_is_asked_for(self):
        program, control = self.replay(FIXTURED_CONTROL_TOKEN="open-sesame")
        page = self.browser
        ask(program.url + "/json")
        page.open(control + "/")
        page.wait("return !document.getElementById('access').hidden")
        self.assertIn("FIXTURED_CONTROL_TOKEN", page.text("#access-word"))
        self.assertEqual(page.run(ROWS), [])
        page.keys("wrong ☂" + ENTER, "#token")
        page.wait("return document.getElementById('access-word').innerText"
                  " === \"That is not this server's token.\"")
        page.keys("open-sesame" + ENTER, "#token")
        page.wait(ROWS + ".length === 1")
        self.assertTrue(page.run("return document.getElementById('access').hidden"))
        self.assertEqual(page.run(
            "return document.getElementById('token').value + Object.keys(localStorage).join()"
            " + Object.keys(sessionStorage).join() + document.cookie + location.href"),
            control + "/")
        # That it was refused is on the console, and nothing else.
        for complaint in page.complaints():
            self.assertIn("401", complaint)

    def test_a_server_that_goes_and_another_that_comes(self):
        port = free_port()
        first, control = self.replay(port=port)
        page = self.browser
        for _ in range(3):
            ask(first.url + "/json")
        page.open(control + "/")
        page.wait(ROWS + ".length === 3")
        _, made = ask(control + "/v1/sessions", {})
        made = json.loads(made)
        page.wait("return document.getElementById('session').options.length === 2")
        page.run("const box = document.getElementById('session'); box.value = 's1'; "
                 "box.dispatchEvent(new Event('change'))")
        ask(made["urls"][0]["url"] + "/json")
        page.wait(ROWS + ".length === 1")
        ask(control + "/v1/sessions/s1", method="DELETE")
        page.wait("return document.getElementById('status').innerText.includes('has ended')")
        self.assertEqual(page.run(ROWS), ["1"])
        page.run("const box = document.getElementById('session'); box.value = 'default'; "
                 "box.dispatchEvent(new Event('change'))")
        page.wait(ROWS + ".length === 3")
        first.stop()
        page.wait("return document.getElementById('status').innerText.includes('is gone')")
        self.assertEqual(page.run(ROWS), ["1", "2", "3"])
        second, _ = self.replay(port=port)
        ask(second.url + "/html")
        page.wait("return document.getElementById('status').innerText === 'live'")
        page.wait(ROWS + ".length === 1")

    def test_many_exchanges_and_a_report(self):
        program, control = self.replay("--journal", self.folder / "journal.db")
        page = self.browser
        with socket.create_connection(("127.0.0.1", int(program.url.rsplit(":", 1)[1]))) as one:
            many = 5000
            request = b"GET /json HTTP/1.1\r\nHost: a\r\n\r\n"
            last = b"GET /none?<img%20src=x> HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            sender = threading.Thread(target=one.sendall, args=[request * (many - 1) + last])
            sender.start()
            while one.recv(1 << 16):
                pass
            sender.join()
        page.open(control + "/")
        page.wait("return document.getElementById('count').innerText.startsWith('5,000 ')")
        self.assertEqual(page.run("return document.querySelectorAll('#rows tr').length"), 200)
        for view in "2341":
            page.keys(view)
        page.keys("[")
        page.wait("return document.querySelector('#rows tr')?.dataset.number === '4601'")
        self.assertLess(page.run("return document.getElementsByTagName('*').length"), 12000)
        self.check_quiet(control)
        page.open("about:blank")
        program.stop()
        report = self.folder / "report.html"
        subprocess.run([BINARY, "report", self.folder / "journal.db", "-o", report,
                        "--connections-max", "6"], check=True)
        page.open(report.as_uri())
        page.wait("return document.getElementById('count').innerText.startsWith('5,000 ')")
        self.assertIn("/none?<img%20src=x>", page.text("#rows"))
        page.keys("4")
        page.wait("return document.getElementById('verdict').innerText.includes('1 finding')")
        self.assertIn("nothing", page.text("[data-check=connections]"))
        self.assertIn("not judged", page.text("[data-check=unused]"))
        self.assertIn("5,000 exchanges", page.text("#verdict"))
        # What the file does not tell.
        self.assertIn("Exchanges that were open when the file was read", page.text("#verdict"))
        page.run("document.querySelector('#verdict .link').click()")
        page.wait("return document.getElementById('details').innerText.includes('Exchange 5000')")
        page.keys("3")
        page.wait("return document.querySelectorAll('#plots svg').length === 4")
        self.check_quiet()


if __name__ == "__main__":
    unittest.main()
