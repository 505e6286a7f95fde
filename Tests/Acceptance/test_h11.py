"""The codec's corpus with h11, an HTTP/1.1 codec by other people, as the other side.

h11 reads every case, reads what we write for it, and writes it for us to read. Where it comes to
something else, the table below has the case and says why that is right.
"""

import difflib
import os
import re
import subprocess
import unittest

import codec_corpus
import h11
import h11_peer

# What h11 frames by itself when it writes.
FRAMING = ("field content-length:", "field transfer-encoding:", "field connection:")


def told(case):
    """The transcript of a case as far as h11 tells: how a body is framed, what an error is about
    and what is left over are not part of it."""
    return [plain(line, case.is_request) for line in case.transcript
            if not line.startswith("rest ")]


def plain(line, is_request):
    if line.startswith("error "):
        return h11_peer.ERROR
    if line.startswith("head "):
        return line.rsplit(" ", 1)[0] if is_request else line[:line.rindex("'") + 1]
    return line


def whole(lines):
    """The messages that came to their end."""
    ends = [index for index, line in enumerate(lines) if line == "end"]
    end = ends[-1] + 1 if ends else 0
    while end < len(lines) and lines[end].startswith("trailer "):
        end += 1
    return lines[:end]


def as_written(lines, is_request):
    """What is heard of messages that were heard and are written again: in HTTP/1.1, and with the
    Host that needs."""
    written = []
    for index, line in enumerate(lines):
        if line.startswith(("head ", "interim ")):
            written.append(re.sub(r"HTTP/1\.[0-9]($| )", r"HTTP/1.1\1", line))
        else:
            written.append(line)
        is_section_end = line.startswith(("head ", "field ")) and not lines[index + 1].startswith(
            "field ")
        if is_request and is_section_end and not has_host(lines[:index + 1]):
            written.append("field Host: a")
    return written


def has_host(lines):
    """Whether the head that the lines end with has a Host."""
    for line in reversed(lines):
        if line.lower().startswith("field host:"):
            return True
        if line.startswith("head "):
            return False
    return False


def difference(ours, theirs):
    """None when there is none; else in a word, or the lines that differ."""
    if ours == theirs:
        return None
    ours_fails, theirs_fails = ours[-1] == h11_peer.ERROR, theirs[-1] == h11_peer.ERROR
    if theirs_fails and not ours_fails:
        return "refuses"
    if ours_fails and not theirs_fails:
        return "accepts" if theirs.count("end") > ours.count("end") else "goes on"
    return ", ".join(
        line for line in difflib.ndiff(ours, theirs) if line.startswith(("+ ", "- ")))


class Peer:
    """Our codec, as Tests/CodecPeer gives it."""

    @staticmethod
    def ask(connections):
        """For each connection (methods or None, bytes, closed) the transcript, and what
        `MessageEncoder` writes for it."""
        questions = "".join(
            "{}\n| {}\n{}\n".format(
                "request" if methods is None else "response " + " ".join(methods),
                codec_corpus.encode(data), "EOF\n" if closed else "")
            for methods, data, closed in connections)
        done = subprocess.run(
            [os.environ["CODEC_PEER"]], input=questions, capture_output=True, text=True,
            check=True, timeout=60)
        answers = [answer.split("\n") for answer in done.stdout.split("\n\n")[:-1]]
        assert len(answers) == len(connections)
        return [(lines[:-1], codec_corpus.decode(lines[-1][2:])) for lines in answers]


