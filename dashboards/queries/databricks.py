"""A connection to a Databricks SQL warehouse: where conf says, as whom the environment does."""

import os
from dataclasses import dataclass
from typing import Any, cast

from dashboards.queries.reader import UnreadableError
from dashboards.queries.warehouse import Connection, Names, Warehouse

TOKEN = "DATABRICKS_TOKEN"
# Of a service principal: what Databricks gives its apps.
NAME, SECRET = "DATABRICKS_CLIENT_ID", "DATABRICKS_CLIENT_SECRET"
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

    Raises: UnreadableError where nothing says as whom, without the connector, or where the warehouse can't be reached.
    """
    token, name, secret = (os.environ.get(variable) for variable in (TOKEN, NAME, SECRET))
    if not token and not (name and secret):
        raise UnreadableError(
            f"{TOKEN} is not set: give the dashboard a token of the warehouse in it, or a service principal's "
            f"{NAME} and {SECRET}"
        )
    try:
        from databricks import sql
        from databricks.sdk.core import Config
    except ImportError:
        raise UnreadableError(f"the Databricks SQL connector is not installed: {INSTALL}") from None
    try:
        found: Any = sql.connect(
            server_hostname=place.server,
            http_path=place.http_path,
            user_agent_entry="kipwatch",
            enable_telemetry=False,
            **({"access_token": token} if token else _principal(Config, place.server, name, secret)),
            **PATIENCE,
        )
    except Exception as failure:  # of the connector, of HTTP or of TLS
        said = str(failure)
        for hidden in filter(None, (token, secret)):
            said = said.replace(hidden, "(hidden)")
        said = " ".join(said.split())[:300]
        raise UnreadableError(
            f"the warehouse at {place.server} can't be reached ({type(failure).__name__}: {said}): "
            f"check dashboard.warehouse in conf, that the warehouse runs, and who asks it"
        ) from None
    return cast(Connection, found)


def _principal(config: Any, server: str, name: str | None, secret: str | None) -> dict[str, Any]:
    """How the connector signs a service principal in: by the SDK, which asks for tokens and renews them."""
    signed_in = config(
        host=f"https://{server}",
        client_id=name,
        client_secret=secret,
        auth_type="oauth-m2m",
        http_timeout_seconds=10,
        retry_timeout_seconds=10,
    )
    return {"credentials_provider": lambda: signed_in.authenticate}
