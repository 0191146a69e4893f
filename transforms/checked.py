"""What was written as JSON, as the dataclass that it is of."""

from typing import Any, TypeVar

T = TypeVar("T")
_adapters: dict[Any, Any] = {}


def checked(kind: type[T], raw: Any) -> T:
    """JSON as a dataclass, with others in it.

    Raises: ValueError where anything in it is none of its kind.
    """
    from pydantic import TypeAdapter  # 0.1 s, which `explain FILE` does without

    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    value: T = _adapters[kind].validate_python(raw)
    return value
