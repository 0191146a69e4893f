"""An object store that speaks S3: SeaweedFS in a process of its own, behind a door that can refuse, and be shut.

Who asks is known by the access key (ACTIONS); the secret is SECRET for all.
"""

import http.client
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyarrow.fs import S3FileSystem

from lab.ports import free_ports

ACTIONS = {"writer": ["Admin", "Read", "List", "Write"], "reader": ["Read", "List"], "lister": ["List"]}
SECRET = "not-much-of-one"
BUCKET = "lakes"
REGION = "us-east-1"
# What leads a client to the store, besides its address.
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "reader",
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_DEFAULT_REGION": REGION,
    "AWS_EC2_METADATA_DISABLED": "true",
}
LONGEST_START = 60  # s
PORTS = ("master.port", "volume.port", "filer.port", "s3.port")


@dataclass(frozen=True)
class Request:
    """What a client asked for. span: the header Range."""

    method: str
    path: str
    span: str | None


class Store:
    """A store at `url`. refuse: gives the status and S3's code with which a request is refused; None lets it through."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp())
        self._server: http.server.ThreadingHTTPServer | None = None
        self._door = 0
        self.requests: list[Request] = []
        self.refuse: Callable[[Request], tuple[int, str] | None] = lambda request: None
        names = [f"{name}{suffix}" for name in PORTS for suffix in ("", ".grpc")]
        ports = dict(zip(names, free_ports(len(names)), strict=True))
        self._port = ports["s3.port"]
        self._process = self._started(ports)
        self._writer = S3FileSystem(
            endpoint_override=f"http://127.0.0.1:{self._port}",
            access_key="writer",
            secret_key=SECRET,
            region=REGION,
            allow_bucket_creation=True,
            background_writes=False,
            allow_delayed_open=True,  # one request for a small object
        )
        self._wait()
        self.open()

    @property
    def url(self) -> str:
        """What AWS_ENDPOINT_URL is."""
        return f"http://127.0.0.1:{self._door}"

    @property
    def inner_url(self) -> str:
        """The same without the door, which lets nothing be written."""
        return f"http://127.0.0.1:{self._port}"

    def open(self) -> None:
        """Be there, on the same port as before."""
        if self._server is None:
            self._server = http.server.ThreadingHTTPServer(("127.0.0.1", self._door), self._handler())
            self._door = self._server.server_port
            threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def shut(self) -> None:
        """Be away: nobody listens."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def end(self) -> None:
        """For good. Its own way to end takes 20 s."""
        self.shut()
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def fill(self, bucket: str, objects: dict[str, bytes]) -> None:
        """Put objects into a bucket, which is made."""
        self._writer.create_dir(bucket)
        for key, data in objects.items():
            with self._writer.open_output_stream(f"{bucket}/{key}", compression=None) as file:
                file.write(data)

    def _started(self, ports: dict[str, int]) -> subprocess.Popen[bytes]:
        identities = [
            {"name": name, "credentials": [{"accessKey": name, "secretKey": SECRET}], "actions": actions}
            for name, actions in ACTIONS.items()
        ]
        config = self._folder / "s3.json"
        config.write_text(json.dumps({"identities": identities}))
        command = [
            str(Path(sys.executable).parent / "weed"), "-logtostderr", "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
            f"-dir={self._folder}", "-filer", "-s3", f"-s3.config={config}", "-s3.port.iceberg=0", "-s3.port.lance=0",
            "-master.volumeSizeLimitMB=64", "-volume.max=500", *(f"-{name}={port}" for name, port in ports.items()),
        ]  # fmt: skip
        with (self._folder / "log").open("wb") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    def _wait(self) -> None:
        """Until it takes an object.

        Raises: RuntimeError where it ends, or takes none for too long.
        """
        until = time.monotonic() + LONGEST_START
        while True:
            try:
                self.fill("first", {"object": b"x"})
                return
            except OSError as error:
                if self._process.poll() is not None or time.monotonic() > until:
                    self._process.kill()
                    raise RuntimeError((self._folder / "log").read_text()[-2000:]) from error
                time.sleep(0.2)

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        store = self

        class Door(http.server.BaseHTTPRequestHandler):
            """Writes down what is asked, and lets it through; the signature is of the door's own address."""

            def do_GET(self) -> None:
                request = Request(self.command, self.path, self.headers["Range"])
                store.requests.append(request)
                refused = store.refuse(request)
                if refused is not None:
                    text = (
                        f"<?xml version='1.0'?><Error><Code>{refused[1]}</Code><Message>no</Message></Error>"
                    )
                    self._say(refused[0], {"Content-Type": "application/xml"}, text.encode())
                    return
                behind = http.client.HTTPConnection("127.0.0.1", store._port)
                behind.request(self.command, self.path, headers=dict(self.headers))
                answer = behind.getresponse()
                self._say(answer.status, dict(answer.getheaders()), answer.read())
                behind.close()

            do_HEAD = do_GET  # noqa: N815 (http.server's name)

            def _say(self, status: int, headers: dict[str, str], body: bytes) -> None:
                self.send_response_only(status)
                for name, value in headers.items():
                    if name not in ("Transfer-Encoding", "Connection"):
                        self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nothing on the terminal."""

        return Door


def of_a_writer(url: str) -> dict[str, str]:
    """The environment that leads to the store at an address, for one that may write."""
    return ENVIRONMENT | {"AWS_ACCESS_KEY_ID": "writer", "AWS_ENDPOINT_URL": url}


@contextmanager
def store_apart() -> Iterator[str]:
    """A store in a process of its own, for one that forks; the environment leads to it. Gives a bucket's address."""
    command = [sys.executable, "-m", "lab.store"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as apart:
        assert apart.stdin is not None
        assert apart.stdout is not None
        os.environ |= of_a_writer(apart.stdout.readline().strip())
        try:
            yield f"s3://{BUCKET}"
        finally:
            apart.stdin.close()


def _serve() -> None:
    """Be a store until nobody wants it: its address comes out, and the end of what comes in is its own."""
    store = Store()
    store.fill(BUCKET, {})
    print(store.inner_url, flush=True)
    sys.stdin.read()
    store.end()


if __name__ == "__main__":
    _serve()
