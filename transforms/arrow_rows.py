"""Between dataclasses and Arrow: the only place where rows get instants of ms, and give them back."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from transforms.events import JAVA, ClientEvent
from transforms.whole import YEARS_MS

Values = TypeVar("Values", pa.Array, pa.ChunkedArray)


def values_of(row: Any) -> dict[str, Any]:
    """A dataclass's columns by name, as they are: asdict() would copy each of its lists."""
    return {column.name: getattr(row, column.name) for column in fields(row)}


def batch_of(schema: pa.Schema, rows: Sequence[Any]) -> pa.RecordBatch:
    """Dataclasses, or mappings that hold every column, as one batch; instants (ms) become timestamps."""
    return batch_from(schema, columns_of(rows, schema.names).values())


def columns_of(rows: Sequence[Any], names: Sequence[str]) -> dict[str, Sequence[Any]]:
    """These fields of dataclasses or mappings, of which there is at least one, by column."""
    get = itemgetter if isinstance(rows[0], Mapping) else attrgetter
    return {name: list(map(get(name), rows)) for name in names}


def batch_from(schema: pa.Schema, columns: Iterable[Sequence[Any]]) -> pa.RecordBatch:
    """One batch from its columns, in the schema's order."""
    arrays = [column(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """One column; maps are sorted by key, so that equal details are equal rows."""
    if pa.types.is_map(kind):
        return _maps(values, kind)
    # Of one source most columns are the same object in all rows: a look at its ends costs next to nothing.
    if len(values) > 1 and values[0] is values[-1] and values.count(values[0]) == len(values):
        return pa.repeat(column(values[:1], kind)[0], len(values))
    try:
        return _plain(values, kind)
    except (OverflowError, pa.ArrowInvalid):
        # Sums of what lines print, such as a deadline after Long.MAX_VALUE ms.
        return _plain(_held(values, kind), kind)


def _plain(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_timestamp(kind):
        return pa.array(values, pa.timestamp("ms", tz="UTC")).cast(kind)
    return pa.array(values, kind)


def _held(values: Sequence[Any], kind: pa.DataType) -> Sequence[Any]:
    """Numbers and instants that a type does not hold, as the nearest that it does."""
    if pa.types.is_timestamp(kind):
        least, most = YEARS_MS
    elif pa.types.is_integer(kind):
        least, most = -(1 << kind.bit_width - 1), (1 << kind.bit_width - 1) - 1
    else:
        return values
    return [value if value is None else min(max(value, least), most) for value in values]


def _maps(values: Sequence[Mapping[str, str] | None], kind: pa.MapType) -> pa.MapArray:
    begins: list[int | None] = []
    keys: list[str] = []
    items: list[str] = []
    for value in values:
        begins.append(None if value is None else len(keys))
        if value:
            names = sorted(value) if len(value) > 1 else value
            keys.extend(names)
            items.extend(map(value.__getitem__, names))
    offsets = pa.array([*begins, len(keys)], pa.int32())
    return pa.MapArray.from_arrays(
        offsets, pa.array(keys, kind.key_type), pa.array(items, kind.item_type), kind
    )


def instant_of(ms: float) -> datetime:
    """An instant as filters of tables have it."""
    return datetime.fromtimestamp(ms / 1000, UTC)


def with_columns(batch: pa.RecordBatch, values: Mapping[str, pa.Array]) -> pa.RecordBatch:
    """A batch with other values in some of its columns."""
    arrays = [values.get(field.name, batch.column(field.name)) for field in batch.schema]
    return pa.RecordBatch.from_arrays(arrays, schema=batch.schema)


def python_column(values: pa.Array) -> list[Any]:
    """A column as Python has it: timestamps as ms, maps as dicts."""
    if values.null_count == len(values):  # as of most columns of events
        return [None] * len(values)
    if pa.types.is_dictionary(values.type):
        texts = values.dictionary.to_pylist()
        return [None if number is None else texts[number] for number in values.indices.to_pylist()]
    if pa.types.is_timestamp(values.type):
        return [None if v is None else v // 1000 for v in values.cast(pa.int64()).to_pylist()]
    if pa.types.is_map(values.type):
        return _dicts(values)
    return list(values.to_pylist())


def dicts_of(batches: Iterable[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
    """Rows as mappings, instants in ms."""
    for batch in batches:
        columns = [python_column(column) for column in batch.columns]
        for values in zip(*columns, strict=True):
            yield dict(zip(batch.schema.names, values, strict=True))


def _dicts(values: pa.MapArray) -> list[dict[str, Any] | None]:
    """Maps, cut out of one list of all their pairs: Arrow makes a list of each map, which takes three times as long."""
    begin, *ends = values.offsets.to_pylist()
    first, last = begin, ends[-1] if ends else begin
    names, texts = (python_column(of[first:last]) for of in (values.keys, values.items))
    pairs = list(zip(names, texts, strict=True))
    dicts: list[dict[str, Any] | None] = []
    for end in ends:
        dicts.append(dict(pairs[begin - first : end - first]))
        begin = end
    if values.null_count:
        return [
            one if is_there else None
            for one, is_there in zip(dicts, values.is_valid().to_pylist(), strict=True)
        ]
    return dicts


def packed(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A batch for who holds many: each text stands once, however many rows have it; a column of nulls takes nothing.

    For python_column, which gives equal texts as one object.
    """
    return pa.RecordBatch.from_arrays([_packed(values) for values in batch.columns], batch.schema.names)


def _packed(values: pa.Array) -> pa.Array:
    if values.null_count == len(values):
        return pa.nulls(len(values))
    if pa.types.is_map(values.type) and not values.null_count:
        return pa.MapArray.from_arrays(
            values.offsets, values.keys.dictionary_encode(), values.items.dictionary_encode()
        )
    return texts_once(values)


def texts_once(values: Values) -> Values:
    """A column of which each text stands once, and numbers say where; any other as it is."""
    return values.dictionary_encode() if pa.types.is_string(values.type) else values


EVENT_FIELDS = tuple(ClientEvent.__slots__)


def event_column(batch: pa.RecordBatch, name: str) -> list[Any]:
    """One column of events. Those that a release before `client_library` read are Java's: it typed no others."""
    values = batch.column(name)
    if name == "client_library" and values.null_count:
        values = pc.fill_null(values, JAVA)
    return python_column(values)


def events_packed(events: Sequence[ClientEvent]) -> pa.RecordBatch:
    """Events for who holds many, in columns as they are: events_from gives them back."""
    texts = pa.map_(pa.string(), pa.string())
    columns = columns_of(events, EVENT_FIELDS)
    arrays = [
        _maps(values, texts) if name == "details" else pa.array(values) for name, values in columns.items()
    ]
    return packed(pa.RecordBatch.from_arrays(arrays, list(columns)))


def events_from(batch: pa.RecordBatch) -> Iterator[ClientEvent]:
    """Client events from the columns of silver.client_events."""
    columns = [event_column(batch, name) for name in EVENT_FIELDS]
    for values in zip(*columns, strict=True):
        event = ClientEvent(*values)
        if event.details is None:
            event.details = {}
        yield event


# Arrow 25 and later are told of each key where its nulls go, earlier ones of all keys.
NULLS_BY_KEY = int(pa.__version__.partition(".")[0]) >= 25


def in_order(rows: pa.Table, order: Sequence[str]) -> pa.Table:
    """Sorted as Spark sorts and as ClientEvent.order says: an event without a time comes first."""
    return rows.take(sorted_indices(rows, order))


def sorted_indices(rows: pa.Table, order: Sequence[str]) -> pa.Array:
    """The numbers of the rows in that order."""
    if NULLS_BY_KEY:
        return pc.sort_indices(rows, [(name, "ascending", "at_start") for name in order])
    return pc.sort_indices(rows, [(name, "ascending") for name in order], null_placement="at_start")
