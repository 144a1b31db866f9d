"""Checks that settings share: numbers of the right kind, keys that exist."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from numbers import Integral, Real
from typing import Any

from boca.core.errors import InputError
from boca.core.wording import did_you_mean, shortened


def check_whole(**settings: Any) -> None:
    """Raises unless every setting is a whole number, which text from a file is not."""
    for name, value in settings.items():
        if not isinstance(value, Integral) or isinstance(value, bool):
            raise InputError(f"Received {name} = {value!r}; expected a whole number.")


def check_number(**settings: Any) -> None:
    """Raises unless every setting is a number."""
    for name, value in settings.items():
        if not isinstance(value, Real) or isinstance(value, bool):
            raise InputError(f"Received {name} = {value!r}; expected a number.")


def check_yes_or_no(**settings: Any) -> None:
    """Raises unless every setting is true or false."""
    for name, value in settings.items():
        if not isinstance(value, bool):
            raise InputError(f"Received {name} = {value!r}; expected true or false.")


def check_at_least(smallest: int, **settings: Any) -> None:
    """Raises unless every setting is a whole number that is not too small."""
    check_whole(**settings)
    for name, value in settings.items():
        if value < smallest:
            raise InputError(f"Received {name} = {value}; expected at least {smallest}.")


def check_positive(**settings: Any) -> None:
    """Raises unless every setting is a finite number above 0."""
    check_number(**settings)
    for name, value in settings.items():
        if not 0 < value < float("inf"):
            raise InputError(f"Received {name} = {value}; expected a number above 0.")


def check_choice(choices: Iterable[str], **settings: Any) -> None:
    """Raises unless every setting is one of the words."""
    choices = tuple(choices)
    for name, value in settings.items():
        if value not in choices:
            raise InputError(f"Received {name} = {value!r}; expected one of {', '.join(choices)}.")


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
        raise InputError(f"{place} is {getattr(settings, name)!r}; expected {expected}.")


def expect_whole_numbers(settings: Any) -> None:
    """Raises unless every field of type ``int`` has a whole number, such as 3 or 3.0."""
    for field in fields(settings):
        if field.type is int:
            value = getattr(settings, field.name)
            expect(settings, value == int(value), field.name, "a whole number")


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
