"""Frozen dataclasses to and from plain JSON values, by their annotations."""

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """
    Dataclasses as objects without their empty optional fields, tuples as lists.

    A dataclass that has a method of this name says itself what it is made of.
    """
    if hasattr(value, "to_plain"):
        return value.to_plain()
    if is_dataclass(value) and not isinstance(value, type):
        return {
            json_name(f): to_plain(getattr(value, f.name))
            for f in fields(value)
            if not (f.default is None and getattr(value, f.name) is None)
        }
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    # A message is stored as what it says in English.
    return str(value) if isinstance(value, str) else value


def from_plain(kind: type[T], data: Mapping[str, Any]) -> T:
    """The inverse of :func:`to_plain` for a dataclass; keys that it does not know are left out."""
    hints = _hints(kind)  # type: ignore[arg-type]
    values = {}
    for f in fields(kind):  # type: ignore[arg-type]
        name = json_name(f)
        former = f.metadata.get("formerly", name)
        if name in data or former in data:
            values[f.name] = _build(hints[f.name], data[name if name in data else former])
        elif f.default is MISSING and f.default_factory is MISSING:
            raise ValueError(f"'{name}' is missing in {kind.__name__}")
    return kind(**values)


def json_name(field: "Field[Any]") -> str:
    """
    A field's name in JSON: ``from_`` is written ``from``, since Python reserves the word.

    A field whose metadata has the key ``json`` is written by that name, and one with ``formerly``
    is also read by it, since what was stored once can be read for ever.
    """
    name: str = field.metadata.get("json", field.name.removesuffix("_"))
    return name


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _build(hint: Any, value: Any) -> Any:
    """A plain value as its annotation wants it."""
    if value is None:
        return None
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        inner = [kind for kind in get_args(hint) if kind is not type(None)]
        return _build(inner[0], value) if len(inner) == 1 else value
    if origin is tuple:
        kinds = get_args(hint)
        if len(kinds) == 2 and kinds[1] is Ellipsis:
            return tuple(_build(kinds[0], item) for item in value)
        return tuple(_build(kind, item) for kind, item in zip(kinds, value, strict=True))
    if is_dataclass(hint) and isinstance(hint, type):
        return from_plain(hint, value)
    return value
