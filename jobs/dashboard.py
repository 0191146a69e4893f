"""`kipwatch dashboard`: what conf says of who may look, then the server. Nothing is served that conf does not allow."""

import socket
from pathlib import Path

from dashboards.access import BASIC, NONE, PROXY, Access, is_loopback
from jobs.conf import DashboardConf, load_conf
from jobs.errors import BadInput


def serve_dashboard(lake: Path, host: str, port: int, conf_file: Path | None) -> None:
    """Serve until stopped.

    Raises: BadInput where others could look without being asked who they are, or the address is taken.
    """
    access = access_of(load_conf(conf_file).dashboard, str(conf_file or "conf/base.yaml"))
    if access.auth == NONE and not is_loopback(host):
        raise BadInput(
            "others could read the lake without being asked who they are",
            where=f"--host {host}",
            todo="set dashboard.auth in conf to basic or proxy (docs/deploying.md), or leave --host away",
        )
    _check_free(host, port)
    from dashboards.app import serve

    serve(lake, host, port, access)


def access_of(conf: DashboardConf, where: str) -> Access:
    """Who may look, by conf.

    Raises: BadInput for an unknown kind, a users' file that can't be read or has a bad line, or a proxy that is not named.
    """
    if conf.auth == NONE:
        return Access()
    if conf.auth == BASIC:
        return Access(BASIC, users=_users(conf.users_file, where))
    if conf.auth == PROXY:
        if not isinstance(conf.proxies, list | tuple) or not conf.proxies:
            raise BadInput(
                "dashboard.proxies names none",
                where=where,
                todo="list the addresses of the proxies to believe",
            )
        return Access(PROXY, header=conf.proxy_header, proxies=frozenset(map(str, conf.proxies)))
    raise BadInput(f"dashboard.auth is {conf.auth!r}", where=where, todo="give none, basic or proxy")


def _users(path: str | None, where: str) -> dict[str, str]:
    todo = "make its lines with python -m dashboards.access NAME"
    if path is None:
        raise BadInput("dashboard.users_file is not set", where=where, todo=todo)
    try:
        lines = [line for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as failure:
        raise BadInput(f"can't be read ({failure})", where=path, todo=todo) from None
    users = dict(line.split(":", 1) for line in lines if ":" in line)
    if not users or len(users) != len(lines):
        raise BadInput("has no users, one of them twice, or a line without a colon", where=path, todo=todo)
    if bad := [name for name, hashed in users.items() if not hashed.startswith(("scrypt:", "pbkdf2:"))]:
        raise BadInput(f"the password of {bad[0]!r} is no hash", where=path, todo=todo)
    return users


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
