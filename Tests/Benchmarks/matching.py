"""Benchmarks of matching: JSON that is posted to one path, and found by its value."""

import hashlib
import json
import random
import time

from cassettes import posted, recorded
from measure import (PostingConnection, Spread, alternate, cpu_seconds, private_bytes,
                     ratios)
from report import Row

COUNT = 100_000
PATH = "/orders"


def order(number):
    """About 2 KB, with the same members in each; no two are equal."""
    text = hashlib.shake_128(b"%d" % number).hexdigest(900)
    items = [{"sku": text[place:place + 9], "count": number % (index + 2),
              "price": number / 100 + index, "text": text[place:place + 115]}
             for index, place in enumerate(range(400, 1600, 120))]
    return {"id": number, "customer": {"name": text[:20], "mail": text[20:40]},
            "note": text[40:400], "total": number * 7 / 100, "paid": True, "items": items}


def as_recorded(value):
    return json.dumps(value, separators=(",", ":")).encode()


def spelled(value, draw):
    """Another spelling of the same value, another one each time."""
    members = list(value.items())
    draw.shuffle(members)
    text = json.dumps(dict(members), separators=(", ", ": "))
    return (" " * draw.randrange(1000) + text + "\n").encode()


def content(stage):
    """JSON POSTs to one path, found by value among ten and among 100,000, and missed."""
    cassette = recorded(stage, stage.file_server())
    rows, samples, programs = [], {}, {}
    for count in (10, COUNT):
        path = posted(stage, cassette, count, lambda number: as_recorded(order(number)), PATH)
        programs[count] = stage.replay(path, "--threads", "1")
    connections = {count: PostingConnection(program.url, PATH)
                   for count, program in programs.items()}
    firsts = [first_match(stage, stage.folder / f"posted-{COUNT}.db") for _ in range(5)]
    samples["first match"] = firsts
    times, cpu = zip(*firsts)
    rows.append(milliseconds("first match among 100,000 JSON POSTs of 2 KB", times, 500,
                             f"CPU {Spread(cpu).median:,.0f} ms"))
    for count, connection in connections.items():
        connection.ask(spelled(order(count), random.Random(0)))
    for what, spell in {"another spelling": spelled, "the same bytes": None}.items():
        found = alternate(7, **{f"of_{count}": costs(programs[count], connections[count], count,
                                                     spell) for count in programs})
        rows.append(compared(what, found))
        samples[what] = found
    found = alternate(7, **{f"of_{count}": costs_again(programs[count], connections[count], count)
                            for count in programs})
    rows.append(compared("asked for before", found))
    samples["asked for before"] = found
    misses = [missed(programs[COUNT], connections[COUNT], number) for number in range(100)]
    samples["miss"] = misses
    times, cpu = zip(*misses)
    rows.append(milliseconds("a miss among them", times, 50, f"CPU {Spread(cpu).median:,.1f} ms"))
    memory = private_bytes(programs[COUNT].process.pid)
    samples["private bytes"] = memory
    rows.append(Row("private memory then", f"{memory / 1e6:,.1f} MB", "", "", "", None))
    return rows, samples


def compared(what, found):
    few, lot = found.values()
    ratio = ratios(lot, few)
    return Row(f"one of 100,000 JSON POSTs, {what}, CPU per request",
               f"{Spread(lot).median:,.1f} µs", f"of ten {Spread(few).median:,.1f} µs",
               ratio.text(), "≤ 2.00", ratio.median <= 2)


def milliseconds(what, found, aim, beside=""):
    spread = Spread(found)
    return Row(what, f"{spread.text('{:,.1f}')} ms", beside, "", f"≤ {aim} ms",
               spread.median <= aim)


def first_match(stage, path):
    """Milliseconds from the first request of a process to its answer, and its CPU meanwhile."""
    program = stage.replay(path, "--threads", "1")
    connection = PostingConnection(program.url, PATH)
    before = cpu_seconds(program.process.pid)
    found = timed(lambda: connection.ask(spelled(order(COUNT // 2), random.Random(0))))
    found = found, (cpu_seconds(program.process.pid) - before) * 1000
    connection.close()
    stage.stop(program)
    return found


def missed(program, connection, number):
    """Milliseconds of a miss whose nearest recording differs in one place, and CPU meanwhile."""
    value = order(number * 997 % COUNT + 1)
    value["items"][3]["count"] = -1
    before = cpu_seconds(program.process.pid)
    found = timed(lambda: connection.ask(as_recorded(value), status=501))
    return found, (cpu_seconds(program.process.pid) - before) * 1000


def timed(work):
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def costs(program, connection, count, spell):
    """µs of the process's CPU per request, for a thousand requests of random ones, which among many
    were mostly not asked for before."""
    draw = random.Random(count)

    def measure():
        numbers = [draw.randrange(count) + 1 for _ in range(1000)]
        return cost(program, connection,
                    [spell(order(number), draw) if spell else as_recorded(order(number))
                     for number in numbers])
    return measure


def costs_again(program, connection, count):
    """The same for a thousand that were asked for before."""
    draw = random.Random(-count)
    values = [as_recorded(order(draw.randrange(count) + 1)) for _ in range(1000)]
    cost(program, connection, values)
    return lambda: cost(program, connection, values)


def cost(program, connection, values):
    before = cpu_seconds(program.process.pid)
    for value in values:
        connection.ask(value)
    return (cpu_seconds(program.process.pid) - before) / len(values) * 1e6


BENCHMARKS = [content]
