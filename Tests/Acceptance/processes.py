"""Starts and ends what the acceptance tests need: the product, httpbin, nginx, small origins."""

import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time

BINARY = os.environ.get("FIXTURED", "fixtured")


def wait_until(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.01)
    raise TimeoutError(f"{what} after {seconds} s")


def free_port():
    """For programs that can't tell which port they chose themselves."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Program:
    """A child process in its own group, with stderr in a file; `stop` leaves nothing behind."""

    def __init__(self, command, log, **options):
        self.log = pathlib.Path(log)
        self.output = open(self.log, "wb")
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self.output, start_new_session=True, **options)

    def errors(self):
        return self.log.read_text(errors="replace")

    def line(self, seconds=20):
        """The next whole line of stdout."""
        line = b""
        deadline = time.monotonic() + seconds
        while not line.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError(f"no line on stdout: {line!r}\n{self.errors()}")
            byte = os.read(self.process.stdout.fileno(), 1)
            if not byte:
                code = self.process.wait()
                raise EOFError(f"ended ({code}) before it was ready\n{self.errors()}")
            line += byte
        return line.decode().rstrip("\n")

    def stop(self, number=signal.SIGTERM, seconds=10):
        """Sends the signal and gives the exit code; what is then still there is killed.

        The whole group gets it: under strace, which lets no signal through, it is the child's.
        """
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)
        try:
            return self.process.wait(seconds)
        finally:
            self.kill()

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process.stdout.close()
        self.output.close()


class Fixtured(Program):
    """`fixtured record` or `replay` on ports it picks; `urls` by the upstream's name."""

    def __init__(self, folder, *arguments, listeners=1, prefix=(), listen="127.0.0.1:0",
                 binary=BINARY, **options):
        folder = pathlib.Path(folder)
        log = folder / f"fixtured-{arguments[0]}-{time.monotonic_ns()}.log"
        command = [*prefix, binary, arguments[0], "--listen", listen, *arguments[1:]]
        super().__init__(command, log, **options)
        self.urls = {}
        try:
            for _ in range(listeners):
                line = self.line()
                match = re.fullmatch(r"listening on (http://\S+)(?: \(?([^\s()]+)\)?)?", line)
                assert match, f"not a ready line: {line!r}"
                self.urls[match[2]] = match[1]
        except BaseException:
            self.kill()
            raise

    @property
    def url(self):
        return next(iter(self.urls.values()))


class HTTPBin(Program):
    """httpbin under gunicorn, as installed beside this Python."""

    def __init__(self, folder):
        command = [sys.executable, "-m", "gunicorn", "--bind", "127.0.0.1:0", "--workers", "1",
                   "--threads", "8", "--keep-alive", "5", "--graceful-timeout", "1",
                   "--no-control-socket", "httpbin:app"]
        super().__init__(command, pathlib.Path(folder) / "httpbin.log", cwd=folder)
        pattern = r"Listening at: (http://[0-9.:]+)"
        try:
            wait_until(lambda: re.search(pattern, self.errors()) or self.process.poll(), 60,
                       "httpbin is not ready")
            self.url = re.search(pattern, self.errors())[1]
        except BaseException:
            print(self.errors(), file=sys.stderr)
            self.kill()
            raise


class NGINX(Program):
    """nginx with TLS and a certificate of an authority of our own, and a plain port beside it."""

    def __init__(self, folder):
        folder = pathlib.Path(folder) / "nginx"
        (folder / "files").mkdir(parents=True)
        self.authority = make_certificates(folder)
        write_files(folder / "files")
        port, plain = free_port(), free_port()
        template = pathlib.Path(__file__).with_name("nginx.conf").read_text()
        for name, value in {"FOLDER": folder, "PLAIN": plain, "PORT": port}.items():
            template = template.replace(f"@{name}@", str(value))
        (folder / "nginx.conf").write_text(template)
        program = next((p for p in ("/usr/sbin/nginx", "/usr/bin/nginx") if os.path.exists(p)),
                       "nginx")
        super().__init__([program, "-p", folder, "-c", folder / "nginx.conf", "-e", "stderr"],
                         folder / "nginx.log")
        self.url = f"https://localhost:{port}"
        self.plain_url = f"http://127.0.0.1:{plain}"
        try:
            wait_until(lambda: accepts(port) or self.process.poll() is not None, 20,
                       "nginx is not ready")
            assert self.process.poll() is None, self.errors()
        except BaseException:
            self.kill()
            raise


def accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True,
                   stdin=subprocess.DEVNULL)


def make_certificates(folder):
    """`ca.pem`, and `server.pem` with `server.key` for localhost; gives the authority's path."""
    openssl(folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out",
            "ca.pem", "-days", "2", "-subj", "/CN=Acceptance CA")
    openssl(folder, "req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out",
            "server.csr", "-subj", "/CN=localhost")
    (folder / "names.txt").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl(folder, "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
            "-CAcreateserial", "-days", "2", "-extfile", "names.txt", "-out", "server.pem")
    return folder / "ca.pem"


def write_files(folder):
    text = "".join(f"line {number} of a long text\n" for number in range(20000))
    files = {
        "index.html": "<h1>front</h1>\n", "hello.txt": "hello, world\n", "empty.txt": "",
        "café.txt": "latte\n", "text/long.txt": text, "close/long.txt": text,
        "static/page.html": "<p>plain</p>\n", "sub/index.html": "<p>sub</p>\n",
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (folder / "large.bin").write_bytes(
        b"".join(number.to_bytes(4, "big") for number in range(1_000_000)))
    # gzip_static serves this file beside the plain one.
    import gzip
    (folder / "static/page.html.gz").write_bytes(gzip.compress(b"<p>packed</p>\n", mtime=0))


class Origin:
    """An origin server in a thread: `answer(connection, head)` is called for every request."""

    def __init__(self, answer):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.answer = answer
        self.connections = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection):
        data = b""
        try:
            while True:
                while b"\r\n\r\n" not in data:
                    more = connection.recv(65536)
                    if not more:
                        return
                    data += more
                head, _, data = data.partition(b"\r\n\r\n")
                self.answer(connection, head)
        except OSError:
            pass
        finally:
            connection.close()

    def stop(self):
        self.listener.close()
        for connection in self.connections:
            connection.close()
