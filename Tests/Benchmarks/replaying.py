"""Benchmarks of replay. Each gives the rows of the table and the samples behind them."""

import re
import resource
import subprocess
import time

from cassettes import filled, recorded, target
from measure import (KeptConnection, Spread, alternate, cpu_seconds, descriptors,
                     private_bytes, rate_and_cpu, rates_and_cpu, ratios, wrk)
from processes import BINARY, Fixtured
from report import Row
from stage import HERE, SIZES

CPU_AIM = {"1k": 0.75, "64k": 0.80, "1m": 0.80}
SHOWN = {"1k": "1 KB", "64k": "64 KB", "1m": "1 MB"}


def replay(stage):
    """64 connections: a recorded file and the file itself."""
    server = stage.file_server()
    program = stage.replay(recorded(stage, server), "--threads", "1")
    rows, samples = [], {}
    for name in SIZES:
        wrk(f"{program.url}/{name}", 1)
        found = alternate(
            5,
            fixtured=lambda: rates_and_cpu(program.process.pid, f"{program.url}/{name}", 2),
            nginx=lambda: rates_and_cpu(server.worker, f"{server.url}/{name}", 2))
        samples[name] = found
        (rates, costs, wrks), (peer_rates, peer_costs, peer_wrks) = (
            zip(*found[who]) for who in found)
        rate, cost = ratios(rates, peer_rates), ratios(costs, peer_costs)
        what = f"replay of {SHOWN[name]}"
        rows.append(Row(f"{what}, CPU per request", f"{Spread(costs).median:,.1f} µs",
                        f"nginx {Spread(peer_costs).median:,.1f} µs", cost.text(),
                        f"≤ {CPU_AIM[name]:.2f}", cost.median <= CPU_AIM[name]))
        rows.append(Row(f"{what}, requests/s", f"{Spread(rates).median:,.0f}",
                        f"nginx {Spread(peer_rates).median:,.0f}", rate.text(), "≥ 1.20",
                        rate.median >= 1.2))
        # Where this is a whole core, no server can give wrk more.
        rows.append(Row(f"{what}, wrk's own CPU, cores", f"{cores(rates, wrks):.2f}",
                        f"of nginx {cores(peer_rates, peer_wrks):.2f}", "", "", None))
    return rows, samples


def cores(rates, costs):
    return Spread(rate * cost / 1e6 for rate, cost in zip(rates, costs)).median


def instructions(stage):
    """The difference of two runs under callgrind, so that starting and ending cancel out."""
    cassette = recorded(stage, stage.file_server())
    # Debian's valgrind gives up on debug information as large as ours.
    stripped = stage.folder / "fixtured"
    subprocess.run(["strip", "--strip-debug", "-o", stripped, BINARY], check=True)
    kinds = (("", 4000, []), (", journaled in memory", 5000, ["--control", "127.0.0.1:0"]),
             (", journaled in a file", 7000, ["--journal", stage.folder / "journal.db"]))
    rows, counts = [], {}
    for words, most, options in kinds:
        few, lot = (counted(stage, stripped, cassette, requests, options)
                    for requests in (1000, 6000))
        counts[words] = few, lot
        each = (lot - few) / 5000
        rows.append(Row(f"replay of 1 KB{words}, user instructions", f"{each:,.0f}", "", "",
                        f"≤ {most:,}", each <= most))
    return rows, counts


def counted(stage, binary, cassette, requests, options):
    """Instructions of a run that answers so many requests."""
    result = stage.folder / "callgrind"
    program = stage.run(Fixtured(
        stage.folder, "replay", "--quiet", "--threads", "1", *options, cassette, binary=binary,
        prefix=["valgrind", "--tool=callgrind", f"--callgrind-out-file={result}"]))
    connection = KeptConnection(program.url, "/1k")
    for _ in range(requests):
        connection.ask()
    connection.close()
    stage.stop(program)
    return int(re.search(r"^(?:totals|summary): (\d+)", result.read_text(), re.MULTILINE)[1])


def many(stage):
    """A random one of many interactions, and a random one of few."""
    cassette = recorded(stage, stage.file_server())
    measures = {}
    for count in (10, 10_000):
        program = stage.replay(filled(stage, cassette, count, 1024), "--threads", "1")
        measures[f"of_{count}"] = random_one(program, count)
    for measure in measures.values():
        measure()
    found = alternate(7, **measures)
    (_, few), (_, lot) = (zip(*found[name]) for name in found)
    ratio = ratios(lot, few)
    return [Row("random one of 10,000 interactions, CPU per request",
                f"{Spread(lot).median:,.1f} µs", f"of ten {Spread(few).median:,.1f} µs",
                ratio.text(), "≤ 1.10", ratio.median <= 1.1)], found


def random_one(program, count):
    return lambda: rate_and_cpu(program.process.pid, program.url, 2, script=HERE / "random.lua",
                                COUNT=str(count))


