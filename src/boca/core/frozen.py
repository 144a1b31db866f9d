"""Helpers for frozen dataclasses that tidy up their fields on construction."""

from typing import Any, TypeVar

import numpy as np

T = TypeVar("T", bound=np.ndarray)


def set_fields(instance: Any, **values: Any) -> None:
    """Sets fields of a frozen dataclass, for use in ``__post_init__`` alone."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def read_only(array: T) -> T:
    """The same array, which cannot be written to any more."""
    array.flags.writeable = False
    return array
