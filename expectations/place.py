"""Where a lake lies: a folder, or a prefix of an object store (docs/decisions/0032). What a catalog calls it: 0043.

A prefix answers what is asked of a folder's Path here. Tables below it are opened by deltalake with `options_of`, control
files by `store_of`: both, and pyarrow, take credentials and endpoint from the environment, and from nowhere else.
"""

import configparser
import errno
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transforms.diagnose.wording.render import shown
from transforms.errors import BadInput
from transforms.plans.urls import check_prefix

if TYPE_CHECKING:
    from obstore import ObjectMeta
    from obstore.store import ObjectStore

ROOT = re.compile(r"(?P<root>[a-z0-9]+://[^/]+)/*(?P<key>.*)", re.DOTALL)
CATALOG = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)\.([A-Za-z0-9_]*)")
# Of what clients of stores say; an answer to a question of this machine's own role means that there are no credentials.
NO_BUCKET = re.compile(r"NoSuchBucket|NO_SUCH_BUCKET|ContainerNotFound|bucket does not exist")
DENIED = re.compile(
    r"lacked the necessary privileges|valid authentication credentials|ACCESS_DENIED|AccessDenied|INVALID_ACCESS_KEY"
    r"|SIGNATURE_DOES_NOT|HTTP status 40[13]|ExpiredToken|InvalidToken|169\.254\.169\.254|metadata\.google|[Cc]redential"
)
OF_A_STORE = re.compile(r"Generic (S3|GCS|MicrosoftAzure) error|Error performing [A-Z]+ http|AWS Error")
STATUS = re.compile(r"status code:? (\d{3})|HTTP status (\d{3})")
NO_ANSWER = "no answer from the store"
# A store that doesn't answer is told of after about so long.
TRIES, LONGEST = 4, timedelta(seconds=30)

_stores: dict[tuple[int, str], "ObjectStore"] = {}


class StoreError(OSError):
    """A store refuses, or doesn't answer: strerror says which. What the store said is not repeated."""


@dataclass(frozen=True, slots=True)
class StorePlace:
    """A prefix of an object store, such as s3://bucket/lakes/orders: without a slash at its end."""

    url: str

    def __str__(self) -> str:
        return self.url

    def __truediv__(self, part: str) -> "StorePlace":
        return self.joinpath(part)

    def joinpath(self, *parts: str) -> "StorePlace":
        """A prefix below."""
        return StorePlace("/".join((self.url, *parts)))

    def is_dir(self) -> bool:
        """Whether anything lies below.

        Raises: StoreError.
        """
        return next(self.listed(), None) is not None

    def listed(self, after: str = "") -> Iterator["ObjectMeta"]:
        """What lies below, by name; with `after`, a name below this prefix, only what comes later.

        Raises: StoreError.
        """
        import obstore

        store, key = store_of(self.url)
        prefix = f"{key}/" if key else ""
        with telling(self.url):
            for some in obstore.list(store, prefix=prefix, offset=f"{prefix}{after}" if after else None):
                yield from sorted(some, key=lambda one: one["path"])

    def name_of(self, found: "ObjectMeta") -> str:
        """The name of what was listed, below this prefix."""
        _, key = _parts(self.url)
        return found["path"].removeprefix(f"{key}/") if key else found["path"]


LakePlace = Path | StorePlace


@dataclass(frozen=True, slots=True)
class CatalogName:
    """Schemas of a catalog, such as main.kipwatch_: gold.violations is main.kipwatch_gold.violations there."""

    catalog: str
    prefix: str

    def __str__(self) -> str:
        return f"{self.catalog}.{self.prefix}"

    def schema(self, of: str) -> str:
        """The whole name of a schema, quoted. of: its name in the contract."""
        return f"`{self.catalog}`.`{self.prefix}{of}`"

    def table(self, of: str) -> str:
        """The whole name of a table, quoted. of: its name in the contract."""
        schema, name = of.split(".")
        return f"{self.schema(schema)}.`{name}`"

    def told(self, of: str) -> str:
        """The name of a schema or table as people read it, without quotes."""
        return f"{self}{of}"


def named_in_catalog(given: str) -> CatalogName | None:
    """What a text names in a catalog; None where a folder of that name is there, or it is no such name."""
    found = CATALOG.fullmatch(given)
    return None if found is None or Path(given).exists() else CatalogName(found[1], found[2].lower())


