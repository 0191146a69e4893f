"""SQL as DataFusion knows it, read and written by sqlglot; and whether what would run says the same as what was given."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.tokenizer_core import Token, TokenType

# Functions with a syntax of their own; all others are passed on as they are written, as sqlglot would take some for others.
OF_THEIR_OWN = {"CAST", "TRY_CAST", "EXTRACT", "POSITION", "SUBSTRING", "TRIM", "OVERLAY", "CEIL", "FLOOR"}
# Words that say nothing, or stand for another that is written: some may be left out, and some put in.
LEFT_OUT = {
    "AS", "INNER", "OUTER", "ASC", "ALL", "BY", "ROW", "ROWS", "RESPECT", "NULLS", "FIRST", "LAST", "ISNULL", "NOTNULL",
}  # fmt: skip
PUT_IN = {
    "AS", "INNER", "CAST", "IS", "NOT", "NULL", "OFFSET", "ROWS", "FROM", "FOR", "BETWEEN", "AND", "CURRENT", "ROW",
}  # fmt: skip
SAME = {"EXCLUDE": "EXCEPT"}


class DataFusion(Postgres):
    """The nearest that sqlglot has; but DataFusion's functions and time formats (%Y-%m-%d) must stay as they are."""

    TIME_MAPPING: dict[str, str] = {}

    class Parser(Postgres.Parser):  # type: ignore[misc, valid-type]  # sqlglot makes it when it is loaded
        """Knows functions by their syntax alone."""

        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            name: one for name, one in Postgres.Parser.FUNCTION_PARSERS.items() if name in OF_THEIR_OWN
        }
        NO_PAREN_FUNCTIONS: ClassVar[dict[Any, Any]] = {}
        NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            "CASE": Postgres.Parser.NO_PAREN_FUNCTION_PARSERS["CASE"]
        }

    class Generator(Postgres.Generator):  # type: ignore[misc, valid-type]  # likewise
        """Writes a SELECT as it was read: DataFusion knows QUALIFY, semi joins, TRY_CAST and IGNORE NULLS."""

        TRY_SUPPORTED = True
        MULTI_ARG_DISTINCT = True
        TRANSFORMS: ClassVar[dict[Any, Any]] = {
            **{
                kind: one
                for kind, one in Postgres.Generator.TRANSFORMS.items()
                if kind not in (exp.Select, exp.TryCast)
            },
            exp.TryCast: lambda self, cast: self.cast_sql(cast, safe_prefix="TRY_"),
            exp.IgnoreNulls: lambda self, kept: f"{self.sql(kept, 'this')} IGNORE NULLS",
        }


TEXTS = {TokenType.STRING, TokenType.HEREDOC_STRING, TokenType.NATIONAL_STRING}


def differing(given: str, runs: str) -> str:
    """What of a statement would be lost, or stands in what would run and was not given; empty where they say the same.

    sqlglot drops some of what it does not know, and writes some otherwise than this engine would take it.
    """
    before, after = Counter(_parts(given)), Counter(_parts(runs))
    lost = {one for one in before - after if one not in LEFT_OUT}
    added = {one for one in after - before if one not in PUT_IN}
    return " ".join(sorted(lost or added))


def _parts(sql: str) -> Iterator[str]:
    """Words, names, numbers and texts, so that ways to write the same are the same; no types and no signs."""
    last = None
    for token in DataFusion().tokenize(sql):
        yield from _of(token, is_interval=last == TokenType.INTERVAL)
        last = token.token_type


def _of(token: Token, *, is_interval: bool) -> Iterator[str]:
    text = token.text
    if token.token_type in TEXTS and not is_interval:
        yield f"'{text}'"
    elif token.token_type == TokenType.NUMBER:
        yield text.strip("0").strip(".").upper()
    elif token.token_type not in DataFusion.Parser.TYPE_TOKENS:
        words = (word.strip("0").strip(".") if word.isdecimal() else word for word in text.upper().split())
        yield from (SAME.get(word, word) for word in words if word and any(map(str.isalnum, word)))
