"""Hyperparameters of a user, on top of published ones or defaults."""

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from boca.core.errors import InputError
from boca.core.files import read_toml
from boca.core.wording import did_you_mean
from boca.surrogates.mvnn.params import MvnnParams

# What a value of each type is called in messages.
WORDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a word",
}


def load_params(path: str | Path, base: Mapping[str, MvnnParams]) -> dict[str, MvnnParams]:
    """
    Hyperparameters from a user's TOML file, on top of others.

    Keys at the top of the file hold for every bidder type, those in a table named after a bidder
    type for that type only::

        epochs = 2000

        [national]
        hidden_units = 64

    Parameters
    ----------
    path
        The file.
    base
        What holds where the file says nothing, by bidder type: ``published`` or ``defaults``.
    """
    return override(base, read_toml(path, "file of hyperparameters"), source=str(path))


def override(
    base: Mapping[str, MvnnParams], data: Mapping[str, Any], source: str = "the overrides"
) -> dict[str, MvnnParams]:
    """
    Hyperparameters with some values replaced.

    Parameters
    ----------
    base
        What holds where nothing is replaced, by bidder type.
    data
        Values by name, and tables of values by bidder type, as in :func:`load_params`.
    source
        Where the data comes from, for messages.
    """
    for_all = {key: value for key, value in data.items() if not isinstance(value, dict)}
    for_type = {key: value for key, value in data.items() if isinstance(value, dict)}
    for name in for_type:
        if name not in base:
            raise InputError(
                f"{source} has a table [{name}], which is no bidder type of this market; "
                + did_you_mean(name, base)
            )
    return {
        name: with_changes(params, for_all | for_type.get(name, {}), source)
        for name, params in base.items()
    }


def with_changes(params: MvnnParams, changes: Mapping[str, Any], source: str) -> MvnnParams:
    """One bidder type's hyperparameters with some values replaced, each of the right type."""
    types = {field.name: field.type for field in fields(params)}
    for key, value in changes.items():
        if key not in types:
            raise InputError(
                f"{source} has the key '{key}', which is no hyperparameter; "
                + did_you_mean(key, sorted(types))
            )
        annotation = types[key]
        expected = annotation if isinstance(annotation, type) else str  # choices are words
        whole = expected is float and isinstance(value, int) and not isinstance(value, bool)
        if type(value) is not expected and not whole:
            raise InputError(f"{source} sets {key} to {value!r}; expected {WORDS[expected]}.")
    return replace(params, **changes)