def place_of(given: str) -> LakePlace:
    """What a text names."""
    return StorePlace(given.rstrip("/")) if "://" in given else Path(given)


def options_of(path: str) -> dict[str, str] | None:
    """What deltalake is told of the store that a table's URL names; None for a folder.

    The environment says it; this says only what deltalake and pyarrow would read differently.
    """
    if "://" not in path:
        return None
    if not path.startswith("s3://"):
        return {}
    options = _of_profile()
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    if endpoint:
        options["aws_endpoint"] = endpoint.rstrip("/")
        options["allow_http"] = str(endpoint.startswith("http://")).lower()
    return options


def store_of(url: str) -> tuple["ObjectStore", str]:
    """The store of a URL, one a bucket and process, and the key in it."""
    from obstore.store import from_url

    root, key = _parts(url)
    if (os.getpid(), root) not in _stores:
        options: dict[str, Any] = dict(options_of(url) or {})
        how: Any = {
            "client_options": {"allow_http": options.pop("allow_http", "false") == "true"},
            "retry_config": {"max_retries": TRIES, "retry_timeout": LONGEST},
            "config": options or None,
        }
        with telling(url):
            _stores[os.getpid(), root] = from_url(root, **how)
    return _stores[os.getpid(), root], key


@contextmanager
def telling(where: str) -> Iterator[None]:
    """What clients of stores raise, as a StoreError; every other error stays what it is.

    where: for who is told of it.
    """
    try:
        yield
    except StoreError:
        raise
    except Exception as error:
        meant = _meant(error, where)
        if meant is None:
            raise
        raise meant from None


def _meant(error: Exception, where: str) -> StoreError | None:
    text = str(error)
    if not type(error).__module__.startswith("obstore") and not OF_A_STORE.search(text):
        return None
    if NO_BUCKET.search(text):
        return StoreError(errno.ENOENT, "there is no such bucket", where)
    if DENIED.search(text):
        return StoreError(errno.EACCES, "no permission, or no credentials", where)
    status = STATUS.search(text)
    return StoreError(errno.EIO, f"{NO_ANSWER} ({status[1] or status[2]})" if status else NO_ANSWER, where)


def _of_profile() -> dict[str, str]:
    """The keys of a profile, which obstore does not look for; nothing where the environment has keys."""
    if "AWS_ACCESS_KEY_ID" in os.environ:
        return {}
    file = os.environ.get("AWS_SHARED_CREDENTIALS_FILE") or Path("~/.aws/credentials").expanduser()
    profiles = configparser.RawConfigParser()
    try:
        profiles.read(file, encoding="utf-8")
    except (OSError, configparser.Error, UnicodeDecodeError):
        return {}
    name = os.environ.get("AWS_PROFILE") or "default"
    found = dict(profiles[name]) if profiles.has_section(name) else {}
    names: Sequence[str] = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
    return {one: found[one] for one in names if one in found}


def _parts(url: str) -> tuple[str, str]:
    found = ROOT.fullmatch(url)
    assert found is not None  # place_of
    return found["root"], found["key"].strip("/")


OF_S3 = re.compile(r"s3[an]://")
# Files of a volume can't be tables, nor can what the catalog keeps for itself.
NO_TABLES = re.compile(r"(?:dbfs:)?/+Volumes/")


def place_at(location: str, where: str) -> LakePlace:
    """The place that a location of a catalog or of conf names. where: who says it.

    Raises: BadInput where no tables may lie, and for what is neither a whole path nor a prefix of a known store.
    """
    if NO_TABLES.match(location):
        raise BadInput(
            "names a volume, whose files can't be tables of a catalog",
            where=where,
            todo="give an external location",
        )
    if location.startswith("file:"):
        location = f"/{location.removeprefix('file:').lstrip('/')}"
    elif location.startswith("dbfs:/"):
        location = f"/dbfs/{location.removeprefix('dbfs:').lstrip('/')}"
    location = OF_S3.sub("s3://", location).rstrip("/")
    if "://" in location:
        check_prefix(location, where)
        return StorePlace(location)
    if not location.startswith("/"):
        raise BadInput(
            f"{shown(location)!r} is no whole path", where=where, todo="give one that begins with / or s3://"
        )
    return Path(location)
