"""Values without secrets: texts under a name, JSON, rows of a table."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from transforms.parse.secrets.redact import redact
from transforms.when_used import when_used

ID = when_used(r"[0-9a-f]{64}")
# Columns of which the one names what the other holds.
PAIRS = (("name", "value"), ("attribute", "text_value"))
# Columns of texts as they were read, where such a text may be anything.
WRITTEN_BY_OTHERS = frozenset({"text", "value", "text_value", "details", "tags", "labels"})
Clean = Callable[[str], str]


def redact_under(name: str, text: str) -> str:
    """A text; the name it stands under may be what makes it a secret, and its own beginning is no line's."""
    named = f"{name} = "
    clean = redact(named + text)
    return clean[len(named) :] if clean.startswith(named) else redact(text)


def redact_but_ids(text: str) -> str:
    """As redact, but for what is an id of kipwatch's as a whole: such a line of a log might be a key."""
    return text if ID.fullmatch(text) else redact(text)


def redact_deeply(value: Any, clean: Clean = redact) -> Any:
    """A value of JSON or Arrow with its texts redacted, those under a key as what stands under that name."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):  # an entry of a map
        return value[0], _entry(*value, clean)
    if isinstance(value, list):
        return [redact_deeply(one, clean) for one in value]
    if isinstance(value, dict):
        return {key: _entry(key, one, clean) for key, one in value.items()}
    return value


def _entry(name: str, value: Any, clean: Clean) -> Any:
    return redact_under(name, value) if isinstance(value, str) else redact_deeply(value, clean)


def redact_rows(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Rows with every text redacted: by itself, and where a column or key names it also as what stands under that name."""
    names = batch.schema.names
    columns = [
        _column(column, redact if name in WRITTEN_BY_OTHERS else redact_but_ids)
        for name, column in zip(names, batch.columns, strict=True)
    ]
    for name, value in PAIRS:
        if name in names and value in names:
            place = names.index(value)
            pairs = zip(batch.column(name).to_pylist(), columns[place].to_pylist(), strict=True)
            clean = [_entry(of, text, redact) if isinstance(of, str) else text for of, text in pairs]
            columns[place] = pa.array(clean, columns[place].type)
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _column(column: pa.Array, clean: Clean) -> pa.Array:
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        distinct = column.cast(pa.string()).dictionary_encode()
        texts = pa.array([clean(text) for text in distinct.dictionary.to_pylist()], pa.string())
        return pa.DictionaryArray.from_arrays(distinct.indices, texts).cast(pa.string()).cast(kind)
    if pa.types.is_nested(kind):
        return pa.array([redact_deeply(value, clean) for value in column.to_pylist()], kind)
    return column
