"""A connection to a Databricks SQL warehouse: where conf says, with the token of the environment."""

import os
from dataclasses import dataclass
from typing import Any, cast

from dashboards.queries.reader import UnreadableError
from dashboards.queries.warehouse import Connection, Names, Warehouse

TOKEN = "DATABRICKS_TOKEN"
INSTALL = "pip install 'kipwatch[databricks]'"
# The connector tries for a quarter of an hour by itself; a page can't wait for that. A warehouse that takes minutes to
# start is asked again at the next look.
PATIENCE = {
    "_retry_stop_after_attempts_count": 2,
    "_retry_stop_after_attempts_duration": 20.0,
    "_retry_delay_max": 5.0,
    "_socket_timeout": 60,
}


@dataclass(frozen=True, slots=True)
class Place:
    """A warehouse: its host name and HTTP path, as its page of connection details has them."""

    server: str
    http_path: str


def warehouse(place: Place, names: Names) -> Warehouse:
    """The tables of a catalog, through this warehouse; nothing is asked of it yet."""
    return Warehouse(names, lambda: connected(place))


def connected(place: Place) -> Connection:
    """A new session of the warehouse.

    Raises: UnreadableError without the token, without the connector, or where the warehouse can't be reached.
    """
    token = os.environ.get(TOKEN)
    if not token:
        raise UnreadableError(f"{TOKEN} is not set: give the dashboard a token of the warehouse in it")
    try:
        from databricks import sql
    except ImportError:
        raise UnreadableError(f"the Databricks SQL connector is not installed: {INSTALL}") from None
    try:
        found: Any = sql.connect(
            server_hostname=place.server,
            http_path=place.http_path,
            access_token=token,
            user_agent_entry="kipwatch",
            enable_telemetry=False,
            **PATIENCE,
        )
    except Exception as failure:  # of the connector, of HTTP or of TLS
        said = " ".join(str(failure).replace(token, "(token)").split())[:300]
        raise UnreadableError(
            f"the warehouse at {place.server} can't be reached ({type(failure).__name__}: {said}): "
            f"check dashboard.warehouse in conf, that the warehouse runs, and the token"
        ) from None
    return cast(Connection, found)
