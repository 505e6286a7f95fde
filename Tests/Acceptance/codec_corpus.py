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

    @property
    def key(self):
        """The number of its file, and its name."""
        return f"{self.file[0]} {self.name}"

    @property
    def message_count(self):
        """Messages to read before stopping; None for all that come."""
        if self.transcript[-1].startswith("error ") or self.transcript[-1] == "more":
            return None
        return self.transcript.count("end")


def decode(text):
    """The bytes of an escaped text."""
    def byte(match):
        letter = match[1].decode()
        return bytes([int(letter[1:], 16) if len(letter) > 1 else LETTERS[letter]])
    return re.sub(rb"\\(x[0-9a-f]{2}|.)", byte, text.encode())


def encode(data):
    """Bytes as escaped text."""
    escapes = {value: "\\" + letter for letter, value in LETTERS.items()}
    return "".join(
        escapes.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}")
        for byte in bytes(data))


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
