"""Takes a long JSON document apart: one that is a response, an answer or a request around very many metrics.

What stands beside the metrics (a request, a time, a resource) may come after them, so the document is read twice: first for
that, then in runs of metrics, each within a document of the same form that holds no others.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from transforms.parse.records.json_window import JsonWindow, NotJsonError, Piece, TooLongError

# Under these names metrics stand: Jolokia's MBeans; Prometheus' series and their values; OTLP's levels, Telegraf's batch.
_OF_METRICS = frozenset(
    {
        *("value", "result", "values", "metrics", "dataPoints", "data_points"),
        *("resourceMetrics", "resource_metrics", "scopeMetrics", "scope_metrics"),
    }
)
_DEEPEST = 8
Wrap = Callable[[Any], Any]


def long_pieces(window: JsonWindow) -> Iterator[Piece] | None:
    """Pieces of the long object that the window stands at; None, and nothing given, where it can't be taken apart."""
    begin, cutter = window.place, _LongCutter(window)
    try:
        for _ in cutter.object(_itself, 0):
            pass
    except (NotJsonError, TooLongError):
        return None
    finally:
        window.go_back(begin)
    return cutter.object(_itself, 0)


class _LongCutter:
    def __init__(self, window: JsonWindow) -> None:
        self._window = window
        self._beside: dict[int, dict[str, Any]] = {}  # by the place of a long object, its short members

    def object(self, wrap: Wrap, depth: int) -> Iterator[Piece]:
        """The object here. wrap: puts it into the document it stands in. Raises: NotJsonError where none is."""
        window = self._window
        if window.next() != b"{" or depth > _DEEPEST:
            raise NotJsonError
        beside = self._beside.setdefault(window.place, {})
        window.ahead += 1
        while window.next() != b"}":
            key = self._key()
            within = partial(_member, wrap, beside, key)
            if window.next() in (b"[", b"{") and key in _OF_METRICS:
                yield from self._metrics(within, depth + 1)
                continue
            try:
                beside[key] = window.value(window.limits.long)
            except TooLongError:
                yield from self.object(within, depth + 1)
        window.ahead += 1
        yield window.take(window.here, is_structure=True)

    def _metrics(self, wrap: Wrap, depth: int) -> Iterator[Piece]:
        """A list or an object of metrics, in runs of about a block."""
        window = self._window
        is_list = window.next() == b"["
        closing = b"]" if is_list else b"}"
        window.ahead += 1
        yield window.take(window.here, is_structure=True)
        run: dict[Any, Any] = {}
        while window.next() != closing:
            key: Any = len(run) if is_list else self._key()
            window.next()
            try:
                run[key] = window.value(window.limits.long)
            except TooLongError:
                if window.ahead:
                    yield self._run(wrap, run, is_list=is_list)
                yield from self.object(partial(_member, wrap, {}, None if is_list else key), depth + 1)
                run = {}
            if window.ahead >= window.limits.block:
                yield self._run(wrap, run, is_list=is_list)
                run = {}
        window.ahead += 1
        yield self._run(wrap, run, is_list=is_list)

    def _run(self, wrap: Wrap, run: dict[Any, Any], *, is_list: bool) -> Piece:
        end = self._window.here
        if not run:
            return self._window.take(end, is_structure=True)
        return self._window.take(end, wrap(list(run.values()) if is_list else run))

    def _key(self) -> str:
        key = self._window.value(self._window.limits.long)
        if not isinstance(key, str):
            raise NotJsonError
        return key


def _itself(document: Any) -> Any:
    return document


def _member(wrap: Wrap, beside: dict[str, Any], key: str | None, value: Any) -> Any:
    return wrap([value] if key is None else beside | {key: value})
