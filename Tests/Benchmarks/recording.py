"""Benchmarks of record, in front of nginx. Each gives the table's rows and their samples."""

import gc
import time

from measure import (Spread, alternate, cpu_seconds, latencies, private_bytes, rate_and_cpu,
                     ratios, wrk)
from report import Row

SLICE_SECONDS, SLICES_AT_END = 1, 5


def latency(stage):
    """One connection, one request after the other: what recording adds."""
    server = stage.file_server()
    recorder = stage.record(server.url, stage.folder / "recorded.db")
    proxy = stage.proxy(server.url)
    urls = {"direct": server.url, "fixtured": recorder.url, "nginx": proxy.url}
    measures = {name: lambda url=url: latencies(url, "/1k", 2000) for name, url in urls.items()}
    for url in urls.values():
        latencies(url, "/1k", 500)
    gc.disable()
    found = alternate(9, **measures)
    gc.enable()
    rows = []
    for place, name, aim in ((0, "p50", 100), (1, "p99", 5000)):
        ours, peer = (added(found, who, place) for who in ("fixtured", "nginx"))
        rows.append(Row(f"recording, added {name} at one connection",
                        f"{ours.text('{:,.0f}')} µs", f"nginx proxy {peer.median:,.0f} µs", "",
                        f"≤ {aim:,} µs", ours.median <= aim))
    return rows, found


def added(found, name, place):
    """Round by round over the upstream asked directly."""
    return Spread(one[place] - other[place] for one, other in zip(found[name], found["direct"]))


def throughput(stage):
    """64 connections: the share of the upstream's own rate that is left."""
    server = stage.file_server()
    recorder = stage.record(server.url, stage.folder / "recorded.db")
    urls = {"direct": server.url, "fixtured": recorder.url,
            "nginx": stage.proxy(server.url).url, "mitmproxy": stage.mitmproxy(server.url).url}
    measures = {name: lambda url=url: wrk(f"{url}/1k", 2)[1] for name, url in urls.items()}
    measures["fixtured"] = lambda: rate_and_cpu(recorder.process.pid, f"{recorder.url}/1k", 2)
    for url in urls.values():
        wrk(f"{url}/1k", 1)
    found = alternate(5, **measures)
    rates, costs = zip(*found["fixtured"])
    direct = found["direct"]
    ratio = ratios(rates, direct)
    rows = [Row("recording at 64 connections, requests/s", f"{Spread(rates).median:,.0f}",
                f"direct {Spread(direct).median:,.0f}", ratio.text(), "≥ 0.25",
                ratio.median >= 0.25)]
    for name, shown in (("nginx", "nginx proxy, stores nothing"), ("mitmproxy", "mitmproxy")):
        rows.append(Row(f"the same through {shown}", f"{Spread(found[name]).median:,.0f}",
                        "direct", ratios(found[name], direct).text(), "", None))
    rows.append(Row("recording, CPU per exchange", f"{Spread(costs).median:,.1f} µs", "", "", "",
                    None))
    return rows, found


def endurance(stage):
    """Half a million exchanges into one cassette: are the last slices as fast as the first?"""
    aim, deadline = 500_000, time.monotonic() + 65
    recorder = stage.record(stage.file_server().url, stage.folder / "recorded.db")
    pid, url = recorder.process.pid, f"{recorder.url}/1k"
    wrk(url, 2)
    marks, total = [], 0
    while total < aim and time.monotonic() < deadline:
        before = cpu_seconds(pid)
        requests, rate = wrk(url, SLICE_SECONDS)
        cost = (cpu_seconds(pid) - before) / requests * 1e6
        total += requests
        marks.append((total, rate, cost, private_bytes(pid)))
    stage.stop(recorder)
    # What else the machine does shows in a single slice, not in the median of several.
    (first, first_cost), (last, last_cost) = (
        (Spread(mark[1] for mark in slices), Spread(mark[2] for mark in slices))
        for slices in (marks[:SLICES_AT_END], marks[-SLICES_AT_END:]))
    ratio, grown = last.median / first.median, (marks[-1][3] - marks[0][3]) / (1 << 20)
    what = f"recording {total:,} exchanges"
    return [Row(f"{what}, the last {SLICES_AT_END} slices of {SLICE_SECONDS} s",
                f"{last.text('{:,.0f}')}/s", f"the first {first.text('{:,.0f}')}/s",
                f"{ratio:.2f}", "≥ 0.90", ratio >= 0.9),
            Row(f"{what}, CPU per exchange in the last", f"{last_cost.median:,.1f} µs",
                f"in the first {first_cost.median:,.1f} µs",
                f"{last_cost.median / first_cost.median:.2f}", "", None),
            Row(f"{what}, growth of private memory", f"{grown:,.1f} MiB", "", "", "< 8 MiB",
                grown < 8)], marks


BENCHMARKS = [latency, throughput, endurance]
