"""Reads the codec's corpus, Tests/FixtureHTTP1Tests/Corpus, whose form Corpus.swift describes.

    python3 codec_corpus.py FOLDER      writes every input to FOLDER/requests or FOLDER/responses
"""

import dataclasses
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).parent.parent / "FixtureHTTP1Tests/Corpus"
LETTERS = {"r": 0x0D, "n": 0x0A, "t": 0x09, "0": 0x00, "\\": 0x5C}


@dataclasses.dataclass
class Case:
    name: str
    file: str
    methods: list = None    # of the requests that the responses answer; None for requests
    data: bytes = b""
    closed: bool = False
    transcript: list = dataclasses.field(default_factory=list)

    @property
    def is_request(self):
        return self.methods is None


def decode(text):
    """The bytes of an escaped text."""
    def byte(match):
        digits = match[1][1:]
        return bytes([int(digits, 16) if digits else LETTERS[match[1]]])
    return re.sub(rb"\\(x[0-9a-f]{2}|.)", lambda match: byte(
        [None, match[1].decode()]), text.encode())


def cases():
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        for line in path.read_text().split("\n"):
            if line.startswith("## "):
                found.append(Case(line[3:], path.name))
            elif not found:
                continue
            elif line.startswith("response "):
                found[-1].methods = line.split(" ")[1:]
            elif line.startswith("| "):
                found[-1].data += decode(line[2:])
            elif line == "EOF":
                found[-1].closed = True
            elif line.startswith("> "):
                found[-1].transcript.append(line[2:])
    return found


def main(folder):
    for number, case in enumerate(cases()):
        kind = "requests" if case.is_request else "responses"
        target = pathlib.Path(folder) / kind
        target.mkdir(parents=True, exist_ok=True)
        (target / f"corpus-{number:03}").write_bytes(case.data)


if __name__ == "__main__":
    main(sys.argv[1])
