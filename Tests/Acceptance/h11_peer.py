"""h11, an HTTP/1.1 codec by other people, as a reader and a writer of the corpus's transcripts.

Transcripts are as in Tests/FixtureHTTP1Tests/Corpus.swift, without what h11 does not tell: how a
body is framed, and what an error is about.
"""

import h11

import codec_corpus

# What reading came to that is no event.
ERROR, MORE = "error", "more"


def hear(data, methods=None, closed=False, count=None):
    """The transcript of a connection, up to `count` messages.

    `methods` are those of the requests that the responses answer; without them, requests are read.
    """
    return Reader(methods).read(data, closed, count)


class Reader:
    def __init__(self, methods):
        self.methods = None if methods is None else list(methods)
        self.lines = []
        self.content = b""
        self.ended = 0
        self.begin(b"")

    def begin(self, data):
        """Expects the next message on a connection of its own, which `data` has come by."""
        if self.methods is None:
            self.connection = h11.Connection(h11.SERVER)
        else:
            self.connection = h11.Connection(h11.CLIENT)
            self.ask()
        if data:
            self.connection.receive_data(data)

    def ask(self):
        method = self.methods.pop(0)
        target = "a.test:443" if method == "CONNECT" else "/"
        self.connection.send(h11.Request(method=method, target=target, headers=[("Host", "a")]))
        self.connection.send(h11.EndOfMessage())

    def read(self, data, closed, count):
        self.connection.receive_data(data)
        try:
            while self.ended != count and self.step(closed):
                pass
        except h11.RemoteProtocolError:
            self.write(ERROR)
        return self.lines

    def step(self, closed):
        """Whether to go on."""
        event = self.connection.next_event()
        if isinstance(event, h11.Data):
            self.content += bytes(event.data)
        elif event is h11.NEED_DATA:
            if not closed or self.connection.trailing_data[1]:
                self.write(MORE)
                return False
            self.connection.receive_data(b"")
        elif event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
            self.write(MORE)
            return False
        elif isinstance(event, h11.EndOfMessage):
            self.write("end", event.headers, "trailer")
            self.ended += 1
            self.go_on(closed)
        else:
            self.write(head(event), event.headers, "field")
        return True

    def write(self, line, fields=(), word=""):
        if self.content:
            self.lines.append("content " + codec_corpus.encode(self.content))
            self.content = b""
        self.lines.append(line)
        for name, value in fields and fields.raw_items():
            self.lines.append(f"{word} {codec_corpus.encode(name)}: {codec_corpus.encode(value)}")

    def go_on(self, closed):
        """Makes ready for the next message. Whether the connection may carry one is for the
        caller of a codec to say: where h11 says no, another connection brings the rest."""
        connection = self.connection
        if self.methods is None:
            if connection.our_state is h11.SEND_RESPONSE:
                connection.send(h11.Response(status_code=404, headers=[("Content-Length", "0")]))
                connection.send(h11.EndOfMessage())
        elif not self.methods:
            return
        if connection.our_state is h11.DONE and connection.their_state is h11.DONE:
            connection.start_next_cycle()
            if self.methods:
                self.ask()
        else:
            self.begin(connection.trailing_data[0])


def head(event):
    version = "HTTP/" + event.http_version.decode()
    if isinstance(event, h11.Request):
        return f"head {event.method.decode()} {codec_corpus.encode(event.target)} {version}"
    word = "interim" if isinstance(event, h11.InformationalResponse) else "head"
    return f"{word} {version} {event.status_code} '{codec_corpus.encode(event.reason)}'"


def speak(transcript, methods=None):
    """What h11 writes for the messages of a transcript, each on a connection of its own.

    Raises h11.LocalProtocolError for one that it does not write.
    """
    written = b""
    methods = None if methods is None else list(methods)
    lines = list(transcript)
    while lines:
        connection = answering(methods.pop(0)) if methods else h11.Connection(h11.CLIENT)
        while lines:
            line = lines.pop(0)
            fields = []
            while lines and lines[0].startswith(("field ", "trailer ")):
                name, value = lines.pop(0).split(" ", 1)[1].split(":", 1)
                fields.append((codec_corpus.decode(name), codec_corpus.decode(value[1:])))
            written += connection.send(event(line, fields, methods is None))
            if line == "end":
                break
    return written


def answering(method):
    connection = h11.Connection(h11.SERVER)
    target = b"a.test:443" if method == "CONNECT" else b"/"
    connection.receive_data(method.encode() + b" " + target + b" HTTP/1.1\r\nHost: a\r\n\r\n")
    for _ in range(2):
        connection.next_event()
    return connection


def event(line, fields, is_request):
    word, _, rest = line.partition(" ")
    if word == "end":
        return h11.EndOfMessage(headers=fields)
    if word == "content":
        return h11.Data(data=codec_corpus.decode(rest))
    if is_request:
        method, target, _ = rest.split(" ")
        return h11.Request(method=method, target=codec_corpus.decode(target), headers=fields)
    _, status, reason = rest.split(" ", 2)
    kind = h11.InformationalResponse if word == "interim" else h11.Response
    return kind(
        status_code=int(status), reason=codec_corpus.decode(reason[1:-1]), headers=fields)
