"""Small lakes for tests: rows as the contract has them, written by deltalake, without Spark."""

import pyarrow as pa
from deltalake import write_deltalake

from expectations import TABLES

ZEROS = {"string": "", "bool": False, "list<element: string>": [], "list<item: string>": []}


def write(lake, name, *rows):
    """Rows of one table, instants in ms; what a row leaves out is null, or the type's zero."""
    schema = TABLES[name].arrow_schema()
    columns = []
    for field in schema:
        values = [row.get(field.name) for row in rows]
        if not field.nullable:
            values = [ZEROS.get(str(field.type), 0) if value is None else value for value in values]
        if pa.types.is_timestamp(field.type):
            instants = pa.array([None if value is None else value * 1000 for value in values], pa.int64())
            columns.append(instants.cast(field.type))
        elif pa.types.is_map(field.type):
            maps = [None if value is None else list(dict(value).items()) for value in values]
            columns.append(pa.array(maps, field.type))
        else:
            columns.append(pa.array(values, field.type))
    write_deltalake(str(lake.joinpath(*name.split("."))), pa.Table.from_arrays(columns, schema=schema))
