"""An HTTP/1.1 client on a bare socket: requests are bytes, answers the bytes that came."""

import socket
from urllib.parse import urlsplit


class Answer:
    """One response as it was on the wire, interim responses included."""

    def __init__(self, interims, head, body, closed):
        self.interims = interims
        self.head = head
        self.body = body
        self.closed = closed

    @property
    def status(self):
        return int(self.head.split(b" ", 2)[1])

    def fields(self, name):
        """The values of a field, in order."""
        found = []
        for line in self.head.split(b"\r\n")[1:]:
            key, _, value = line.partition(b":")
            if key.strip().lower() == name.lower().encode():
                found.append(value.strip())
        return found

    @property
    def content(self):
        """The body without its chunks."""
        if b"chunked" not in b",".join(self.fields("transfer-encoding")).lower():
            return self.body
        content, rest = b"", self.body
        while True:
            size, _, rest = rest.partition(b"\r\n")
            length = int(size.split(b";")[0], 16)
            if length == 0:
                return content
            content += rest[:length]
            rest = rest[length + 2:]


class Client:
    """Sends requests one after the other, on one connection as long as the server keeps it."""

    def __init__(self, url, timeout=30):
        parts = urlsplit(url)
        self.address = (parts.hostname, parts.port)
        self.authority = parts.netloc
        self.timeout = timeout
        self.socket = None
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.socket, self.buffer = None, b""

    def send(self, data):
        if self.socket is None:
            self.socket = socket.create_connection(self.address, timeout=self.timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(data)

    def exchange(self, request):
        """Sends one request of the corpus and reads its answer whole.

        A kept connection may have been closed in between: then once more, on a new one.
        """
        kept = self.socket is not None
        try:
            return self._exchange(request)
        except ConnectionError:
            nothing = not self.buffer
            self.close()
            if not kept or not nothing:
                raise
            return self._exchange(request)

    def _exchange(self, request):
        head = request.head(self.authority)
        self.send(head if request.waits else head + request.body)
        interims = []
        while True:
            section = self._until(b"\r\n\r\n")
            status = int(section.split(b" ", 2)[1])
            if 100 <= status < 200:
                interims.append(section)
                if status == 100 and request.waits:
                    self.send(request.body)
                continue
            break
        body, closed = self._body(request.method, status, section)
        closed = closed or b"connection: close" in section.lower()
        if closed or request.closes:
            self.close()
        return Answer(interims, section, body, closed)

    def _body(self, method, status, head):
        """The bytes after the head (RFC 9112 §6.3), and whether the end was the connection's."""
        lines = [line.lower() for line in head.split(b"\r\n")]
        if method == "HEAD" or status in (204, 304):
            return b"", False
        if any(line.startswith(b"transfer-encoding:") and b"chunked" in line for line in lines):
            return self._chunks(), False
        for line in lines:
            if line.startswith(b"content-length:"):
                return self._take(int(line.split(b":")[1])), False
        body = self.buffer
        self.buffer = b""
        while True:
            data = self.socket.recv(65536)
            if not data:
                return body, True
            body += data

    def _chunks(self):
        body = b""
        while True:
            size = self._until(b"\r\n")
            length = int(size.split(b";")[0], 16)
            body += size
            if length == 0:
                break
            body += self._take(length + 2)
        while True:
            line = self._until(b"\r\n")
            body += line
            if line == b"\r\n":
                return body

    def _until(self, end):
        while end not in self.buffer:
            self._more()
        taken, _, self.buffer = self.buffer.partition(end)
        return taken + end

    def _take(self, count):
        pieces = [self.buffer]
        have = len(self.buffer)
        while have < count:
            data = self.socket.recv(65536)
            if not data:
                raise ConnectionError(f"closed after {have} of {count} bytes")
            pieces.append(data)
            have += len(data)
        whole = b"".join(pieces)
        self.buffer = whole[count:]
        return whole[:count]

    def _more(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError(f"closed after {self.buffer!r}")
        self.buffer += data
