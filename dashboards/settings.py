"""What conf says of who may look, and at what."""

import re
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from conf.settings import DashboardConf, with_environment
from dashboards.access import BASIC, NONE, PROXY, Access
from dashboards.queries.databricks import TOKEN, Place, warehouse
from dashboards.queries.reader import Reader
from dashboards.queries.warehouse import Names
from expectations.place import LakePlace
from transforms.errors import BadInput

# What a warehouse needs to be told, and may be.
NEEDED, OPTIONAL = ("server", "http_path", "catalog"), ("schema_prefix",)


def place_of(lake: LakePlace | None, of_conf: Mapping[str, Any] | None, where: str) -> LakePlace | Reader:
    """What is read: the folder that was given, or the warehouse of conf.

    Raises: BadInput for none of them, for both, or a warehouse that is not told well. `${NAME}` is the environment's.
    """
    if of_conf is None:
        if lake is None:
            raise BadInput(
                "it is not said what to show", todo="give --lake DIR, or set dashboard.warehouse in conf"
            )
        return lake
    if lake is not None:
        raise BadInput(
            "there are two lakes to show", where=where, todo="give --lake or dashboard.warehouse, not both"
        )
    return _warehouse(of_conf, where)


def _warehouse(given: Any, where: str) -> Reader:
    todo = f"give {', '.join(NEEDED)}, and schema_prefix where there is one"
    if not isinstance(given, Mapping):
        raise BadInput(f"dashboard.warehouse is {given!r}", where=where, todo=todo)
    if unknown := sorted(set(map(str, given)) - {*NEEDED, *OPTIONAL}):
        hint = f"; a token stands in the environment only, as {TOKEN}" if "token" in unknown[0] else ""
        raise BadInput(f"dashboard.warehouse.{unknown[0]} is no setting", where=where, todo=todo + hint)
    said = {name: str(given.get(name) or "").strip() for name in (*NEEDED, *OPTIONAL)}
    given_as = with_environment(said, "dashboard.warehouse")
    if missing := [name for name in NEEDED if not given_as[name]]:
        raise BadInput(f"dashboard.warehouse.{missing[0]} is not set", where=where, todo=todo)
    server = given_as["server"].removeprefix("https://").rstrip("/")
    if not re.fullmatch(r"[\w.-]+", server):
        raise BadInput(
            f"dashboard.warehouse.server is {given_as['server']!r}",
            where=where,
            todo="give the host name, without a path",
        )
    return warehouse(
        Place(server, given_as["http_path"]),
        Names(given_as["catalog"], given_as["schema_prefix"]),
    )


def access_of(conf: DashboardConf, where: str) -> Access:
    """Who may look, by conf.

    Raises: BadInput for a users' file that can't be read or has a bad line, or a proxy that is not named by its address.
    """
    if conf.auth == NONE:
        return Access()
    if conf.auth == BASIC:
        return Access(BASIC, users=_users(conf.users_file, where))
    todo = "list the addresses of the proxies to believe, or their networks, such as 10.0.0.0/8"
    if not conf.proxies:
        raise BadInput("dashboard.proxies names none", where=where, todo=todo)
    try:
        return Access(PROXY, header=conf.proxy_header, proxies=frozenset(map(ip_network, conf.proxies)))
    except ValueError as error:  # which quotes what it was given
        raise BadInput(f"dashboard.proxies: {error}", where=where, todo=todo) from None


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