class H11(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.cases = codec_corpus.cases()

    def check(self, found, column):
        listed = {name: row[column] for name, row in DIFFERENCES.items() if row[column]}
        self.assertEqual(found, listed)

    def test_reads_the_corpus(self):
        found = {}
        for case in self.cases:
            theirs = h11_peer.hear(case.data, case.methods, case.closed, case.message_count)
            found[case.key] = difference(told(case), theirs)
        self.check({name: what for name, what in found.items() if what}, 0)

    def test_reads_what_we_write(self):
        found = {}
        answers = Peer.ask([(case.methods, case.data, case.closed) for case in self.cases])
        for case, (_, written) in zip(self.cases, answers):
            ours = as_written(whole(told(case)), case.is_request)
            if ours:
                theirs = h11_peer.hear(written, case.methods, True, ours.count("end"))
                found[case.key] = difference(ours, theirs)
        self.assertGreater(len(found), 70)
        self.check({name: what for name, what in found.items() if what}, 1)

    def test_writes_what_we_read(self):
        found, connections, expected = {}, [], {}
        for case in self.cases:
            lines = as_written(whole(told(case)), case.is_request)
            if not lines:
                continue
            try:
                written = h11_peer.speak(lines, case.methods)
            except h11.LocalProtocolError:
                found[case.key] = "refuses"
                continue
            connections.append((case.methods, written, True))
            expected[case.key] = (lines, case.is_request)
        self.assertGreater(len(connections), 60)
        for (name, (lines, is_request)), (heard, _) in zip(expected.items(), Peer.ask(connections)):
            heard = whole([plain(line, is_request) for line in heard])
            unframed = [[line for line in lines if not line.lower().startswith(FRAMING)]
                        for lines in (lines, heard)]
            found[name] = difference(*unframed)
        self.check({name: what for name, what in found.items() if what}, 2)


LINE_FEED = "LF alone MAY end a line (RFC 9112 §2.2); in requests readers come to differ by it"
FOLD = "a server MUST refuse a folded line or make it one (RFC 9112 §5.2)"
HOST = "an invalid Host MUST be refused (RFC 9112 §3.2)"
CONTROLS = "controls other than CR, LF and NUL MAY be kept (RFC 9110 §5.5)"
NUMBER = "large numbers are foreseen (RFC 9110 §8.6, RFC 9112 §7.1); Python's have no end"
EXTENSION = "an extension has no CR and no NUL (RFC 9112 §7.1.1)"
CODING = "h11 knows chunked alone; the length is found all the same (RFC 9112 §6.3)"
FRAMINGS = "both framings MAY be refused (RFC 9112 §6.1), and then nothing is smuggled (§11.2)"
VERSION = "another major version has other rules (RFC 9112 §2.3)"
MERGED = "h11 keeps one of equal lengths, as it may (RFC 9110 §8.6); a recorder keeps all"

# By the number of the corpus file and the name of the case: what h11 does when it reads the case,
# when it reads what we wrote, and when it writes; None where it does as we do. It `refuses` what we
# don't, `accepts` or `goes on` where we refuse, or lines of the transcript differ. Then why.
DIFFERENCES = {
    "1 targets are opaque: bytes that should have been percent-encoded stay too": (
        "refuses", "refuses", "refuses",
        "no target is corrected (RFC 9112 §3.2); origin servers accept what clients send"),
    "1 an empty line before a request is skipped": (
        "refuses", None, None, "a server SHOULD skip at least one (RFC 9112 §2.2)"),
    "1 HTTP/0.9 is refused": (
        "goes on", None, None, "a request line has a version (RFC 9112 §3); h11 wants more lines"),
    "1 HTTP/0.9 with a version is refused by it": ("accepts", None, None, VERSION),
    "1 HTTP/3 is refused by its version": ("accepts", None, None, VERSION),
    "1 the HTTP/2 preface is refused by its version": (
        "+ head PRI * HTTP/2.0, + end", None, None, VERSION),
    "1 a request line with LF alone is refused": ("accepts", None, None, LINE_FEED),

    "2 values are opaque": ("refuses", "refuses", "refuses", CONTROLS),
    "2 obs-fold is refused": ("accepts", None, None, FOLD),
    "2 obs-fold with a tab is refused": ("accepts", None, None, FOLD),
    "2 a line of whitespace is refused": ("accepts", None, None, FOLD),
    "2 LF alone after a field is refused": ("accepts", None, None, LINE_FEED),
    "2 LF alone as the end of the section is refused": ("accepts", None, None, LINE_FEED),
    "2 two hosts in one value are refused": ("accepts", None, None, HOST),
    "2 a Host with a path is refused": ("accepts", None, None, HOST),
    "2 a Host with user information is refused": ("accepts", None, None, HOST),
    "2 a Host with a space inside is refused": ("accepts", None, None, HOST),
    "2 order, case and repeats stay": (
        None, None, "+ field hOsT: a, - field hOsT: a",
        "h11 writes Host first, as RFC 9110 §7.2 recommends; no order of others changes"),

    "3 the same length twice is one length": (
        "- field Content-Length: 5, 5", "- field Content-Length: 5, 5", None, MERGED),
    "3 a larger length is refused, not wrapped around": ("goes on", None, None, NUMBER),
    "3 a length of 2^64 + 5 is refused": ("goes on", None, None, NUMBER),
    "3 a chunked body without content": (
        "- field transfer-encoding: CHUNKED, + field transfer-encoding: chunked",
        "- field transfer-encoding: CHUNKED, + field transfer-encoding: chunked", None,
        "names of codings have no case (RFC 9112 §7); a recorder keeps the one they had"),
    "3 chunk extensions are ignored": (
        "refuses", None, None, "whitespace before an extension is allowed (RFC 9112 §7.1.1)"),
    "3 Content-Length beside Transfer-Encoding is refused": ("accepts", None, None, FRAMINGS),
    "3 the same the other way round": ("accepts", None, None, FRAMINGS),
    "3 Transfer-Encoding in HTTP/1.0 is refused": (
        "accepts", None, None, "that MUST be treated as faulty (RFC 9112 §6.1)"),
    "3 a space after a chunk size is refused": (
        "goes on", None, None, "nothing but an extension follows a size (RFC 9112 §7.1)"),
    "3 a chunk size beyond 63 bits is refused": ("goes on", None, None, NUMBER),
    "3 a chunk size that would wrap around to 5 is refused": ("goes on", None, None, NUMBER),
    "3 CR inside a chunk extension is refused": ("accepts", None, None, EXTENSION),

    "4 whitespace before the colon is removed": (
        "refuses", None, None, "a proxy MUST remove it from a response (RFC 9112 §5.1)"),
    "4 obs-fold becomes a space": (
        "- field X: a b c, + field X: a b\\t c", None, None,
        "the whitespace before the line end belongs to the fold (RFC 9112 §5.2)"),
    "4 empty lines before a status line are skipped": (
        "refuses", None, None, "old servers send one more line end after a body, as clients do"),
    "4 values without a space, empty, or with odd control bytes": (
        "refuses", "refuses", "refuses", CONTROLS),
    "4 HTTP/2 in a status line is refused": ("goes on", None, None, VERSION),
    "4 another protocol is refused at its first bytes": (
        "goes on", None, None, "a response begins with HTTP/ (RFC 9112 §4); h11 wants more lines"),

    "5 the fields of a response without a body are not judged": (
        "refuses", "refuses", "refuses", "it has none whatever they say (RFC 9112 §6.3)"),
    "5 the same length twice is one length": (
        "- field Content-Length: 5", "- field Content-Length: 5", None, MERGED),
    "5 a length beyond 63 bits is refused": ("goes on", None, None, NUMBER),
    "5 a wrong length beside chunked does not matter": (
        "refuses", "refuses", "refuses", "Transfer-Encoding overrides it (RFC 9112 §6.3)"),
    "5 a coding below chunked stays in the content": ("refuses", "refuses", "refuses", CODING),
    "5 codings on two lines are one list": ("refuses", "refuses", "refuses", CODING),
    "5 another final coding lasts until close": ("refuses", "refuses", "refuses", CODING),
    "5 another final coding beside a length lasts until close, and is said": (
        "refuses", "refuses", "refuses", CODING),
    "5 identity is no framing": (
        "refuses", "refuses", "refuses", "a coding until RFC 7230, still sent, changes nothing"),
    "5 an empty Transfer-Encoding is none": (
        "refuses", "refuses", "refuses", "empty members are ignored (RFC 9110 §5.6.1.2)"),
    "5 chunks with padded sizes, odd extensions and bare LF": (
        "- content helloxyz, + content helloxy, - end, + more", None, None,
        "LF alone MAY end a line (RFC 9112 §2.2); h11 looks for CRLF in chunks"),
    "5 trailers come with the end, tolerated as fields are": (
        "refuses", None, None, "whitespace before a colon is removed as in a head (RFC 9112 §5.1)"),
    "5 NUL in a chunk extension is refused": ("goes on", None, None, EXTENSION),

    "6 a tunnel is refused by name": (
        "goes on", None, None, "what follows is no HTTP (RFC 9110 §9.3.6); h11 stops reading too"),
}

if __name__ == "__main__":
    unittest.main()