def start(stage):
    """From the start of the process to the end of its first answer; its CPU and memory then."""
    cassette = recorded(stage, stage.file_server())
    measures = {}
    for count in (10, 100_000):
        path = filled(stage, cassette, count, 2048)
        measures[f"with_{count}"] = lambda path=path: first_answer(stage, path)
    for measure in measures.values():
        measure()
    found = alternate(20, **measures)
    few, lot = (list(zip(*found[name])) for name in found)
    rows = [start_row("10", few, 15), start_row("100,000", lot, 60)]
    most = max(lot[2]) / 1e6
    rows.append(Row("private memory then, with 100,000 interactions", f"{most:,.1f} MB", "", "",
                    "≤ 40 MB", most <= 40))
    return rows, found


def first_answer(stage, cassette):
    began = time.perf_counter()
    program = stage.replay(cassette)
    connection = KeptConnection(program.url, target(7))
    connection.ask()
    milliseconds = (time.perf_counter() - began) * 1000
    pid = program.process.pid
    cost, memory = cpu_seconds(pid) * 1000, private_bytes(pid)
    connection.close()
    stage.stop(program)
    return milliseconds, cost, memory


def start_row(count, found, aim):
    spread = Spread(found[0])
    return Row(f"start to first answer, {count} interactions of 2 KB",
               f"{spread.text('{:,.1f}')} ms", f"CPU {Spread(found[1]).median:,.1f} ms", "",
               f"≤ {aim} ms", spread.median <= aim)


def idle(stage):
    """Connections that were answered once and then kept."""
    count = 10_000
    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit < count + 500:
        print(f"idle: skipped, `ulimit -Hn` is {limit} and {count + 500} are needed")
        return [], {"skipped": f"hard limit of {limit} descriptors"}
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    program = stage.replay(recorded(stage, stage.file_server()), "--threads", "1")
    wrk(f"{program.url}/1k", 1)
    pid = program.process.pid
    before, kept = private_bytes(pid), []
    try:
        for _ in range(count):
            kept.append(KeptConnection(program.url, "/1k"))
            kept[-1].ask()
        open_ones, after = descriptors(pid), private_bytes(pid)
    finally:
        for connection in kept:
            connection.close()
    each = (after - before) / count
    return [Row("private memory of an idle connection, 10,000 of them", f"{each:,.0f} bytes",
                "", "", "≤ 3,072", each <= 3072)], {
                    "before": before, "after": after, "descriptors": open_ones}


def steady(stage):
    """A million requests leave no memory and no descriptors behind."""
    aim, deadline = 1_000_000, time.monotonic() + 60
    program = stage.replay(recorded(stage, stage.file_server()), "--threads", "1")
    pid, url = program.process.pid, f"{program.url}/1k"
    wrk(url, 1)
    marks, total = [(0, private_bytes(pid), descriptors(pid))], 0
    while total < aim and time.monotonic() < deadline:
        total += wrk(url, 5)[0]
        marks.append((total, private_bytes(pid), descriptors(pid)))
    grown, left = marks[-1][1] - marks[0][1], marks[-1][2] - marks[0][2]
    return [Row(f"growth over {total:,} requests", f"{grown / 1024:,.0f} KiB, {left} descriptors",
                "", "", "≤ 1,024 KiB, 0", grown <= 1 << 20 and left <= 0)], marks


def journaling(stage):
    """The same replay without a journal, with one in memory, and with one in a file as well."""
    cassette = recorded(stage, stage.file_server())
    folder = stage.folder
    programs = {
        "without": stage.replay(cassette, "--threads", "1"),
        "memory": stage.replay(cassette, "--threads", "1", "--control", "127.0.0.1:0"),
        "file": stage.replay(cassette, "--threads", "1", "--journal", folder / "journal.db")}
    rows, samples = [], {}
    for name in ("1k", "64k"):
        measures = {who: lambda program=program: journaled(program, f"{program.url}/{name}")
                    for who, program in programs.items()}
        for measure in measures.values():
            measure()
        found = alternate(7, **measures)
        samples[name] = found
        for who, words in (("memory", "in memory"), ("file", "in a file")):
            ratio = ratios(found[who], found["without"])
            rows.append(Row(f"replay of {SHOWN[name]}, journaled {words}, CPU per request",
                            f"{Spread(found[who]).median:,.1f} µs",
                            f"without {Spread(found['without']).median:,.1f} µs", ratio.text(),
                            "≤ 1.10", ratio.median <= 1.1))
    return rows, samples


def journaled(program, url):
    """µs of CPU per request, with what the writer's thread does a little later."""
    before = cpu_seconds(program.process.pid)
    requests, _ = wrk(url, 1)
    time.sleep(0.5)
    return (cpu_seconds(program.process.pid) - before) / requests * 1e6


BENCHMARKS = [replay, instructions, many, start, idle, steady, journaling]
