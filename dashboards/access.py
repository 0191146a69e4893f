"""Who may look: nobody but this machine, or users by name and password, or whoever a trusted proxy lets through.

`python -m dashboards.access NAME` asks for a password and prints the line of the users' file.
"""

import hmac
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from getpass import getpass
from hashlib import sha256
from ipaddress import IPv4Network, IPv6Network, ip_address
from secrets import token_bytes

from flask import Flask, Response, request
from werkzeug.security import check_password_hash, generate_password_hash

NONE, BASIC, PROXY = "none", "basic", "proxy"
OPEN = frozenset({"/health"})  # says nothing but whether it works
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
_MOST_REMEMBERED = 1_000


@dataclass(frozen=True, slots=True)
class Access:
    """auth: none, basic or proxy. users: name -> hash of the password.

    header: names the user, where an address of `proxies` sends it.
    """

    auth: str = NONE
    users: Mapping[str, str] = field(default_factory=dict)
    header: str = "X-Forwarded-User"
    proxies: frozenset[IPv4Network | IPv6Network] = frozenset()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address that is listened on."""
    try:
        return host == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def control(server: Flask, access: Access) -> None:
    """Answer nobody else: 401 asks for a password, 403 refuses."""
    known = _Remembered()

    @server.before_request
    def admit() -> Response | None:
        if request.path in OPEN:
            return None
        if access.auth == NONE:
            # A page elsewhere may point a name of its own at this machine, to read what it answers: the name gives it away.
            is_asked_here = _name_of(request.host) in LOOPBACK_NAMES
            return None if is_asked_here else _refused(403, "not asked as this machine")
        if access.auth == PROXY:
            is_let_in = _is_within(request.remote_addr, access.proxies) and bool(
                request.headers.get(access.header)
            )
            return None if is_let_in else _refused(403, "not let in by the proxy")
        given = request.authorization
        if given is None or given.type != "basic" or not given.username or given.password is None:
            return _refused(401, "a name and a password are needed")
        if known.holds(access.users, given.username, given.password):
            return None
        return _refused(401, "wrong name or password")


class _Remembered:
    """Passwords that were right: a good hash is slow by design, and a viewer asks every few seconds."""

    def __init__(self) -> None:
        self._key = token_bytes(32)
        self._right: set[bytes] = set()

    def holds(self, users: Mapping[str, str], name: str, password: str) -> bool:
        """Whether this is the user's password. An unknown name takes as long as a wrong password."""
        mark = hmac.new(self._key, f"{name}\0{password}".encode(), sha256).digest()
        if mark in self._right:
            return True
        if not check_password_hash(users.get(name, _NOBODY), password) or name not in users:
            return False
        if len(self._right) < _MOST_REMEMBERED:
            self._right.add(mark)
        return True


_NOBODY = generate_password_hash("")


def _is_within(address: str | None, networks: frozenset[IPv4Network | IPv6Network]) -> bool:
    return address is not None and any(ip_address(address) in network for network in networks)


def _name_of(host: str) -> str:
    return host.rsplit(":", 1)[0] if not host.endswith("]") else host


def _refused(status: int, why: str) -> Response:
    refused = Response(f"kipwatch: {why}\n", status, mimetype="text/plain")
    if status == 401:
        refused.headers["WWW-Authenticate"] = 'Basic realm="kipwatch", charset="UTF-8"'
    return refused


def main() -> None:
    """Print a line of the users' file."""
    if len(sys.argv) != 2 or ":" in sys.argv[1]:
        sys.exit("give one name, without a colon: python -m dashboards.access NAME")
    print(f"{sys.argv[1]}:{generate_password_hash(getpass())}")


if __name__ == "__main__":
    main()
