"""Where one benchmark runs: a folder of its own, and processes that end with it."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from processes import BINARY, Fixtured, Program, accepts, free_port, wait_until

HERE = pathlib.Path(__file__).parent
SIZES = {"1k": 1024, "64k": 65536, "1m": 1048576}
# Debian's place for it is not in everybody's path.
NGINX_PROGRAM = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")


class Stage:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stage-"))
        self.folder.chmod(0o755)
        self.programs = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for program in reversed(self.programs):
            try:
                program.stop()
            except subprocess.TimeoutExpired:
                print(f"{program.log.name}: had to be killed", file=sys.stderr)
            self._mark(program).unlink(missing_ok=True)
        shutil.rmtree(self.folder)

    def run(self, program):
        self._mark(program).touch()
        self.programs.append(program)
        return program

    def stop(self, program, seconds=30):
        """Ends a program early, by itself and in order."""
        self.programs.remove(program)
        code = program.stop(seconds=seconds)
        self._mark(program).unlink(missing_ok=True)
        if code != 0:
            raise RuntimeError(f"ended with {code}: {program.errors()}")

    @staticmethod
    def _mark(program):
        return pathlib.Path(tempfile.gettempdir(), "processes", str(program.process.pid))

    def replay(self, cassette, *options):
        return self.run(Fixtured(self.folder, "replay", "--quiet", *options, cassette))

    def record(self, upstream, cassette, *options):
        return self.run(Fixtured(self.folder, "record", "--quiet", "--upstream", upstream,
                                 *options, cassette))

    def file_server(self):
        """nginx with a file of each size, at `/1k`, `/64k` and `/1m`."""
        files = self.folder / "files"
        files.mkdir()
        for name, size in SIZES.items():
            (files / name).write_bytes((b"0123456789abcdef" * (size // 16)))
        return self.run(NGINX(self.folder / "nginx-files", "nginx-files.conf", FILES=files))

    def proxy(self, upstream):
        return self.run(NGINX(self.folder / "nginx-proxy", "nginx-proxy.conf",
                              UPSTREAM=upstream.removeprefix("http://")))

    def mitmproxy(self, upstream):
        return self.run(Mitmdump(self.folder / "mitmproxy", upstream))


class Peer(Program):
    """Another server, on a port that was free a moment ago."""

    def __init__(self, command, folder, port):
        super().__init__(command, folder / "log")
        self.url = f"http://127.0.0.1:{port}"
        try:
            wait_until(lambda: accepts(port) or self.process.poll() is not None, 30,
                       f"{command[0]} is not ready")
            if self.process.poll() is not None:
                raise RuntimeError(f"{command[0]} ended: {self.errors()}")
        except BaseException:
            self.kill()
            raise


class NGINX(Peer):
    """`worker` is the id of the one process that serves."""

    def __init__(self, folder, configuration, **values):
        folder.mkdir()
        port = free_port()
        text = (HERE / configuration).read_text()
        for name, value in {"FOLDER": folder, "PORT": port, **values}.items():
            text = text.replace(f"@{name}@", str(value))
        (folder / "nginx.conf").write_text(text)
        super().__init__([NGINX_PROGRAM, "-p", folder, "-c", folder / "nginx.conf",
                          "-e", "stderr"], folder, port)
        pid = self.process.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
        wait_until(lambda: children.read_text(), 10, "nginx has no worker")
        self.worker = int(children.read_text())


class Mitmdump(Peer):
    """mitmproxy in front of an upstream, writing its recording to a file."""

    def __init__(self, folder, upstream):
        folder.mkdir()
        port = free_port()
        program = pathlib.Path(sys.executable).with_name("mitmdump")
        super().__init__([program, "--quiet", "--set", f"confdir={folder}",
                          "--mode", f"reverse:{upstream}", "--listen-host", "127.0.0.1",
                          "--listen-port", port, "--save-stream-file", folder / "flows"],
                         folder, port)


def verify(cassette):
    subprocess.run([BINARY, "verify", cassette], check=True, capture_output=True,
                   stdin=subprocess.DEVNULL)
