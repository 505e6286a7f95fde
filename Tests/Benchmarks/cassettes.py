"""The cassettes that are replayed: recorded by fixtured, and filled up in its documented format."""

import hashlib
import random
import shutil
import sqlite3

from measure import KeptConnection
from stage import SIZES, verify


def recorded(stage, server):
    """One interaction for each file of the server."""
    cassette = stage.folder / "files.db"
    recorder = stage.record(server.url, cassette)
    for name in SIZES:
        connection = KeptConnection(recorder.url, f"/{name}")
        connection.ask()
        connection.close()
    stage.stop(recorder)
    return cassette


def target(number):
    """random.lua asks for the same."""
    return f"/item/{number}/detail?lang=en&page={number % 7}"


def filled(stage, cassette, count, size):
    """`count` interactions like the recorded `/1k`, each with a target and content of its own."""
    path = stage.folder / f"filled-{count}-{size}.db"
    database, model, insert = emptied(cassette, path)
    model["response_fields"] = model["response_fields"].replace(
        b"Content-Length: 1024", b"Content-Length: %d" % size)
    model["arrivals"] = leb128(0) + leb128(size)
    source = random.Random(7)
    for number in range(1, count + 1):
        put(database, number, source.randbytes(size // 2).hex().encode())
        database.execute(insert, {**model, "id": number, "response_body": number,
                                  "target": target(number).encode()})
    return closed(database, path, count)


def posted(stage, cassette, count, content, target):
    """`count` interactions like the recorded `/1k`, all to one target, each asked with JSON of its
    own: `content` gives it for the numbers from 1."""
    path = stage.folder / f"posted-{count}.db"
    database, model, insert = emptied(cassette, path)
    answer = b"0123456789abcdef" * 64
    put(database, count + 1, answer)
    for number in range(1, count + 1):
        body = content(number)
        put(database, number, body)
        fields = model["request_fields"] + (
            b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(body))
        database.execute(insert, {
            **model, "id": number, "method": "POST", "target": target.encode(),
            "request_fields": fields, "request_body": number, "response_body": count + 1})
    return closed(database, path, count)


def emptied(cassette, path):
    """A copy without interactions; the row of `/1k`, and what inserts one like it."""
    shutil.copy(cassette, path)
    database = sqlite3.connect(path)
    database.row_factory = sqlite3.Row
    model = dict(database.execute(
        "SELECT * FROM interaction WHERE target = CAST('/1k' AS BLOB)").fetchone())
    for table in ("interaction", "body_piece", "body"):
        database.execute(f"DELETE FROM {table}")
    places = ", ".join(f":{column}" for column in model)
    return database, model, f"INSERT INTO interaction({', '.join(model)}) VALUES ({places})"


def put(database, number, content):
    database.execute("INSERT INTO body VALUES (?, ?, ?)",
                     (number, len(content), hashlib.sha256(content).digest()))
    database.execute("INSERT INTO body_piece VALUES (?, ?, 0, ?)", (number, number, content))


def closed(database, path, count):
    database.commit()
    database.close()
    if count <= 1000:
        verify(path)
    return path


def leb128(value):
    octets = bytearray()
    while value > 127:
        octets.append(value & 127 | 128)
        value >>= 7
    return bytes([*octets, value])
