"""What is measured and how: rates by wrk, latencies, CPU and memory by /proc, foreign load."""

import os
import pathlib
import re
import resource
import socket
import statistics
import subprocess
import time
from urllib.parse import urlsplit

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    """User and system time of all threads so far, ended ones too: what clock_getcpuclockid(3)
    names."""
    return time.clock_gettime(~pid << 3 | 2)


def private_bytes(pid):
    """Anonymous resident memory; pages of mapped files are shared and not in it."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"RssAnon:\s*(\d+) kB", text)[1]) * 1024


def descriptors(pid):
    """The fewest within a second: what a client has just closed takes a moment to go."""
    fewest = len(os.listdir(f"/proc/{pid}/fd"))
    for _ in range(20):
        time.sleep(0.05)
        fewest = min(fewest, len(os.listdir(f"/proc/{pid}/fd")))
    return fewest


class Load:
    """How busy the machine was from `__init__` to `end`, and how much of it was not our doing.

    Only right when every process that was started in between has been waited for at the end.
    """

    def __init__(self):
        self.began = time.monotonic()
        self.before = os.getloadavg()[0]
        self.busy, self.ours = self._busy(), self._ours()

    def end(self):
        seconds = time.monotonic() - self.began
        foreign = (self._busy() - self.busy) - (self._ours() - self.ours)
        return {"seconds": round(seconds, 1), "loadavg_before": round(self.before, 2),
                "loadavg_after": round(os.getloadavg()[0], 2),
                "foreign_cores": round(max(foreign, 0) / seconds, 2)}

    @staticmethod
    def _busy():
        """Without interrupts: those that serve our own traffic can't be told from others."""
        words = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
        user, nice, system, steal = (int(words[place]) for place in (1, 2, 3, 8))
        return (user + nice + system + steal) / TICKS

    @staticmethod
    def _ours():
        times = os.times()
        return times.user + times.system + times.children_user + times.children_system


def wrk(url, seconds, connections=64, script=None, **environment):
    """(requests, requests/s); one thread. An answer that is not a success is a failure here."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s"]
    if script:
        command += ["-s", str(script)]
    run = subprocess.run([*command, url], capture_output=True, text=True, check=True,
                         stdin=subprocess.DEVNULL, env={**os.environ, **environment})
    wrong = re.search(r"Non-2xx.*|Socket errors: (?!connect 0, read 0, write 0,).*", run.stdout)
    if wrong:
        raise RuntimeError(f"{url}: {wrong[0]}")
    requests = int(re.search(r"(\d+) requests in", run.stdout)[1])
    return requests, float(re.search(r"Requests/sec:\s+([\d.]+)", run.stdout)[1])


def rate_and_cpu(pid, url, seconds, **options):
    """(requests/s, µs of the process's CPU per request)."""
    return rates_and_cpu(pid, url, seconds, **options)[:2]


def rates_and_cpu(pid, url, seconds, **options):
    """The same, and the µs of wrk's own CPU per request."""
    before, ours = cpu_seconds(pid), children_seconds()
    requests, rate = wrk(url, seconds, **options)
    return (rate, (cpu_seconds(pid) - before) / requests * 1e6,
            (children_seconds() - ours) / requests * 1e6)


def children_seconds():
    """CPU of the processes that were started here and have been waited for."""
    times = resource.getrusage(resource.RUSAGE_CHILDREN)
    return times.ru_utime + times.ru_stime


class KeptConnection:
    """Asks for one path again and again, in the words of wrk.

    The answer has a length and is always as long as the first.
    """

    def __init__(self, url, path):
        parts = urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.request = f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode()
        self.size = None

    def ask(self):
        self.socket.sendall(self.request)
        answer = b""
        while self.size is None or len(answer) < self.size:
            piece = self.socket.recv(65536)
            if not piece:
                raise EOFError(f"closed after {answer!r}")
            answer = answer + piece if answer else piece
            if self.size is None and b"\r\n\r\n" in answer:
                self.size = self._size(answer)

    @staticmethod
    def _size(answer):
        head, _, _ = answer.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200 "):
            raise RuntimeError(f"not the answer: {head!r}")
        return len(head) + 4 + int(re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)[1])

    def close(self):
        self.socket.close()


class PostingConnection:
    """Posts JSON to one path."""

    def __init__(self, url, path):
        parts = urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.head = (f"POST {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
                     "Content-Type: application/json\r\nContent-Length: ").encode()

    def ask(self, content, status=200):
        self.socket.sendall(self.head + b"%d\r\n\r\n" % len(content) + content)
        answer = b""
        while not self._is_whole(answer):
            piece = self.socket.recv(65536)
            if not piece:
                raise EOFError(f"closed after {answer!r}")
            answer += piece
        if not answer.startswith(b"HTTP/1.1 %d " % status):
            raise RuntimeError(f"not the answer: {answer!r}")

    @staticmethod
    def _is_whole(answer):
        head, end, content = answer.partition(b"\r\n\r\n")
        size = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        return bool(end) and len(content) >= int(size[1])

    def close(self):
        self.socket.close()


def latencies(url, path, count):
    """(p50, p99) in µs of requests one after the other on one connection."""
    connection = KeptConnection(url, path)
    found = []
    try:
        for _ in range(count):
            began = time.perf_counter_ns()
            connection.ask()
            found.append((time.perf_counter_ns() - began) / 1000)
    finally:
        connection.close()
    found.sort()
    return found[count // 2], found[count * 99 // 100]


def alternate(rounds, **subjects):
    """Measures each subject in turn, `rounds` times over; the results by name, in order."""
    results = {name: [] for name in subjects}
    for _ in range(rounds):
        for name, measure in subjects.items():
            results[name].append(measure())
    return results


class Spread:
    """Median and both ends of what repeated measuring gave."""

    def __init__(self, values):
        values = list(values)
        self.median, self.least, self.most = statistics.median(values), min(values), max(values)

    def text(self, form="{:,.2f}"):
        return f"{form.format(self.median)} ({form.format(self.least)} to {form.format(self.most)})"


def ratios(first, second):
    """Round by round, so that what slows the whole machine for a while falls out."""
    return Spread(one / other for one, other in zip(first, second))
