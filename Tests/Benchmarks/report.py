"""The table, and where it ran."""

import dataclasses
import os
import pathlib
import platform
import re
import subprocess
import sys

from stage import NGINX_PROGRAM

ROOT = pathlib.Path(__file__).parents[2]
BEGIN, END = "<!-- begin of the table -->\n", "<!-- end of the table -->\n"


@dataclasses.dataclass
class Row:
    """`met` is nothing where there is no aim; `ratio` is that of fixtured to the other."""

    what: str
    figure: str
    other: str
    ratio: str
    aim: str
    met: bool | None

    def line(self):
        aim = self.aim if self.met is not False else f"{self.aim}, **missed**"
        return f"| {self.what} | {self.figure} | {self.other} | {self.ratio} | {aim} |"


def table(result):
    lines = ["| | fixtured | beside it | ratio | aim |", "|---|---|---|---|---|"]
    for name, benchmark in result["benchmarks"].items():
        if "failed" in benchmark:
            lines.append(f"| {name} | did not end: {benchmark['failed']} | | | |")
        lines += [Row(**row).line() for row in benchmark["rows"]]
    return "\n".join([*lines, "", conditions(result), ""])


def conditions(result):
    loads = [benchmark["load"] for benchmark in result["benchmarks"].values()]
    foreign = [load["foreign_cores"] for load in loads]
    machine = result["machine"]
    return (f"{result['date']}, {machine['processor']}, {machine['cores']} cores, Linux "
            f"{machine['kernel']}, {result['versions']['nginx']}, "
            f"mitmproxy {result['versions']['mitmproxy']}. Load average at the start "
            f"{loads[0]['loadavg_before']}; other processes took {min(foreign):.2f} to "
            f"{max(foreign):.2f} cores meanwhile.")


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    found = re.search(r"model name\s*: (.*)", text)
    return {"processor": " ".join(found[1].split()) if found else platform.machine(),
            "cores": len(os.sched_getaffinity(0)), "kernel": platform.release()}


def versions():
    def said(*command):
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             stdin=subprocess.DEVNULL, cwd=ROOT)
        return (run.stdout.strip().splitlines() or ["unknown"])[0]

    mitmdump = pathlib.Path(sys.executable).with_name("mitmdump")
    return {"fixtured": said("git", "describe", "--always", "--dirty"),
            "nginx": said(NGINX_PROGRAM, "-v").removeprefix("nginx version: "),
            "wrk": said("dpkg-query", "-W", "-f", "${Version}", "wrk"),
            "valgrind": said("valgrind", "--version"),
            "mitmproxy": said(str(mitmdump), "--version").removeprefix("Mitmproxy: ")}


def put_into_readme(text):
    path = ROOT / "README.md"
    before, begin, rest = path.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit("README.md has no place for the table")
    path.write_text(before + BEGIN + text + END + after)
