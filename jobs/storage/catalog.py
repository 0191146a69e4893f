"""A lake's tables in a catalog: external Delta tables over the place that they lie at (docs/decisions/0043).

The catalog is asked in Spark's SQL, and told only what is missing in it. Rows and files never go through it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from expectations import TABLES
from expectations.place import CatalogName, LakePlace, place_at
from jobs.storage.control_files import FOLDER, Document
from jobs.storage.lake import files_at
from transforms.diagnose.wording.render import shown
from transforms.errors import BadInput, KipwatchError, first_line
from transforms.explain.errors import line_of
from transforms.plans.accounting import ACCOUNTING
from transforms.when_used import when_used

# Of the schema that has it where no other place is told: its own location may have tables of others.
WITHIN = "kipwatch"
SCHEMAS = {
    "bronze": "Log records as kipwatch read them, what it could not read, and how far each source was read",
    "silver": "Events of Kafka clients, and the timers that kipwatch rebuilt from them",
    "gold": "Which promises were broken, incidents, and how each client does",
}
# Where DESCRIBE stops to tell of columns.
OF_THE_TABLE = "# Detailed Table Information"
NO_CATALOG = when_used(r"\[(?:SCHEMA_NOT_FOUND|CATALOG_NOT_FOUND|NO_SUCH_CATALOG\w*)\]")
# Statements: each waits for the catalog more than for a core.
AT_ONCE = 4

# A statement of Spark's SQL in, its rows out.
Sql = Callable[[str], Sequence[Sequence[Any]]]


@dataclass(frozen=True, slots=True)
class Registered:
    """What of the lake is in which catalog: tables by the catalog's name and prefix."""

    names: Mapping[str, tuple[str, ...]]


REGISTERED = Document("catalog.json", Registered, "the next run asks the catalog what is in it")


def is_registered(place: LakePlace, name: CatalogName) -> bool:
    """Whether all tables of the contract are known to be in the catalog, told without asking it."""
    known = REGISTERED.load(files_at(place / FOLDER))
    return known is not None and set(TABLES) <= set(known.names.get(str(name), ()))


def note_registered(place: LakePlace, name: CatalogName) -> None:
    """Remember that all of them are. The lease must be held."""
    files = files_at(place / FOLDER)
    known = REGISTERED.load(files) or Registered({})
    REGISTERED.save(files, Registered({**known.names, str(name): tuple(TABLES)}))


class Catalog:
    """The schemas of one lake in a catalog. sql: asks it.

    Raises, wherever it is asked: BadInput with one sentence for what it refuses.
    """

    def __init__(self, sql: Sql, name: CatalogName) -> None:
        self._sql, self.name = sql, name

    def tables(self) -> set[str]:
        """Those of the contract that have something of their name there."""
        there: set[str] = set()
        for schema in self._schemas():
            rows = self._asked(f"SHOW TABLES IN {self.name.schema(schema)}")
            there |= {f"{schema}.{row[1]}" for row in rows if not row[2]}  # not those of this session alone
        return there & set(TABLES)

    def location(self, table: str) -> str:
        """Where a table lies that is there.

        Raises: BadInput for a view, and a table that is none of Delta's.
        """
        rows = self._asked(f"DESCRIBE TABLE EXTENDED {self.name.table(table)}")
        names = [str(row[0]) for row in rows]
        said = _pairs(rows[names.index(OF_THE_TABLE) :]) if OF_THE_TABLE in names else {}
        if said.get("Provider", "").lower() != "delta" or not said.get("Location"):
            raise self._not_ours(table, "is no Delta table")
        return said["Location"].rstrip("/")

    def lake_location(self) -> str:
        """Where the lake lies, as the table says that is written last, which must be there.

        Raises: BadInput where it is none of kipwatch's.
        """
        location = self.location(ACCOUNTING)
        root = location.removesuffix(f"/{ACCOUNTING.replace('.', '/')}")
        if root == location:
            raise self._not_ours(ACCOUNTING, f"lies at {shown(location)}, where no lake has it")
        return root

    def check(self, tables: Iterable[str], root: LakePlace) -> None:
        """See that tables which are there are those of the lake at a place.

        Raises: BadInput for the first that is not.
        """
        wanted = sorted(tables)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            locations = list(pool.map(self.location, wanted))
        for table, location in zip(wanted, locations, strict=True):
            if place_at(location, self.name.told(table)) != root.joinpath(*table.split(".")):
                raise self._not_ours(table, f"lies elsewhere ({shown(location)}), and the lake at {root}")

    def add_schemas(self) -> None:
        """Make those that are missing."""
        there = self._schemas()
        for schema, comment in SCHEMAS.items():
            if schema not in there:
                self._asked(
                    f"CREATE SCHEMA IF NOT EXISTS {self.name.schema(schema)} COMMENT {_text(comment)}"
                )

    def own_location(self) -> str:
        """A place for a lake where none is told: within that of its first schema. Raises: BadInput where that tells none."""
        schema = ACCOUNTING.split(".")[0]
        said = _pairs(self._asked(f"DESCRIBE SCHEMA EXTENDED {self.name.schema(schema)}"))
        location = said.get("Location") or said.get("RootLocation")
        if not location:
            raise BadInput(
                "tells no location", where=self.name.told(schema), todo="set lake.location in conf (--conf)"
            )
        return f"{unquote(location).rstrip('/')}/{WITHIN}"

    def add_tables(self, tables: Iterable[str], location: str) -> None:
        """Make tables of a lake known that are not there, with the columns and comments that their logs have."""

        def add(table: str) -> None:
            place = "/".join((location.rstrip("/"), *table.split(".")))
            self._asked(f"CREATE TABLE {self.name.table(table)} USING DELTA LOCATION {_text(place)}")

        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(add, sorted(tables)))

    def _schemas(self) -> list[str]:
        rows = self._asked(f"SHOW SCHEMAS IN `{self.name.catalog}`")
        there = {str(row[0]).strip("`").lower() for row in rows}
        return [schema for schema in SCHEMAS if f"{self.name.prefix}{schema}" in there]

    def _asked(self, text: str) -> Sequence[Sequence[Any]]:
        try:
            return self._sql(text)
        except KipwatchError:
            raise
        except Exception as error:  # of Spark, of Connect, or of the catalog's own client
            said = first_line(str(error), type(error).__name__)
            if text.startswith("SHOW SCHEMAS") and NO_CATALOG.match(said):
                raise BadInput(
                    "Spark knows no such catalog",
                    where=self.name.catalog,
                    todo=f"check its name; a folder is given as ./{self.name}",
                ) from None
            raise BadInput(
                f"the catalog refuses {' '.join(text.split()[:2])} ({line_of(error)})",
                where=str(self.name),
                todo="see who may do so (docs/deploying.md), and that lake.location is an external location",
            ) from error

    def _not_ours(self, table: str, what: str) -> BadInput:
        return BadInput(
            what,
            where=self.name.told(table),
            todo="give another prefix with --lake, or drop it from the catalog",
        )


def _pairs(rows: Sequence[Sequence[Any]]) -> dict[str, str]:
    return {str(row[0]): str(row[1] or "") for row in rows}


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
