"""How exactly a replay keeps the times that rules give, by the kernel's own stamps.

Both sides run with real-time priority where that is allowed, so that other processes of the machine
have no part in the figures; what asks and stamps is timing.c.
"""

import json
import resource
import shutil
import subprocess
import time

from measure import KeptConnection, descriptors, private_bytes
from processes import Fixtured
from report import Row
from stage import HERE

CASSETTE = HERE.parents[1] / "cassettes" / "httpbin.db"
REAL_TIME = ["chrt", "-f", "1"]
ROUNDS = 3
RULES = [
    "GET /json: delay 100ms",
    "GET /pieces: status 200, body size 100B, trickle 1B/100ms",
    "GET /rated: status 200, body size 400KB, rate 100KB/s",
    "GET /idle: status 200",
    "GET /held: status 200, body size 1KB, trickle 1B/500ms",
    "GET /encoding/utf8: trickle 1B/500ms",
]


def exactness(stage):
    """Delays, trickles and rates of rules, as the kernel received them."""
    allowed = subprocess.run([*REAL_TIME, "true"], capture_output=True).returncode == 0
    prefix = REAL_TIME if allowed else []
    client = stage.folder / "timing"
    # Swift brings clang along where there is no other compiler.
    compiler = shutil.which("cc") or "clang"
    subprocess.run([compiler, "-O2", "-o", client, HERE / "timing.c"], check=True)
    program = replay(stage, prefix)

    def timed(mode, path, connections, first, second):
        command = [*prefix, client, mode, program.url.rpartition(":")[2], path,
                   str(connections), str(first), str(second)]
        run = subprocess.run(command, check=True, capture_output=True, text=True, timeout=30)
        return json.loads(run.stdout)

    found = {
        "real_time": allowed,
        "delay": [timed("delay", "/json", 1000, 3, 100_000) for _ in range(ROUNDS)],
        "pieces": [timed("pieces", "/pieces", 1000, 100, 100_000)],
        "rate": [timed("rate", "/rated", count, 400_000, 100_000) for count in (1, 100)],
    }
    rows = [*delays(found["delay"]), *pieces(found["pieces"]), *rates(found["rate"])]
    for name, path in {"of a recording": "/encoding/utf8", "of a rule": "/held"}.items():
        each = found[path] = memory(stage, prefix, path)
        if each is not None:
            rows.append(Row(f"private memory of a trickling answer {name}, 10,000 of them, beyond "
                            "an idle connection", f"{each:,.0f} bytes", "", "", "≤ 1,000",
                            each <= 1000))
    return rows, found


def replay(stage, prefix):
    rules = [word for rule in RULES for word in ("--rule", rule)]
    return stage.run(Fixtured(stage.folder, "replay", "--quiet", "--threads", "1", *rules,
                              CASSETTE, prefix=prefix))


def delays(rounds):
    """Of the rounds the one in the middle, but the least of all."""
    rounds = sorted(rounds, key=lambda found: found["over"]["p99_us"])
    over, ideal = rounds[len(rounds) // 2]["over"], min(found["ideal"] for found in rounds)
    least = min(found["over"]["least_us"] for found in rounds)
    what = "delay of 100 ms, 1,000 connections"
    return [
        Row(f"{what}: earliest", f"{least:,.0f} µs late", "", "", "≥ 0", least >= 0),
        Row(f"{what}: late by p50", f"{over['p50_us']:,.0f} µs", "", "", "≤ 100 µs",
            over["p50_us"] <= 100),
        Row(f"{what}: late by p99", f"{over['p99_us']:,.0f} µs", "", "", "≤ 1,000 µs",
            over["p99_us"] <= 1000),
        Row(f"{what}: answers of those that are possible", f"{ideal:.3f}", "", "", "≥ 0.93",
            ideal >= 0.93)]


def pieces(rounds):
    drift = max(found["drift_most"] for found in rounds) * 100
    error = max(found["gap_error"]["p99_us"] for found in rounds)
    what = "a byte each 100 ms, 1,000 connections"
    return [
        Row(f"{what}: drift", f"{drift:.4f} %", "", "", "≤ 0.01 %", drift <= 0.01),
        Row(f"{what}: error of a gap, p99", f"{error:,.0f} µs", "", "", "≤ 1,000 µs",
            error <= 1000)]


def rates(rounds):
    off = max(found["off"] for found in rounds) * 100
    line = max(max(found["behind_ms"], found["ahead_ms"]) for found in rounds)
    what = "100 KB/s over 4 s"
    return [
        Row(f"{what}: error", f"{off:.3f} %", "", "", "≤ 1 %", off <= 1),
        Row(f"{what}: off its line by at most", f"{line:.1f} ms", "", "", "≤ 20 ms", line <= 20)]


def memory(stage, prefix, path):
    """Bytes for each of many answers under way, beyond what their idle connections take."""
    count = 10_000
    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit < count + 500:
        print(f"exactness: no memory measured, `ulimit -Hn` is {limit}")
        return None
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    program = replay(stage, prefix)
    pid, kept = program.process.pid, []
    try:
        for _ in range(count):
            kept.append(KeptConnection(program.url, "/idle"))
            kept[-1].ask()
        descriptors(pid)  # waits until what was closed is gone
        before = private_bytes(pid)
        for connection in kept:
            connection.socket.sendall(connection.request.replace(b"/idle", path.encode()))
        time.sleep(3)
        after = private_bytes(pid)
        for connection in kept[::97]:
            assert connection.socket.recv(4096, 0x40).count(b"\r\n\r\n") == 1, "no answer"
    finally:
        for connection in kept:
            connection.close()
    stage.stop(program)
    return (after - before) / count


BENCHMARKS = [exactness]
