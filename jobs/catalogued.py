"""The place of a lake that is given by its name in a catalog: found for who reads, registered for who writes."""

from collections.abc import Callable

from conf.settings import Conf, with_environment
from expectations import TABLES
from expectations.place import CatalogName, LakePlace, place_at
from jobs.engine.choice import Engines
from jobs.pipeline import open_lake
from jobs.storage.catalog import Catalog, is_registered, note_registered
from jobs.storage.trouble import told
from transforms.errors import BadInput
from transforms.plans.accounting import ACCOUNTING

LOCATION = "lake.location"


def place_to_read(name: CatalogName, conf: Conf, engines: Engines) -> LakePlace:
    """Where the lake lies: as conf says, or the catalog, which Spark is started for.

    Raises: BadInput where the catalog has no such lake.
    """
    location = _location(conf)
    if location is not None:
        return place_at(location, LOCATION)
    catalog = _catalog(name, engines)
    if ACCOUNTING not in catalog.tables():
        raise BadInput(
            "no such lake in the catalog",
            where=str(name),
            todo=f"make one with kipwatch run --logs PATH --lake {name}; a folder is given as ./{name}",
        )
    return place_at(catalog.lake_location(), str(name))


def place_to_write(
    name: CatalogName, conf: Conf, engines: Engines, first: Callable[[], object], *, asks: bool = False
) -> LakePlace:
    """Where a lake of the catalog lies, with all tables made and known. Where conf says so, nobody is asked.

    first: called before a lake is made, such as to tell of a wrong path. asks: ask the catalog all the same.
    Raises: BadInput where a table of such a name is another's, or the catalog refuses; LakeBusy for a lake that has a
    writer, where a table is to be made known.
    """
    location = _location(conf)
    if location is not None and not asks:
        place = place_at(location, LOCATION)
        with told(place):
            if is_registered(place, name):
                return place
    catalog = _catalog(name, engines)
    there = catalog.tables()
    if location is None:
        if ACCOUNTING not in there:
            first()
            catalog.add_schemas()
        location = catalog.lake_location() if ACCOUNTING in there else catalog.own_location()
    place = place_at(location, LOCATION if conf.lake.location else str(name))
    with told(place):
        is_known = is_registered(place, name)
    missing = set(TABLES) - there
    if asks or missing or not is_known:
        catalog.check(there, place)
    if missing or not is_known:
        first()
        with open_lake(place, conf):
            catalog.add_schemas()
            catalog.add_tables(missing, location)
            note_registered(place, name)
    return place


def _location(conf: Conf) -> str | None:
    """What conf says, with `${NAME}` of the environment in its place: one file does for each place that is deployed to."""
    location = conf.lake.location
    return None if location is None else with_environment({"location": location}, "lake")["location"]


def _catalog(name: CatalogName, engines: Engines) -> Catalog:
    try:
        engines.session()
    except ImportError:
        raise BadInput(
            "a lake in a catalog needs Spark",
            where=f"--lake {name}",
            todo=f"pip install 'kipwatch[spark]'; a folder is given as ./{name}",
        ) from None
    return Catalog(engines.sql, name)
