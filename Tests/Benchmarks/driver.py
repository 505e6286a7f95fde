"""Runs the benchmarks one after the other, each and all within a bounded time; see run.sh."""

import dataclasses
import datetime
import json
import pathlib
import signal
import sys
import time
import traceback

import exactness
import matching
import recording
import replaying
import report
from measure import Load
from stage import Stage

SECONDS_EACH, SECONDS_ALL = 90, 600
BENCHMARKS = {run.__name__: run
              for module in (replaying, exactness, matching, recording)
              for run in module.BENCHMARKS}


def main(words):
    readme = "--readme" in words
    names = [word for word in words if word != "--readme"] or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"no benchmark {' '.join(unknown)}; there are: {' '.join(BENCHMARKS)}")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    signal.signal(signal.SIGALRM, out_of_time)
    result = {"date": datetime.date.today().isoformat(), "machine": report.machine(),
              "versions": report.versions(), "benchmarks": {}}
    deadline = time.monotonic() + SECONDS_ALL
    for name in names:
        print(f"{name}: {BENCHMARKS[name].__doc__}", file=sys.stderr, flush=True)
        result["benchmarks"][name] = outcome(BENCHMARKS[name], deadline - time.monotonic())
    path = pathlib.Path(__file__).with_name("result.json")
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(report.table(result), end="")
    if readme:
        report.put_into_readme(report.table(result))
    return any("failed" in benchmark for benchmark in result["benchmarks"].values())


def outcome(benchmark, seconds_left):
    load = Load()
    found = {"rows": []}
    try:
        signal.alarm(max(1, min(SECONDS_EACH, int(seconds_left))))
        with Stage() as stage:
            rows, samples = benchmark(stage)
            signal.alarm(0)
        found.update(rows=[dataclasses.asdict(row) for row in rows], samples=samples)
    except Exception as error:
        signal.alarm(0)
        traceback.print_exc()
        found["failed"] = f"{type(error).__name__}: {error}".splitlines()[0]
    found["load"] = load.end()
    return found


def out_of_time(*_):
    raise TimeoutError("out of time")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
