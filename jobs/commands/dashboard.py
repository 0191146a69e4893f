"""`kipwatch dashboard`: what conf says of who may look, then the server. Nothing is served that conf does not allow."""

import socket
from pathlib import Path

from conf.settings import load_conf
from dashboards.access import NONE, is_loopback
from dashboards.queries.bounds import Bounds
from dashboards.settings import access_of, place_of
from expectations.place import LakePlace
from transforms.errors import BadInput


def serve_dashboard(lake: LakePlace | None, host: str, port: int, conf_file: Path | None) -> None:
    """Serve until stopped: the lake in a folder, or the one that conf says a warehouse has.

    Raises: BadInput where others could look without being asked who they are, the address is taken, or it is not said what
    to show.
    """
    conf, where = load_conf(conf_file).dashboard, str(conf_file or "conf/base.yaml")
    access, place = access_of(conf, where), place_of(lake, conf.warehouse, where)
    if access.auth == NONE and not is_loopback(host):
        raise BadInput(
            "others could read the lake without being asked who they are",
            where=f"--host {host}",
            todo="set dashboard.auth in conf to basic or proxy (docs/deploying.md), or leave --host away",
        )
    _check_free(host, port)
    from dashboards.app import serve

    serve(place, host, port, access, Bounds(conf.max_seconds, conf.max_memory_mb, conf.max_rows))


def _check_free(host: str, port: int) -> None:
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(kind, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((host.strip("[]"), port))
        except OSError as failure:
            raise BadInput(
                f"can't be listened on ({failure.strerror})",
                where=f"{host}:{port}",
                todo="give another --host or --port",
            ) from None
