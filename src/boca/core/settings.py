"""Checks that settings share: numbers of the right kind, keys that exist."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from functools import cache
from numbers import Integral, Real
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from boca.core.errors import InputError
from boca.core.wording import did_you_mean, shortened


def check_whole(**settings: Any) -> None:
    """Raises unless every setting is a whole number, which text from a file is not."""
    for name, value in settings.items():
        if not isinstance(value, Integral) or isinstance(value, bool):
            raise InputError(f"Received {name} = {_shown(value)}; expected a whole number.")


def check_number(**settings: Any) -> None:
    """Raises unless every setting is a number."""
    for name, value in settings.items():
        if not isinstance(value, Real) or isinstance(value, bool):
            raise InputError(f"Received {name} = {_shown(value)}; expected a number.")


def check_yes_or_no(**settings: Any) -> None:
    """Raises unless every setting is true or false."""
    for name, value in settings.items():
        if not isinstance(value, bool):
            raise InputError(f"Received {name} = {_shown(value)}; expected true or false.")


def check_at_least(smallest: int, **settings: Any) -> None:
    """Raises unless every setting is a whole number that is not too small."""
    check_whole(**settings)
    for name, value in settings.items():
        if value < smallest:
            raise InputError(f"Received {name} = {_shown(value)}; expected at least {smallest}.")


def check_positive(**settings: Any) -> None:
    """Raises unless every setting is a finite number above 0."""
    check_number(**settings)
    for name, value in settings.items():
        if not 0 < value < float("inf"):
            raise InputError(f"Received {name} = {_shown(value)}; expected a number above 0.")


def check_choice(choices: Iterable[str], **settings: Any) -> None:
    """Raises unless every setting is one of the words."""
    choices = tuple(choices)
    for name, value in settings.items():
        if value not in choices:
            expected = ", ".join(choices)
            raise InputError(f"Received {name} = {_shown(value)}; expected one of {expected}.")


def expect(settings: Any, holds: bool, name: str, expected: str) -> None:
    """
    Raises unless something holds for a field of a dataclass of settings.

    Parameters
    ----------
    settings
        The object, whose class the message names.
    holds
        Whether all is well.
    name
        The field.
    expected
        What would be well, in words.
    """
    if not holds:
        place = f"{type(settings).__name__}.{name}"
        raise InputError(f"{place} is {_shown(getattr(settings, name))}; expected {expected}.")


def check_types(settings: Any) -> None:
    """
    Raises unless every field of a dataclass of settings holds what its annotation says.

    Whatever reader values came through, this is the first thing that a class of settings asks, so
    that its other checks may compare and count. Whole numbers may be written 3.0; numbers are
    finite; a list may stand for a tuple.
    """
    cls: Any = type(settings)
    annotations = _annotations(cls)
    for field in fields(settings):
        annotation = annotations[field.name]
        value = getattr(settings, field.name)
        if not _is(value, annotation):
            expected = _in_words(annotation)
            raise InputError(f"Received {field.name} = {_shown(value)}; expected {expected}.")


_annotations = cache(get_type_hints)


def _is(value: Any, annotation: Any) -> bool:
    """Whether a value is of an annotation's type, as far as settings have such types."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if annotation is bool:
        return isinstance(value, bool | np.bool_)
    if annotation in (int, float):
        is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
        return is_number and _is_finite(value) and (annotation is float or value == int(value))
    if origin is Literal:
        return isinstance(value, str) and value in parts
    if origin in (Union, UnionType):
        return any(_is(value, part) for part in parts)
    if origin is tuple:
        return isinstance(value, tuple | list) and all(_is(one, parts[0]) for one in value)
    return annotation is Any or isinstance(value, origin or annotation)


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float holds
        return False


def _in_words(annotation: Any) -> str:
    """What a value of a type is, for messages."""
    origin, parts = get_origin(annotation), get_args(annotation)
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    if annotation in words:
        return words[annotation]
    if annotation is type(None):
        return "nothing"
    if origin is Literal:
        return f"one of {', '.join(parts)}"
    if origin in (Union, UnionType):
        return " or ".join(map(_in_words, parts))
    if origin is tuple:
        return f"a list, each {_in_words(parts[0])}"
    return f"an object of {(origin or annotation).__name__}"


def _shown(value: Any) -> str:
    """A value in a few letters."""
    try:
        return shortened(repr(value))
    except ValueError:  # Python refuses to write numbers with thousands of digits
        return "a number with thousands of digits"


def check_keys(data: Any, valid: Iterable[str], what: str = "setting") -> None:
    """Raises unless a mapping has known keys only; the message names the nearest one."""
    valid = tuple(valid)
    if not isinstance(data, Mapping):
        raise InputError(f"Received {data!r}; expected a table with {', '.join(valid)}.")
    for key in data:
        if key not in valid:
            word = shortened(str(key))
            raise InputError(f"Unknown {what} '{word}'; {did_you_mean(word, valid)}")


def plain(settings: Any) -> dict[str, Any]:
    """
    Settings, a dataclass, as plain values for files and the keys of stored runs.

    What everything did before a setting was there, ``later`` in its metadata, is left out.
    """
    left_out = {
        field.name
        for field in fields(settings)
        if field.metadata.get("later") and getattr(settings, field.name) == field.default
    }
    return {name: value for name, value in asdict(settings).items() if name not in left_out}
